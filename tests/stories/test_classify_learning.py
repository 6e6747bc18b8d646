"""`webstrata classify train`, `predict`, `experiment` and `label`, as typed, on a web of sixty hosts."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.classify.web import make_web
from webstrata.classify.model_file import load_model, save_model
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
        run([*words, "--top", "5", "--output", str(tmp_path / "s.csv"), "--page", str(tmp_path / "s.html")])
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
    assert "trust is no task of these labels" in refused("train", uk, "--labels", labels, "--task", "trust")
    assert "it has no truth" in refused("train", uk, "--labels", "truth")
    assert "it has no features Aa" in refused("train", uk, "--labels", labels, "--sets", "Aa")
    assert "nothing there to read" in refused("experiment", uk, "--labels", str(tmp_path / "no.csv"))
    assert "pickled code" in refused("predict", uk, "2026-06", "--model", str(bad))
    assert "no features" in refused("predict", uk, "2026-06", "--model", str(model), "--explain", "no.org")
    assert run(["classify", "features", uk, "2026-06", "--sets", "B", "--ngram", "2"]) == 0
    capsys.readouterr()
    assert "made with other settings (ngram)" in refused("predict", uk, "2026-06", "--model", str(model))
