"""Labels: both forms of files, many tasks, and every way in which a file may be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.classify.learning.labels import load_labels, read_labels
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.invitro.truth import build_truth

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(text)
    return path


def test_names_are_tasks_and_spam_was_not_asked_about_anything_else(tmp_path: Path) -> None:
    text = "host,comment,label\nwww.a.org,x,spam\nB.org,,news|personal\nc.org,,nonspam\nd.org,,?\n\n"
    text += "#e.org,,spam\n"
    labels = read_labels(write(tmp_path, text))
    assert labels.tasks == {
        "spam": {"a.org": True, "b.org": False, "c.org": False},
        "news": {"b.org": True, "c.org": False},
        "personal": {"b.org": True, "c.org": False},
    }


def test_a_label_of_yes_and_no_is_about_the_task_that_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "host,label\na.org,1\nb.org,0\n")
    assert load_labels(path, task="trust").tasks == {"trust": {"a.org": True, "b.org": False}}


def test_columns_are_tasks_and_others_are_left_alone(tmp_path: Path) -> None:
    text = "host,spam,seen,trust\na.org,spam,2026-01-01,maybe\nb.org,nonspam,2026-01-02,no\nc.org,,,\n"
    assert read_labels(write(tmp_path, text)).distribution() == [("spam", 1, 1), ("trust", 1, 1)]


def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path: Path) -> None:
    for text, said in (
        ("", "first line is empty"),
        ("a.org,spam\n", "first line is a.org,spam"),
        ("host,label\n", "no label in it"),
        ("host,label\nhttp://a.org/,spam\n", "line 2: 'http://a.org/,spam' is no host"),
        ("host,label\na.org\n", "line 2"),
        ("host,label\na.org,spam\na.org,nonspam\n", "line 3: a.org is nonspam here and spam in line 2"),
        ("host,spam\na.org,yes\nwww.a.org,no\n", "line 3: a.org is spam and is not"),
        ('host,label\n"a.org,spam\n', "this is no CSV"),
    ):
        with pytest.raises(FormatError) as raised:
            read_labels(write(tmp_path, text))
        assert said in str(raised.value)
    (tmp_path / "labels.csv").write_bytes(b"host,label\n\xff\xfe,spam\n")
    with pytest.raises(FormatError, match="no CSV in UTF-8"):
        read_labels(tmp_path / "labels.csv")


def test_unknown_hosts_one_class_and_too_few_labels_are_told(tmp_path: Path) -> None:
    hosts = [f"{number}.org" for number in range(9)]
    rows = "".join(f"{host},{'spam' if place > 6 else 'nonspam'}\n" for place, host in enumerate(hosts))
    labels = read_labels(write(tmp_path, f"host,label\n{rows}gone.org,spam\n"))
    assert labels.match("spam", hosts)[2] == ["gone.org"]
    with pytest.raises(
        MissingError, match=r"2 hosts are spam and 7 are not .*gone.org.*, too few for 5 folds"
    ):
        labels.match("spam", hosts, folds=5)
    with pytest.raises(MissingError, match="all 7 labelled hosts are not spam"):
        labels.match("spam", hosts[:7], folds=5)
    with pytest.raises(MissingError, match="no labelled host is in the snapshot"):
        labels.match("spam", ["other.org"], folds=5)
    with pytest.raises(UsageError, match=r"spma is not a task of these labels \(did you mean spam\?\)"):
        labels.find("spma")


def test_the_truth_of_an_in_vitro_web_labels_every_host(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-01")
    build_truth(snapshot, ws.invitro.Web("tiny", seed=7), month=0)
    labels = load_labels("truth", snapshot)
    (_, spam, honest), *others = labels.distribution()
    assert spam > 0
    topics = [row for row in others if row[0].startswith("topic")]
    assert sum(positive for _, positive, _ in topics) == honest
    assert all(positive + negative == honest for _, positive, negative in topics)
