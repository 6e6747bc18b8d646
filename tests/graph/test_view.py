"""What every graph can do, on each kind of graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.graph.view import Graph

if TYPE_CHECKING:
    from pathlib import Path

ARCS = [(source, target) for source in range(300) for target in range(source % 7, 300, 11)]


@pytest.fixture(params=["in memory", "compressed"])
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Graph:
    graph = Graph.from_arcs(ARCS)
    return graph if request.param == "in memory" else graph.write(tmp_path / "g")


def test_blocks_make_up_the_graph(graph: Graph) -> None:
    found = [
        (start + place, int(target))
        for start, (offsets, targets) in graph.iter_blocks(64)
        for place in range(len(offsets) - 1)
        for target in targets[int(offsets[place]) : int(offsets[place + 1])]
    ]
    assert found == ARCS


def test_degrees_are_lengths_of_rows(graph: Graph) -> None:
    wanted = np.bincount([source for source, _ in ARCS])
    assert graph.outdegrees().tolist() == wanted.tolist()
    assert graph.outdegree(8) == wanted[8] == len(graph.successors(8))


def test_turned_twice_is_the_same(graph: Graph) -> None:
    again = graph.transpose().transpose()
    assert [array.tolist() for array in again.rows()] == [array.tolist() for array in graph.rows()]
    assert repr(graph).endswith(f"of 300 nodes and {len(ARCS):,} arcs>")
