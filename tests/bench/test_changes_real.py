"""Real histories: those that are absent are reported, tables have a lead with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench import changes_real
from bench.change_questions import SITES
from bench.changes_real import compare_ways, find_collection, find_digest, show_table
from bench.floors import read_floors
from bench.frame import BenchError
from webstrata.search.evaluate.experiment import RunOutcome

if TYPE_CHECKING:
    from pathlib import Path


def test_a_site_whose_repository_is_absent_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes_real, "DATA", tmp_path)
    monkeypatch.delenv("WEBSTRATA_HISTORIES", raising=False)
    with pytest.raises(BenchError, match="WEBSTRATA_HISTORIES is not set; name a folder"):
        find_collection(SITES[0])
    monkeypatch.setenv("WEBSTRATA_HISTORIES", str(tmp_path))
    with pytest.raises(BenchError, match=f"there is no clone of {SITES[0].repository}; clone it"):
        find_collection(SITES[0])


def test_the_lead_of_the_default_is_that_of_each_question(capsys: pytest.CaptureFixture[str]) -> None:
    def outcome(name: str, ranks: list[float]) -> RunOutcome:
        figures = {
            str(place): dict.fromkeys(("mrr", "ndcg15", "recall"), rank) for place, rank in enumerate(ranks)
        }
        return RunOutcome(name, {}, figures)

    outcomes = {
        "a": {"new-text": outcome("new-text", [1.0, 0.5]), "bm25": outcome("bm25", [0.5, 0.5])},
        "b": {"new-text": outcome("new-text", [1.0, 1.0]), "bm25": outcome("bm25", [0.5, 0.5])},
    }
    table = compare_ways(["a", "b"], outcomes)
    assert table["new-text"]["mrr"] == 0.875
    mean, low, high = table["bm25"]["lead"]
    assert mean == 0.375
    assert 0 < low < mean < high <= 0.5
    show_table("a and b", 4, table)
    assert "(the default)" in capsys.readouterr().out


def test_the_floors_belong_to_the_questions_that_are_committed() -> None:
    floors = read_floors()
    assert {floors[name].input for name in ("changes-real-mrr", "changes-real-lead")} == {find_digest()}
