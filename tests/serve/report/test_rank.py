"""The sheets of ranks: what the rooms say of PageRank, CheiRank and spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.errors import MissingError
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.rank import make_spectra, read_rankings
from webstrata.serve.report.sheet import Sheet

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_pages_are_those_of_the_rankings(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KINDS["plane"], uk.states())
    assert isinstance(sheet, Sheet)
    snapshot = uk["2026-02"]
    firsts = [snapshot.rank(method).top(1)[0].name for method in ("pagerank", "cheirank", "2drank")]
    assert sheet.tables[0].rows[0] == [1, *firsts]
    assert [figure.name for figure in sheet.figures] == ["rank-plane", "rank-scores"]


def test_a_ranking_with_settings_of_its_own_is_shown_and_one_that_is_missing_is_asked_for(
    copied: ws.Collection,
) -> None:
    snapshot = copied["2026-02"]
    for method in ("pagerank", "cheirank", "2drank"):
        snapshot.rank(method, alpha=0.5)
    graph, rankings = read_rankings(snapshot)
    assert [found.settings["alpha"] for found in rankings[:2]] == [0.5, 0.5]
    assert graph.level == "page"
    snapshot.parts.remove("rank-cheirank")
    with pytest.raises(MissingError, match=r"a ranking of pagerank, .* is missing; call `snapshot.build\("):
        read_rankings(snapshot)


def test_every_spectrum_has_its_row_of_the_table(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = make_spectra(uk)
    assert isinstance(sheet, Sheet)
    assert [row[:2] for row in sheet.tables[0].rows] == [
        [label, matrix] for label in ("2026-01", "2026-02") for matrix in ("G", "G*")
    ]
    assert sheet.tables[0].rows[2][2:] == list(uk["2026-02"].spectrum().table().values())
    names = ["spectrum-spectra", "spectrum-spectrum", "spectrum-moduli"]
    assert [figure.name for figure in sheet.figures] == names
    panels = {row["which"] for row in sheet.figures[0].spec["data"]["values"]}
    assert panels == {"2026-01, G", "2026-01, G*", "2026-02, G", "2026-02, G*"}
