"""Joined pairs are counted as a search from every node finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.graph import Graph
from webstrata.graph.structure import describe_structure, joined, strong_components
from webstrata.graph.structure.components import reachable
from webstrata.graph.structure.joined import count_joined_pairs

if TYPE_CHECKING:
    import pytest

ARCS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=60)


@given(ARCS)
def test_pairs_are_those_of_a_search_from_every_node(arcs: list[tuple[int, int]]) -> None:
    graph = Graph.from_arcs(arcs, num_nodes=15)
    wanted = sum(int(reachable(graph, [node]).sum()) - 1 for node in range(15))
    assert count_joined_pairs(graph, strong_components(graph)) == wanted


def test_a_share_is_exact_where_it_can_be_and_never_above_1(monkeypatch: pytest.MonkeyPatch) -> None:
    # a strongly connected graph of 300 nodes: counters said 1.04 ± 0.05 of all pairs
    random = np.random.default_rng(0)
    ring = [(node, (node + 1) % 300) for node in range(300)]
    graph = Graph.from_arcs([*ring, *random.integers(0, 300, (900, 2)).tolist()], num_nodes=300)
    found = describe_structure(graph).balls
    assert found is not None
    assert (found.joined_share.value, found.joined_share.error, found.joined_share.is_exact) == (
        1.0,
        0.0,
        True,
    )
    assert str(found.joined_share) == "1"
    monkeypatch.setattr(joined, "MAX_COMPONENTS", 0)
    for seed in range(8):
        estimated = describe_structure(graph, seed=seed).balls
        assert estimated is not None
        assert estimated.joined_share.value <= 1
        assert not estimated.joined_share.is_exact


def test_more_components_or_arcs_than_the_limit_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph.from_arcs([(0, 1), (1, 2), (2, 3)])
    monkeypatch.setattr(joined, "MAX_ARCS", 2)
    assert count_joined_pairs(graph, strong_components(graph)) is None
