"""Where payloads move when captures go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.pipeline.revisits import URLS, make
from webstrata.store.moves import plan_moves

if TYPE_CHECKING:
    from pathlib import Path


def test_the_oldest_revisit_gets_the_payload_and_the_others_refer_to_it(tmp_path: Path) -> None:
    uk = make(tmp_path)
    plan = plan_moves(uk, uk.dates[1:], lambda label, _entry: label == "2026-04")
    sources = [move.source.entry.url for move in plan["2026-05"].values() if move.source]
    assert sorted(sources) == [URLS[0], URLS[2]]
    assert sorted(move.refers_to for move in plan["2026-06"].values()) == [
        (URLS[0], "2026-05-01T00:00:00.000000Z"),
        (URLS[3], "2026-05-01T00:00:01.000000Z"),
    ]
    nothing = plan_moves(uk, uk.dates, lambda _label, _entry: False)
    assert not any(nothing.values())
