"""`webstrata classify`, as typed."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.classify.web import make_web
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> str:
    make_web(tmp_path / "uk")
    return str(tmp_path / "uk")


def test_sets_are_made_told_and_kept(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["classify", "features", place, "2026-06"]
    assert run(words) == 0
    told = capsys.readouterr()
    assert "set Aa is left out: set Aa counts popular words of queries" in told.err
    lines = [line.split() for line in told.out.splitlines()]
    # set, hosts, features, pages … made
    assert [(line[0], line[1], line[2], line[3], line[-1]) for line in lines[1:]][:3] == [
        ("A", "3", "48", "6", "made"),
        ("B", "3", "96", "6", "made"),
        ("link", "3", "177", "6", "made"),
    ]
    (tmp_path / "log.txt").write_text("cheap pills")
    assert run([*words, "--sets", "link,Aa", "--query-words", str(tmp_path / "log.txt"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["features"], one["kept"]) for one in document["sets"]] == [
        ("Aa", 24, False),
        ("link", 177, True),
    ]
    assert all(one["pages_per_cpu_second"] > 0 for one in document["sets"])
    # a set that is renewed keeps its query words
    renew = ws.open(place).states()["2026-06/features-aa"].renew
    assert run([*shlex.split(renew)[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["built"] == {}
    assert run(["check", place]) == 0


def test_what_is_wrong_is_said_in_a_sentence(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str) -> str:
        assert run(["classify", "features", place, *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    assert "C is not a feature set; known are" in refused("2026-06", "--sets", "C")
    assert "ngram is 1, and must be between 2 and 8" in refused("2026-06", "--ngram", "1")
    assert "2026-07" in refused("2026-07")
    assert "name a file of them with `--query-words FILE`" in refused("2026-06", "--sets", "Aa")
    assert "gone.txt" in refused("2026-06", "--sets", "A", "--query-words", "gone.txt")
    assert "gone.txt" in refused("2026-06", "--sets", "link", "--trusted", "gone.txt")
    assert "gone.txt" in refused("2026-06", "--sets", "A", "--stop-words", "gone.txt")
    assert "there is no earlier snapshot with graph and urls" in refused("2026-06", "--sets", "temporal-link")
    assert "2026-01" in refused("2026-06", "--sets", "temporal-link", "--earlier", "2026-01")
    assert "2026-06 is not before 2026-06" in refused(
        "2026-06", "--sets", "temporal-link", "--earlier", "2026-06"
    )
    assert "no part summaries" in refused("2026-06", "--sets", "bm25")
    assert "no part summaries" in refused("2026-06", "--sets", "temporal-content")
    assert "--least-share is 2" in refused("2026-06", "--sets", "bm25", "--least-share", "2")
