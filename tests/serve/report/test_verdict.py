"""The verdict on crawls of a synthetic web."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.serve.report.sheet import Sheet, SheetTable
from webstrata.serve.report.truth import COLUMNS
from webstrata.serve.report.verdict import judge_crawls

if TYPE_CHECKING:
    from pathlib import Path


def test_months_that_are_not_those_of_the_truth_fail(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    assert not judge_crawls(uk, ["2026-01"]).is_right
    rows = [
        ["2026-01", "nodes", 9, 10, 1, 0, "differs"],
        ["2026-01", "requests", 50, None, None, 2, "not polite: 2 violations"],
    ]
    snapshot = uk.add("2026-01")
    for name in ("truth", "urls", "graph"):
        with snapshot.write_part(name) as build:
            (build.path / "a").touch()
    with snapshot.write_part("sheet-truth") as build:
        sheet = Sheet(
            "truth", "Truth of 2026-01", tables=[SheetTable("Crawl compared with the truth", COLUMNS, rows)]
        )
        (build.path / "sheet.json").write_bytes(sheet.to_bytes())
    verdict = judge_crawls(uk, ["2026-01"])
    assert not verdict.is_right
    assert verdict.lines == [
        "2026-01: of 10 nodes 1 were missed, and 0 are wrong.",
        "2026-01: 50 requests, not polite: 2 violations.",
    ]
