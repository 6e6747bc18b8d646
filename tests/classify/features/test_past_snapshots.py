"""Which snapshots are looked back at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.classify.features.past_snapshots import choose_earlier, find_earlier
from webstrata.errors import MissingError, SettingError

if TYPE_CHECKING:
    from pathlib import Path


def test_snapshots_without_the_parts_are_passed_over_unless_they_are_named(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    months = [uk.add(f"2026-0{month}") for month in (3, 4, 5, 6)]
    for month in (months[0], months[1]):
        with month.write_part("graph"):
            pass
    june = months[3]

    def labels(*named: str, last_alone: bool = True) -> list[str]:
        return [some.date for some in find_earlier(june, named, ["graph"], last_alone=last_alone)]

    assert labels() == ["2026-04"]
    assert labels(last_alone=False) == labels("all") == ["2026-03", "2026-04"]
    assert labels("2026-04", "2026-03") == ["2026-03", "2026-04"]
    with pytest.raises(MissingError, match=r"2026-05: no part graph"):
        labels("2026-05")
    with pytest.raises(MissingError, match="2025-01"):
        labels("2025-01")
    with pytest.raises(SettingError, match="2026-06 is not before 2026-06"):
        labels("2026-06")
    with pytest.raises(SettingError, match="stands alone"):
        labels("all", "2026-04")
    with pytest.raises(MissingError, match="no earlier snapshot with graph to compare it with"):
        choose_earlier(months[0], [], ["graph"])
