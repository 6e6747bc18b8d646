"""`webstrata classify train`, `predict`, `experiment` and `label`, as typed, on a web of sixty hosts."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.classify.web import make_web
from webstrata.classify.learning.model_file import load_model, save_model
from webstrata.cli import run
from webstrata.cli.classify.label import command as label

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = [f"h{number}.org" for number in range(60)]
SPAM = set(HOSTS[::4])
_WORDS = ["fish", "reef", "sea", "ship", "coral", "wave", "tide", "sand", "shell", "whale", "net", "boat"]
_PILLS = ["cheap", "pills", "buy", "casino", "loan", "free"]


def _page(draw: random.Random, host: str) -> str:
    bad = host in SPAM
    words = [draw.choice(_PILLS if bad and draw.random() < 0.5 else _WORDS) for _ in range(60)]
    targets = draw.sample(sorted(SPAM) if bad else HOSTS, 4)
    links = " ".join(f"<a href='http://{target}/'>{draw.choice(words)}</a>" for target in targets)
    return f"<title>{host} {' '.join(words[:3])}</title><p>{' '.join(words)} {host} {links}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with features, and labels beside it."""
    folder = tmp_path_factory.mktemp("learning")
    draw = random.Random(7)
    make_web(folder / "uk", {f"http://{host}/": _page(draw, host) for host in HOSTS})
    rows = [
        f"{host},{'spam' if host in SPAM else 'news' if place % 2 else 'nonspam'}"
        for place, host in enumerate(HOSTS)
    ]
    (folder / "labels.csv").write_text("\n".join(["host,label", *rows, "gone.org,spam"]) + "\n")
    assert run(["classify", "features", str(folder / "uk"), "2026-06", "--sets", "B,link"]) == 0
    return folder


@pytest.fixture(scope="module")
def model(place: Path) -> Path:
    words = ["classify", "train", str(place / "uk"), "--labels", str(place / "labels.csv")]
    assert run([*words, "--library", "small", "--folds", "3", "--output", str(place / "spam.model")]) == 0
    return place / "spam.model"


