"""`webstrata simulate`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.temporal.months import add_month
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ["org,a)/", "org,a)/x", "org,b)/", "org,b)/y", "org,c)/"]
ARCS = [(0, 1), (0, 2), (2, 3), (1, 4), (3, 0)]


@pytest.fixture
def place(tmp_path: Path) -> str:
    add_month(ws.create(tmp_path / "uk"), "2026-06", KEYS, ARCS)
    (tmp_path / "good.txt").write_text("http://b.org/ sports\nhttp://b.org/y sports\nhttp://c.org/ news\n")
    return str(tmp_path / "uk")


def test_policies_are_compared_drawn_and_done_again(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "simulate",
        place,
        "2026-06",
        "--policy",
        "oracle,random",
        "--relevant",
        "labels:good.txt#sports",
    ]
    words += ["--start", "homes:1", "--runs", "4", "--clock"]
    assert run([*words, "--plots", "pictures", "--name", "drawn", "--no-clock"]) == 0
    told = capsys.readouterr().out
    assert "4 runs of up to 5 pages; 2 of 5 pages on " in told
    assert [line.split()[0] for line in told.splitlines()[4:7]] == ["policy", "oracle", "random"]
    assert "pictures/simulation.html shows all 3 of them" in told
    page = (tmp_path / "pictures" / "simulation.html").read_text()
    assert "Harvest rate" in page
    assert ">oracle</td>" in page
    assert (tmp_path / "pictures" / "recall.svg").is_file()
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["part"] == "simulation"
    assert [found["policy"] for found in document["policies"]] == ["oracle", "random"]
    config = f"{place}/snapshots/2026-06/simulation/simulation.toml"
    assert run(["simulate", place, "2026-06", "--config", config, "--name", "again", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["policies"] == document["policies"]
    assert run(["show", place]) == 0
    assert "simulation-again" in capsys.readouterr().out
    assert run(["check", place]) == 0


def test_what_is_wrong_is_said_in_a_sentence(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def refused(*words: str) -> str:
        assert run(["simulate", place, "2026-06", *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert not list((tmp_path / "uk").glob("snapshots/2026-06/simulation*"))
        return said

    policy = tmp_path / "mine.py"
    head = "import webstrata as ws\nclass Mine(ws.Policy):\n    def prioritize(self, page):\n        return "
    policy.write_text(f"{head}[float('nan')] * len(page.links)\n")
    assert "it gave nan as a priority" in refused("--policy", "mine.py:Mine", "--start", "homes")
    policy.write_text(f"{head}page.anchors\n")
    assert "it raised AttributeError" in refused("--policy", "mine.py:Mine", "--start", "homes")
    assert "best is not a policy" in refused("--policy", "best")
    assert "no summaries, which relevance by text needs" in refused("--relevant", "query:fish")
    assert "no truth with topics" in refused("--relevant", "topic:sports")
    (tmp_path / "bad.txt").write_text("http://nowhere.org/\n")
    assert "http://nowhere.org/ is no page of this snapshot" in refused("--relevant", "labels:bad.txt")
    assert "runs is 0, and must be above 0" in refused("--runs", "0")
    assert "name: 'Mine' has other characters" in refused("--name", "Mine")
    assert "no snapshot 2026-05" in refused("--knowing", "2026-05", "--policy", "past")
