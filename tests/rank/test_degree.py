"""Degrees and harmonic centrality against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np

from tests.graph.structure.test_components import to_networkx
from webstrata.graph import Graph
from webstrata.rank import harmonic, indegree, outdegree


def test_degrees_are_counted_and_weighed() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(40, size=(200, 2)), num_nodes=45)
    theirs = to_networkx(graph)
    assert indegree(graph).scores.tolist() == [theirs.in_degree(node) for node in range(45)]
    assert outdegree(graph).scores.tolist() == [theirs.out_degree(node) for node in range(45)]
    graph.weights = np.full(graph.num_arcs, 3)
    assert indegree(graph).scores.tolist() == [3 * theirs.in_degree(node) for node in range(45)]


def test_harmonic_centrality_is_near_the_exact_one() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(100, size=(300, 2)), num_nodes=100)
    exact = nx.harmonic_centrality(to_networkx(graph))
    found = harmonic(graph, registers=1024, runs=4)
    wanted = np.array([exact[node] for node in range(100)])
    assert np.abs(found.scores - wanted).max() < 0.1 * wanted.max()
    assert found.error_bound is None
    assert len(harmonic(Graph.from_arcs([])).scores) == 0
