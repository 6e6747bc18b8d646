"""Sheets that are kept: stale when what they were made of changed, or missing with a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.serve.report.kept import KINDS, build_sheet, find_holders, read_sheets
from webstrata.serve.report.sheet import Missing, Sheet

if TYPE_CHECKING:
    import webstrata as ws


def test_a_sheet_that_is_older_than_its_graph_says_so(copied: ws.Collection) -> None:
    snapshot = copied["2026-02"]
    with snapshot.write_part("graph") as build:
        (build.path / "a").touch()
    _, sheet = read_sheets(copied, KINDS["structure"], copied.states())
    assert isinstance(sheet, Sheet)
    renew = f"webstrata run {copied.path} --last sheets"
    assert sheet.notes[-1] == f"Stale: 2026-02/graph changed since; `{renew}` renews it."


def test_a_sheet_that_is_not_there_is_missing_with_the_command_that_makes_it(copied: ws.Collection) -> None:
    copied["2026-02"].parts.remove("sheet-summaries")
    command = f"webstrata run {copied.path} --last sheets"
    assert read_sheets(copied, KINDS["summaries"], copied.states()) == [
        Missing("the figures of SUM of 2026-02", command)
    ]
    build_sheet(copied["2026-02"], KINDS["summaries"])
    assert isinstance(read_sheets(copied, KINDS["summaries"], copied.states())[0], Sheet)


def test_the_newest_snapshot_that_has_what_is_needed_has_the_sheet(copied: ws.Collection) -> None:
    copied.add("2026-03")
    assert [s.date for s in find_holders(copied, KINDS["plane"])] == ["2026-02"]
    assert [s.date for s in find_holders(copied, KINDS["duplicates"])] == ["2026-01", "2026-02"]
    for label in ("2026-01", "2026-02"):
        copied[label].parts.remove("truth")
    copied.parts.remove("sheet-evaluation")
    (missing,) = read_sheets(copied, KINDS["evaluation"], copied.states())
    assert isinstance(missing, Missing)
    assert missing.command.endswith("--topics TEXT --judgements TEXT --last sheets")
    copied["2026-02"].parts.remove("rank-2drank")
    (missing,) = read_sheets(copied, KINDS["trajectories"], copied.states())
    assert isinstance(missing, Missing)
    assert missing.why == "what it is made from is missing"
