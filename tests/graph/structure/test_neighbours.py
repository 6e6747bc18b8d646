"""Reciprocity and clustering against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from tests.graph.structure.test_components import to_networkx
from webstrata.graph import Graph
from webstrata.graph.structure import Share, count_neighbours, neighbours, sample_clustering


@pytest.fixture(scope="module")
def graph() -> Graph:
    rng = np.random.default_rng(5)
    near = rng.integers(200, size=800)
    arcs = np.c_[near, (near + rng.integers(6, size=800)) % 200]
    return Graph.from_arcs(np.r_[arcs, arcs[:300, ::-1]], num_nodes=210)


def test_arcs_that_come_back_are_counted(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "BLOCK", 17)
    theirs = to_networkx(graph)
    found = count_neighbours(graph, graph.transpose())
    assert found.num_loops == nx.number_of_selfloops(theirs) > 0
    theirs.remove_edges_from(list(nx.selfloop_edges(theirs)))
    assert found.reciprocity == pytest.approx(nx.reciprocity(theirs))
    undirected = theirs.to_undirected()
    assert found.counts.tolist() == [undirected.degree(node) for node in range(graph.num_nodes)]


def test_clustering_is_within_its_interval(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_NEIGHBOURS", 100)
    transpose = graph.transpose()
    undirected = to_networkx(graph).to_undirected()
    undirected.remove_edges_from(list(nx.selfloop_edges(undirected)))
    hubs = [node for node in undirected if undirected.degree(node) >= 2]
    found = sample_clustering(
        graph, transpose, count_neighbours(graph, transpose).counts, sample=10_000, seed=2
    )
    for share, wanted in (
        (found.transitivity, nx.transitivity(undirected)),
        (found.coefficient, nx.average_clustering(undirected, hubs)),
    ):
        assert share.low < wanted < share.high
        assert share.high - share.low < 0.025
        assert share.sample == 10_000


def test_graphs_without_wedges_have_no_sample() -> None:
    graph = Graph.from_arcs([(0, 1)])
    found = sample_clustering(graph, graph.transpose(), np.array([1, 1]))
    assert found.transitivity == found.coefficient == Share(0.0, 0.0, 1.0, 0)
