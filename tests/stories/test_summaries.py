"""`webstrata summaries`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.summaries.written import write_snapshot
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["Fishes swim in the sea", "A fish swims; sharks swim faster", None, "Sharks eat fish, fish eat fish"]


@pytest.fixture
def place(tmp_path: Path) -> str:
    write_snapshot(tmp_path / "uk", TEXTS)
    return str(tmp_path / "uk")


def test_summaries_are_built_shown_and_described(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["summaries", "build", place, "2026-06", "--min-df", "2"]) == 0
    assert capsys.readouterr().out.startswith(f"{place} 2026-06: 3 summaries, 3 terms, 7 counts, ")
    assert run(["summaries", "show", place, "2026-06", "http://test/00003"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "http://test/00003 (node 3): 6 words, 2 different terms.",
        "term   count  df  cf",
        "fish       3   3   5",
        "shark      1   2   2",
    ]
    words = ["summaries", "stats", place, "2026-06", "--best-codes", "--plots", str(tmp_path / "pictures")]
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["num_postings"], document["num_words"]) == (7, 17)
    assert set(document["best_codes"]) == {
        "length_code",
        "size_code",
        "gap_code",
        "count_code",
        "count_differences",
    }
    assert (tmp_path / "pictures" / "gaps.svg").is_file()
    assert run(words[:5]) == 0
    told = capsys.readouterr().out
    assert f"Best: webstrata summaries build {place} 2026-06 --coding codes --length-code " in told
    best = told.rpartition(f"build {place} 2026-06 ")[2].splitlines()[0].rstrip(".").split()
    assert run(["summaries", "build", place, "2026-06", "--min-df", "2", *best, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["postings"] == 7


def test_what_is_wrong_is_said_in_a_sentence(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str) -> str:
        assert run(["summaries", *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    assert "no part summaries" in refused("show", place, "2026-06", "http://test/00000")
    assert "`--min-df 1` keeps them all" in refused("build", place, "2026-06")
    assert "stemmer is x, and must be porter, snowball:LANGUAGE or none" in refused(
        "build", place, "2026-06", "--stemmer", "x"
    )
    assert "--gap-code is huffman, and must be the name of a code" in refused(
        "build", place, "2026-06", "--gap-code", "huffman"
    )
    assert run(["summaries", "build", place, "2026-06", "--min-df", "1"]) == 0
    capsys.readouterr()
    assert "node 2 has no summary" in refused("show", place, "2026-06", "http://test/00002")
    assert "http://test/9 is not a page of this snapshot" in refused(
        "show", place, "2026-06", "http://test/9"
    )
