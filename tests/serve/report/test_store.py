"""The sheets of text say what `summaries stats` and `duplicates` say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.crawl.report import read_report
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.sheet import Sheet
from webstrata.store.duplicates.near import find_near_duplicates

if TYPE_CHECKING:
    from pathlib import Path


def test_summaries_have_both_figures_and_their_footprint(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["summaries"], uk.states())
    assert isinstance(sheet, Sheet)
    assert [figure.name for figure in sheet.figures] == ["summaries-terms", "summaries-gaps"]
    archive = uk["2026-02"].summaries
    assert sheet.text[0].startswith(f"{archive.num_summaries:,} summaries, {len(archive.terms):,} terms")
    assert {row[0]: row[1] for row in sheet.tables[0].rows} == archive.sizes()


def test_duplicates_of_every_snapshot_are_counted(whole: Path) -> None:
    uk = ws.open(whole)
    sheets = read_sheets(uk, KINDS["duplicates"], uk.states())
    redundant = [sheet.tables[0].rows[1][4] for sheet in sheets if isinstance(sheet, Sheet)]
    # as many as the crawl itself met
    assert redundant == [read_report(snapshot).result.counters["duplicates"] for snapshot in uk]
    assert min(redundant) > 20


def test_near_duplicates_are_those_that_were_planted(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["near"], uk.states())
    assert isinstance(sheet, Sheet)
    assert "100.00% were found" in sheet.text[1]
    found = find_near_duplicates(uk["2026-02"].text)
    assert [row[0] for row in sheet.tables[0].rows] == [len(one) for one in found.clusters[:8]]
