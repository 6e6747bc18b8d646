"""Arcs in any order, sorted in memory and in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import DiskFullError
from webstrata.graph import arc_sort
from webstrata.graph.arc_sort import ArcSorter, write_run

if TYPE_CHECKING:
    from pathlib import Path

arcs = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=200)
LEAST = 16 << 20


def found(sorter: ArcSorter) -> list[tuple[int, int, int]]:
    """Every arc with its count, after a look at how the blocks fit together."""
    end = 0
    rows: list[tuple[int, int, int]] = []
    for block in sorter.rows():
        assert block.first == end
        end += len(block.offsets) - 1
        counts = block.counts if len(block.counts) else np.ones(len(block.targets), np.uint32)
        rows += zip(block.sources().tolist(), block.targets.tolist(), counts.tolist(), strict=True)
    assert end == sorter.num_nodes
    return rows


@given(blocks=st.lists(arcs, max_size=5), counted=st.booleans(), capacity=st.integers(1, 40))
def test_arcs_come_back_in_order_and_once(
    tmp_path: Path, blocks: list[list[tuple[int, int]]], *, counted: bool, capacity: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arc_sort, "STEP", 4)
        with ArcSorter(tmp_path, num_nodes=31, memory=LEAST, counted=counted) as sorter:
            # so small that there are many runs, and ranges of a few nodes
            sorter._capacity, sorter._range = capacity, 8
            for block in blocks:
                pairs = np.array(block, np.int64).reshape(-1, 2)
                sorter.add(pairs[:, 0], pairs[:, 1])
            rows = found(sorter)
    everything = [arc for block in blocks for arc in block]
    wanted = sorted(set(everything))
    assert [(source, target) for source, target, _ in rows] == wanted
    if counted:
        assert [count for _, _, count in rows] == [everything.count(arc) for arc in wanted]
    assert list(tmp_path.iterdir()) == []


def test_runs_of_others_are_merged_and_stay(tmp_path: Path) -> None:
    write_run(tmp_path / "a", np.array([1 << 32 | 2, 3 << 32], np.uint64))
    write_run(tmp_path / "b", np.array([1 << 32 | 2, 1 << 32 | 3], np.uint64))
    write_run(tmp_path / "none", np.zeros(0, np.uint64))
    with ArcSorter(tmp_path) as sorter:
        for name in ("a", "b", "none"):
            sorter.add_run(tmp_path / name, num_nodes=4)
        assert found(sorter) == [(1, 2, 1), (1, 3, 1), (3, 0, 1)]
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("sources", "targets", "message"),
    [
        ([0, 7], [0, 0], "sources: expected numbers below the 5 nodes, got 7"),
        ([0], [-1], "targets: expected numbers below the 5 nodes, got -1"),
        ([0.5], [1], "sources: expected whole numbers, got float64"),
        ([0], [1, 2], "targets: expected the 1 of the sources, got 2"),
    ],
)
def test_numbers_that_are_no_nodes_are_refused(
    tmp_path: Path, sources: list[float], targets: list[int], message: str
) -> None:
    with ArcSorter(tmp_path, num_nodes=5) as sorter, pytest.raises(ValueError, match=message):
        sorter.add(np.array(sources), np.array(targets))
    with pytest.raises(ValueError, match="at least 16777216 bytes"):
        ArcSorter(tmp_path, memory=1)


def test_a_full_disk_is_said_and_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, keys: object) -> None:
        path.write_bytes(b"some")
        raise DiskFullError(f"{path}: the disk is full")

    monkeypatch.setattr(arc_sort, "write_run", fail)
    with ArcSorter(tmp_path, memory=LEAST, workers=9) as sorter:
        sorter._capacity = 50
        sorter.add(np.arange(100), np.arange(100))
        with pytest.raises(DiskFullError):
            found(sorter)
    assert list(tmp_path.iterdir()) == []