def test_a_model_is_trained_and_scores_hosts_with_reasons(
    place: Path, model: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    capsys.readouterr()
    words = ["classify", "predict", str(place / "uk"), "2026-06", "--model", str(model)]
    assert (
        run([*words, "--limit", "5", "--output", str(tmp_path / "s.csv"), "--page", str(tmp_path / "s.html")])
        == 0
    )
    shown = capsys.readouterr().out
    assert shown.startswith("spam: 60 hosts; ")
    top = [line.split()[0] for line in shown.splitlines()[2:7]]
    assert set(top) <= SPAM
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 61
    assert "(usual: " in (tmp_path / "s.html").read_text()

    assert " the threshold with the best F1 on hosts not trained on (precision " in shown
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["above_threshold"] == sum(row["score"] >= found["threshold"] for row in found["hosts"])
    assert found["warnings"] == []

    # a model of version 0.1.0 has no threshold
    known = load_model(model)
    save_model(replace(known, training={**known.training, "threshold": None}), tmp_path / "old.model")
    assert run([*words[:-1], str(tmp_path / "old.model")]) == 0
    out, err = capsys.readouterr()
    assert "the threshold is not calibrated, so none is classified" in out
    assert err.startswith("warning: the threshold is not calibrated")

    assert run([*words, "--explain", f"www.{top[0]}", "--json"]) == 0
    why = json.loads(capsys.readouterr().out)
    assert why["host"] == top[0]
    assert why["reasons"][0]["effect"] > 0


def test_an_experiment_gives_the_tables_and_a_page(
    place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["classify", "experiment", str(place / "uk"), "--labels", str(place / "labels.csv")]
    more = ["--library", "small", "--folds", "2", "--draws", "2", "--output", str(tmp_path), "--json"]
    assert run([*words, *more]) == 0
    out, err = capsys.readouterr()
    assert "1 labelled host is not in the snapshot: gone.org" in err
    found = json.loads(out)
    tables = {table["key"]: table for table in found["tables"]}
    assert set(tables) == {
        "table 1",
        "table 5",
        "table 6",
        "table 7",
        "table 8",
        "table 11",
        "table 13",
        "weights",
        "models",
    }
    assert tables["table 1"]["rows"] == [["2026-06", 60, 60, 15, 45]]
    assert tables["table 5"]["rows"] == [["spam", 15, 45, "25.0%"], ["news", 30, 15, "66.7%"]]
    assert [row[0] for row in tables["table 7"]["rows"]] == ["Link", "Link + (B)", "everything, static"]
    assert float(tables["table 6"]["rows"][0][2]) > 0.9
    assert tables["table 8"]["columns"] == ["feature set", "spam", "news", "average"]
    assert len(found["figure 2"]) == 20
    page = (tmp_path / "experiment.html").read_text()
    assert "Links, and everything (table 7)" in page
    assert (tmp_path / "sensitivity-mean.svg").is_file()


def test_hosts_are_labelled_by_hand_with_their_pages_shown(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    words = [str(place / "uk"), "2026-06", "--labels", str(path)]
    done = CliRunner().invoke(label, [*words, "--host", "h0.org", "--host", "www.h1.org"], input="y\nnews\n")
    assert done.exit_code == 0
    assert "h0.org" in done.output
    assert path.read_text() == "host,label\nh0.org,spam\nh1.org,news\n"
    done = CliRunner().invoke(label, words, input="n\nu\ns\nq\n")
    assert "2 labels were given" in done.output
    assert len(path.read_text().splitlines()) == 5
    done = CliRunner().invoke(label, [*words, "--host", "h0.org", "--pages", "1"], input="no\n")
    assert "spam so far; 4 hosts labelled" in done.output
    assert done.output.count("http://h0.org/") == 1
    assert "h0.org,nonspam\n" in path.read_text()


def test_scores_of_named_hosts_are_those_of_all(
    place: Path, model: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    capsys.readouterr()
    words = ["classify", "predict", str(place / "uk"), "2026-06", "--model", str(model), "--json"]
    assert run(words) == 0
    scores = {row["host"]: row["score"] for row in json.loads(capsys.readouterr().out)["hosts"]}
    (tmp_path / "hosts.txt").write_text("h4.org\nwww.h7.org\n")
    for named in ("h4.org,h7.org", str(tmp_path / "hosts.txt")):
        assert run([*words, "--hosts", named]) == 0
        found = json.loads(capsys.readouterr().out)["hosts"]
        assert {row["host"]: row["score"] for row in found} == {
            host: scores[host] for host in ("h4.org", "h7.org")
        }


def test_a_model_is_measured_on_a_test_set(
    place: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = (place / "labels.csv").read_text().splitlines()
    (tmp_path / "train.csv").write_text("\n".join([*lines[:41], ""]))
    (tmp_path / "test.csv").write_text("\n".join([lines[0], *lines[41:61], ""]))
    words = ["classify", "train", str(place / "uk"), "--labels", str(tmp_path / "train.csv"), "--sets", "B"]
    more = [
        "--test",
        str(tmp_path / "test.csv"),
        "--library",
        "small",
        "--output",
        str(tmp_path / "spam.model"),
    ]
    assert run([*words, *more, "--folds", "3"]) == 0
    assert "AUC on the test set" in capsys.readouterr().out
    measured = load_model(tmp_path / "spam.model").training["test"]
    assert (measured["positives"], measured["negatives"]) == (5, 15)
    assert measured["auc"] > 0.9


def test_what_is_wrong_is_said_in_a_sentence(
    place: Path, model: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    capsys.readouterr()

    def refused(*words: str) -> str:
        assert run(["classify", *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    uk, labels = str(place / "uk"), str(place / "labels.csv")
    few = tmp_path / "few.csv"
    few.write_text("host,label\nh0.org,spam\nh1.org,nonspam\nh2.org,nonspam\n")
    one = tmp_path / "one.csv"
    one.write_text("host,label\nh1.org,nonspam\nh2.org,nonspam\n")
    bad = tmp_path / "bad.model"
    bad.write_bytes(b"\x80\x04\x95")
    assert "1 hosts are spam and 2 are not, too few for 5 folds" in refused("train", uk, "--labels", str(few))
    assert "not spam" in refused("train", uk, "--labels", str(one))
    assert "trust is not a task of these labels" in refused(
        "train", uk, "--labels", labels, "--task", "trust"
    )
    assert "no truth; for a synthetic web" in refused("train", uk, "--labels", "truth")
    assert "no features Aa" in refused("train", uk, "--labels", labels, "--sets", "Aa")
    assert "nothing there to read" in refused("experiment", uk, "--labels", str(tmp_path / "no.csv"))
    assert "pickled code" in refused("predict", uk, "2026-06", "--model", str(bad))
    assert "no features" in refused("predict", uk, "2026-06", "--model", str(model), "--explain", "no.org")
    unknown = tmp_path / "unknown.csv"
    unknown.write_text("host,label\nh0.org,spam\nnobody.org,spam\nnowhere.org,nonspam\n")
    words = ["experiment", uk, "--labels", str(few), "--test", str(unknown)]
    assert "h0.org is labelled in" in refused(*words)
    unknown.write_text("host,label\nnobody.org,spam\nnowhere.org,nonspam\n")
    assert "2 labelled hosts are not in the snapshot: nobody.org" in refused(*words)
    assert "no labels; name a file with `--labels FILE`" in refused("experiment", uk)
    assert "no files of WEBSPAM-UK2006" in refused(
        "experiment", uk, "--webspam", str(place / "uk" / "snapshots")
    )
    one_host = ["predict", uk, "2026-06", "--model", str(model), "--hosts", "no.org"]
    assert "cannot be computed for no.org" in refused(*one_host)
    assert run(["classify", "features", uk, "2026-06", "--sets", "link", "--registers", "16"]) == 0
    capsys.readouterr()
    assert "made with other settings (registers)" in refused("predict", uk, "2026-06", "--model", str(model))
