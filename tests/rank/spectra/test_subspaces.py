"""Invariant subspaces against a search from every node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rank.spectra import reference
from webstrata.errors import UsageError
from webstrata.graph import Graph
from webstrata.rank.spectra.subspaces import find_subspaces

if TYPE_CHECKING:
    from pathlib import Path


@given(lists=reference.planted(), bound=st.sampled_from([0.1, 0.3, 0.5, 0.8, 1.0]))
def test_they_are_the_closed_sets_below_the_bound(lists: reference.Lists, bound: float) -> None:
    found = find_subspaces(reference.to_graph(lists), bound=bound)
    wanted = reference.subspaces(lists, bound)
    ours = [set(found.nodes[found.weak.of_node == number].tolist()) for number in range(found.number)]
    assert sorted(map(sorted, ours)) == sorted(map(sorted, wanted))
    assert found.largest == max(map(len, wanted), default=0)
    assert sorted([*found.nodes, *found.core]) == list(range(len(lists)))


def test_sets_that_share_nodes_are_one_subspace_and_large_ones_belong_to_the_core() -> None:
    # two chains into one ring; a ladder whose nodes reach more and more, up to the bound
    ladder = [[10 + place + 1, 10 + min(place + 2, 29)] for place in range(29)] + [[39]]
    lists = [[1], [0], [0], [1], *([4 + place] for place in range(6)), *ladder]
    found = find_subspaces(reference.to_graph(lists), bound=0.3)
    assert found.nodes.tolist() == [*range(10), *range(29, 40)]
    assert found.weak.sizes.tolist() == [11, 4, 1, 1, 1, 1, 1, 1]
    assert int(found.is_closed.sum()) == 8


def test_sizes_that_the_sums_overrate_are_counted() -> None:
    # 8 diamonds one after the other: 25 nodes, but 2^8 ways, which is what the upper bound adds up
    lists: reference.Lists = []
    for place in range(8):
        lists += [[3 * place + 1, 3 * place + 2], [3 * place + 3], [3 * place + 3]]
    lists += [[24], *([node] for node in range(25, 60))]
    for bound in (0.1, 0.2, 0.25, 0.4, 0.42):
        found = find_subspaces(reference.to_graph(lists), bound=bound)
        wanted = {node for nodes in reference.subspaces(lists, bound) for node in nodes}
        assert set(found.nodes.tolist()) == wanted


def test_nodes_that_a_graph_does_not_have_are_in_neither() -> None:
    graph = Graph.from_arcs([(0, 1), (1, 0), (3, 4)], num_nodes=6)
    graph.present = np.array([True, True, False, True, True, False])
    found = find_subspaces(graph, bound=0.6)
    assert (found.num_nodes, found.nodes.tolist(), found.core.tolist()) == (4, [0, 1], [3, 4])


@pytest.mark.parametrize("bound", [0.0, -0.1, 1.5, float("nan")])
def test_a_bound_that_is_no_share_is_refused(bound: float) -> None:
    with pytest.raises(UsageError, match="must be above 0 and at most 1"):
        find_subspaces(Graph.from_arcs([(0, 1)]), bound=bound)


def test_those_of_a_real_graph_are_as_many_as_others_counted(test_data: Path) -> None:
    graph = Graph.open(test_data / "graph" / "cnr-2000")
    transpose = Graph.open(test_data / "graph" / "cnr-2000-t")
    found = find_subspaces(graph, transpose)
    assert (len(found.nodes), len(found.core), len(found.strong)) == (38_653, 286_904, 11_376)
    assert (int(found.is_closed.sum()), int(found.strong.sizes[0])) == (9_994, 855)
    assert (found.number, found.largest) == (8_864, 1_059)
