"""What loops of the core are given of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata._core import graph as core
from webstrata.graph import Graph, list_source
from webstrata.graph.bvgraph import BVGraph

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Rows


class Fewer(BVGraph):
    """A view of a graph: its files, and not all of its arcs."""

    def rows(self, start: int = 0, end: int | None = None, *, progress: Progress | None = None) -> Rows:
        offsets, targets = super().rows(start, end, progress=progress)
        return np.zeros_like(offsets), targets[:0]


def test_files_are_lent_where_rows_are_large_and_the_graph_is_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = Graph.from_arcs([(0, 1), (1, 0)]).write(tmp_path / "uk")
    assert isinstance(list_source.select_source(graph), tuple)
    monkeypatch.setattr(list_source, "ROWS", 31)  # of 3 offsets and 2 targets it takes 32 bytes
    assert not list_source.fits(graph)
    assert isinstance(list_source.select_source(graph), core.BvGraph)
    in_memory = list_source.select_source(Graph.from_arcs([(0, 1), (1, 0)]))
    view = list_source.select_source(Fewer(tmp_path / "uk"))
    assert isinstance(in_memory, tuple)
    assert isinstance(view, tuple)
    assert (len(in_memory[1]), len(view[1])) == (2, 0)


def test_rows_that_are_none_are_refused() -> None:
    for offsets, targets in (([0, 1], [1]), ([0, 2], [0]), ([1, 1], []), ([0, 1, 0], [0]), ([], [])):
        rows = np.array(offsets, np.uint64), np.array(targets, np.uint32)
        with pytest.raises(ValueError, match="rows: expected offsets"):
            core.strong_components(rows)
    with pytest.raises(ValueError, match="rows: expected those of nodes"):
        core.join_nodes(
            np.arange(2, dtype=np.uint32), (np.array([0, 1], np.uint64), np.array([2], np.uint32)), 0
        )
