"""HITS against its equations, and against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from tests.graph.structure.test_components import to_networkx
from tests.rank import reference
from tests.rank.months import graphs, to_graph
from webstrata.errors import UsageError
from webstrata.graph import Graph
from webstrata.rank import hits


@settings(max_examples=30)
@given(lists=graphs)
def test_a_supersource_gives_by_preference(lists: list[set[int]]) -> None:
    preference = np.arange(1.0, len(lists) + 1)
    found = hits(to_graph(lists), preference=preference, supersource=30, tolerance=1e-12)
    wanted = reference.hits([sorted(row) for row in lists], 30, preference / preference.sum(), 500)
    for ranking, scores in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ranking.scores, scores, atol=1e-9)
        assert ranking.scores.max() == 1
        assert ranking.error_bound is None


def test_networkx_finds_the_same_hubs_and_authorities() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(60, size=(500, 2)), num_nodes=60)
    hubs, authorities = nx.hits(to_networkx(graph), tol=1e-13, max_iter=2000)
    found = hits(graph, tolerance=1e-13)
    for ranking, theirs in ((found.hubs, hubs), (found.authorities, authorities)):
        scores = np.array([theirs[node] for node in range(60)])
        np.testing.assert_allclose(ranking.scores, scores / scores.max(), atol=1e-7)


def test_a_graph_without_arcs_ends_at_once() -> None:
    found = hits(Graph.from_arcs([], num_nodes=2))
    assert found.authorities.scores.tolist() == found.hubs.scores.tolist() == [0.0, 0.0]
    assert len(hits(Graph.from_arcs([])).hubs.scores) == 0
    with pytest.raises(UsageError, match="supersource"):
        hits(Graph.from_arcs([(0, 1)]), supersource=-1)
