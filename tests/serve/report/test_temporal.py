"""The sheet of time has tables 1 to 3 of TIME as the union has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.serve.report.sheet import Missing, Sheet
from webstrata.serve.report.temporal import make_times

if TYPE_CHECKING:
    from pathlib import Path


def test_tables_are_those_of_the_union(whole: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = make_times(uk)
    assert isinstance(sheet, Sheet)
    facts = uk.temporal.facts
    sizes, hosts, urls, aligned = sheet.tables[:4]
    footprint = next(table for table in sheet.tables if table.title.startswith("Size of the union"))
    ages = sheet.tables[-1]
    assert [row[3] for row in sizes.rows] == facts.pages == [282, 287]
    assert hosts.rows[1] == ["2026-02", None, facts.hosts[1][1]]
    assert urls.rows[0] == ["2026-01", *facts.urls[0]]
    assert [row[2] for row in aligned.rows] == facts.aligned
    assert sum(row[1] for row in ages.rows) == uk.temporal.forward.num_arcs
    assert footprint.columns == ["", "forward", "transpose"]
    names = [figure.name for figure in sheet.figures]
    assert names == ["time-hosts", "time-urls", "time-survival", "time-ages"]
    assert any("there are two snapshots" in note for note in sheet.notes)
    (curve,) = (table for table in sheet.tables if table.title == "Survival")
    assert 0 < curve.rows[0][curve.columns.index("pages, %")] < 100


def test_one_snapshot_has_no_union(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    uk.add("2026-06")
    (missing,) = make_times(uk)
    assert isinstance(missing, Missing)
    assert missing.why == "it takes two snapshots, and there is 1"
    # a command that brings a second one, and goes through all stages
    assert missing.command == f"webstrata run {uk.path} --snapshots 2026-06,SNAPSHOT --seeds seeds.txt"
