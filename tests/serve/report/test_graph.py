"""The sheets of graphs: a row for each, and the structure of all as `graph stats` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.graph.structure import describe_structure
from webstrata.serve.report.graph import join_structures, make_graphs
from webstrata.serve.report.kept import KINDS, read_sheets
from webstrata.serve.report.sheet import Missing, Sheet

if TYPE_CHECKING:
    from pathlib import Path


def test_every_graph_has_a_row_and_what_has_none_is_named(copied: ws.Collection) -> None:
    copied.add("2026-03")
    sheet, missing = make_graphs(copied)
    assert isinstance(sheet, Sheet)
    assert [row[:3] for row in sheet.tables[0].rows] == [["2026-01", 282, 6894], ["2026-02", 287, 6946]]
    assert missing == Missing("the graph of 2026-03", f"webstrata build {copied.path} 2026-03 graph")


def test_the_structure_of_every_snapshot_has_its_row_and_the_rest_is_of_the_newest(whole: Path) -> None:
    uk = ws.open(whole)
    sheets = [one for one in read_sheets(uk, KINDS["structure"], uk.states()) if isinstance(one, Sheet)]
    sheet = join_structures(sheets)
    assert sheet.title == "Structure of 2026-02"
    moments, degrees, _, bow_tie = sheet.tables[:4]
    assert [row[:3] for row in moments.rows] == [["2026-01", 282, 6894], ["2026-02", 287, 6946]]
    found = describe_structure(uk["2026-02"].graph, with_distances=False)
    assert degrees.rows[0][3] == found.indegrees.largest
    assert [row[1] for row in bow_tie.rows][1] == found.bow_tie.core
    names = ["degrees-through-time", "bow-tie-through-time", "degrees", "components", "bow-tie", "distances"]
    assert [figure.name for figure in sheet.figures] == [f"graph-{name}" for name in names]
    wings = sheet.figures[1].spec["data"]["values"]
    for label in uk.dates:
        assert abs(sum(row["share"] for row in wings if row["snapshot"] == label) - 1) < 1e-9
    # nothing moves where there is one snapshot
    assert len(join_structures(sheets[-1:]).figures) == 4
