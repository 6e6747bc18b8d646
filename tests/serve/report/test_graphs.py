"""The sheets of graphs: a row for each, and the structure of the newest as `graph stats` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.graph.structure import describe_structure
from webstrata.serve.report.graphs import make_graphs
from webstrata.serve.report.kept import KEPT, read_sheets
from webstrata.serve.report.sheet import Missing, Sheet

if TYPE_CHECKING:
    from pathlib import Path


def test_every_graph_has_a_row_and_what_has_none_is_named(copied: ws.Collection) -> None:
    copied.add("2026-03")
    sheet, missing = make_graphs(copied)
    assert isinstance(sheet, Sheet)
    assert [row[:3] for row in sheet.tables[0].rows] == [["2026-01", 238, 5285], ["2026-02", 244, 5320]]
    assert missing == Missing("the graph of 2026-03", f"webstrata graph build {copied.path} 2026-03")


def test_the_structure_is_that_of_the_newest_graph(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = read_sheets(uk, KEPT["structure"], uk.states())
    assert isinstance(sheet, Sheet)
    assert sheet.title == "Structure of 2026-02"
    found = describe_structure(uk["2026-02"].graph, with_distances=False)
    degrees, bow_tie = sheet.tables[:2]
    assert degrees.rows[0][3] == found.indegrees.largest
    assert [row[1] for row in bow_tie.rows][1] == found.bow_tie.core
    names = ["graph-degrees", "graph-components", "graph-bow-tie", "graph-distances"]
    assert [figure.name for figure in sheet.figures] == names
