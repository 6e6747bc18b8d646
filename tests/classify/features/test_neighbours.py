"""Values of neighbours against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.classify.small_graphs import graph_pairs, list_successors, mean_and_variance
from webstrata.classify.features.neighbours import NeighbourRows
from webstrata.graph import Graph


@given(graph_pairs(), st.data())
def test_rows_are_put_together_as_plain_python_does(pair: tuple[Graph, Graph], data: st.DataObject) -> None:
    graph = pair[0]
    number = graph.num_nodes
    values = st.one_of(st.just(math.nan), st.floats(-1e6, 1e6))
    some = np.array(data.draw(st.lists(values, min_size=number, max_size=number)))
    ranks = np.array(data.draw(st.permutations(range(number))), np.uint32)
    rows = NeighbourRows(graph)
    means, variances = rows.moments(some)
    smallest = rows.smallest(ranks, empty=99)
    for node, successors in enumerate(list_successors(graph)):
        assert smallest[node] == min((ranks[other] for other in successors), default=99)
        wanted = mean_and_variance([float(some[other]) for other in successors])
        assert (means[node], variances[node]) == pytest.approx(wanted, nan_ok=True, rel=1e-9, abs=1e-6)


def test_variances_of_values_that_hardly_differ_keep_their_digits() -> None:
    graph = Graph.from_arcs([(0, 1), (0, 2)])
    _, variances = NeighbourRows(graph).moments(np.array([0.0, 1e8, 1e8 + 1]))
    assert variances[0] == 0.25
