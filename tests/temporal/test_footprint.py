"""What a union takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.temporal.months import make_months
from webstrata.temporal.align import choose_snapshots
from webstrata.temporal.build import build_union
from webstrata.temporal.footprint import describe_footprint, describe_snapshots

if TYPE_CHECKING:
    from pathlib import Path


def test_sizes_are_those_of_the_files(tmp_path: Path) -> None:
    months = {"2026-01": (["t)/a", "t)/b?c"], [(0, 1)]), "2026-02": (["t)/a", "t)/c"], [(0, 1), (1, 0)])}
    uk = make_months(tmp_path / "uk", months)
    build_union(uk, choose_snapshots(uk))
    rows = describe_snapshots(uk.temporal)
    assert [(row.snapshot, row.pages, row.aligned, row.arcs) for row in rows] == [
        ("2026-01", 2, 1, 1),
        ("2026-02", 2, 2, 2),
    ]
    assert rows[1].graph_bits > 0
    forward, transpose = describe_footprint(uk.temporal)
    with uk.open_part("temporal") as part:
        sizes = {path.name: path.stat().st_size for path in part.path.iterdir() if path.is_file()}
    assert forward.graph_bytes == sizes["forward.graph"]
    assert forward.pointer_bytes == sizes["forward.ef"]
    assert forward.label_bytes == sizes["forward.labels"]
    assert (forward.num_arcs, forward.num_instances, transpose.num_arcs) == (2, 2, 2)
    total = forward.graph_bytes + forward.pointer_bytes + forward.label_bytes
    assert forward.bits_per_instance == pytest.approx(8 * total / 2)
