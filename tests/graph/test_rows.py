"""Graphs in memory, against sets of pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.graph.rows import RowsGraph

pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)))


@given(arcs=pairs, extra=st.integers(0, 3), data=st.data())
def test_a_graph_has_its_arcs_and_no_others(
    arcs: list[tuple[int, int]], extra: int, data: st.DataObject
) -> None:
    num_nodes = max((max(arc) for arc in arcs), default=-1) + 1 + extra
    graph = RowsGraph.from_arcs(arcs, num_nodes=num_nodes)
    assert (graph.num_nodes, graph.num_arcs) == (num_nodes, len(set(arcs)))
    asked = data.draw(st.lists(st.integers(0, num_nodes - 1))) if num_nodes else []
    offsets, targets = graph.batch_successors(asked)
    for place, node in enumerate(asked):
        row = targets[int(offsets[place]) : int(offsets[place + 1])].tolist()
        assert row == sorted({target for source, target in arcs if source == node})
    turned = graph.transpose()
    assert {(int(v), u) for u in range(num_nodes) for v in turned.successors(u)} == set(arcs)


@pytest.mark.parametrize(
    ("arcs", "num_nodes", "message"),
    [
        ([(0, -1)], None, "got -1"),
        ([(0, 7)], 3, "expected numbers below the 3 nodes of the graph, got 7"),
        ([0, 1], None, "expected pairs"),
        ([(0.5, 1)], None, "pairs of whole numbers"),
    ],
)
def test_arcs_that_are_none_are_refused(arcs: object, num_nodes: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RowsGraph.from_arcs(arcs, num_nodes=num_nodes)  # type: ignore[arg-type]
