"""`webstrata changes`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.search.change.events import CALM, make_events
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_events(tmp_path_factory.mktemp("events") / "uk").path)


def test_what_happened_is_listed_with_its_reasons(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["changes", place, "flood", "--at", "2026-02"]
    drawing = tmp_path / "flood.html"
    assert run([*words, "--graph", str(drawing), "--rank", "pagerank"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("What changed about 'flood' from 2026-01 to 2026-02\n")
    assert "change 4.277 (content 2.08, in-links 1.1, out-links 1.1), new" in shown
    assert "+ linked from http://paper.com/flood, http://city.org/\n" in shown
    assert f"webstrata get {place} http://city.org/flood --at 2026-02 --text" in shown
    assert "not aligned, so by text alone" in shown
    assert "rank         personalized PageRank, restart 0.9, on" in shown
    assert drawing.is_file()
    assert run([*words, "--json", "--limit", "2"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["answers"]) == 2
    assert document["graph"] is None
    assert run(["changes", place, "--prepare"]) == 0
    assert "links and words of 9 pages are counted in 3 snapshots" in capsys.readouterr().out
    # neighbours that do not match are marked, and come last
    assert run(["changes", place, "fire"]) == 0
    first, _, rest = capsys.readouterr().out.partition(
        "     reached by links: it does not match, and is linked with "
    )
    assert "  1. http://city.org/fire" in first
    assert rest
    # the last month, where none is named
    assert run(["changes", place, "nowhere"]) == 0
    assert "No page of 2026-03 matches." in capsys.readouterr().out


def test_what_cannot_be_asked_is_refused_in_a_sentence(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = str(make_events(tmp_path / "one", {"2026-01": CALM}).path)
    for words, why in (
        ([place, ""], "the query is empty; write some words to look for"),
        ([place], "QUERY is missing; write some words to look for, or --prepare to count only"),
        (
            [place, "flood", "--at", "2025-12"],
            "2025-12 is before the first snapshot, 2026-01; give that date",
        ),
        ([place, "flood", "--at", "2026-01"], "2026-01 is the first snapshot, and there is none before it"),
        ([place, "flood", "--rank", "best"], "rank is best, and must be one of new-text"),
        ([place, "flood", "--alpha", "2"], "alpha is 2, and must be between 0 and 1"),
        ([place, "flood", "--graph", str(tmp_path / "out.png")], "a drawing is a page of HTML"),
        ([one, "flood"], "it has 1 snapshot, and what changed takes two"),
    ):
        assert run(["changes", *words]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert why in said.err
        assert said.err.count("\n") == 1
