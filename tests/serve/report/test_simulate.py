"""The sheets of simulated crawls have the table and the curves that are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.serve.report.sheet import Missing, Sheet
from webstrata.serve.report.simulate import make_harvests

if TYPE_CHECKING:
    from pathlib import Path


def test_what_each_policy_brought_in_is_told(whole: Path, tmp_path: Path) -> None:
    uk = ws.open(whole)
    (sheet,) = make_harvests(uk)
    assert isinstance(sheet, Sheet)
    rows = {row[0]: row for row in sheet.tables[0].rows}
    found = {row.policy: row for row in uk["2026-02"].simulation().rows()}
    assert set(rows) == {"breadth-first", "oracle"}
    for policy, row in rows.items():
        assert row[3].startswith(f"{found[policy].values['harvest'][0]:.4f}")
    assert len(sheet.figures) == 3
    (missing,) = make_harvests(ws.create(tmp_path / "fr"))
    assert isinstance(missing, Missing)
