"""NetworKit and igraph find the same as we do among the first 50 000 nodes of cnr-2000."""

from __future__ import annotations

from typing import TYPE_CHECKING

import igraph
import networkit as nk
import numpy as np
import pytest

from webstrata.graph import Graph
from webstrata.graph.structure import distances, indegrees, strong_components, weak_components
from webstrata.rank import pagerank

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer

NUM_NODES = 50_000


@pytest.fixture(scope="module")
def graph(test_data: Path) -> Graph:
    offsets, targets = Graph.open(test_data / "graph" / "cnr-2000").rows(0, NUM_NODES)
    sources = np.repeat(np.arange(NUM_NODES), np.diff(offsets).astype(np.int64))
    kept = targets < NUM_NODES
    return Graph.from_arcs(np.stack([sources[kept], targets[kept]], axis=1), num_nodes=NUM_NODES)


@pytest.fixture(scope="module")
def arcs(graph: Graph) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    offsets, targets = graph.rows()
    sources = np.repeat(np.arange(graph.num_nodes), np.diff(offsets).astype(np.int64))
    return np.stack([sources, targets.astype(np.int64)], axis=1)


@pytest.fixture(scope="module")
def in_igraph(graph: Graph, arcs: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> igraph.Graph:
    return igraph.Graph(n=graph.num_nodes, edges=arcs, directed=True)


@pytest.fixture(scope="module")
def in_networkit(graph: Graph, arcs: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> nk.Graph:
    sources, targets = (np.ascontiguousarray(side, dtype=np.uint64) for side in arcs.T)
    return nk.GraphFromCoo((sources, targets), n=graph.num_nodes, directed=True)


def test_igraph_finds_the_same_components_and_degrees(graph: Graph, in_igraph: igraph.Graph) -> None:
    strong, weak = strong_components(graph), weak_components(graph)
    for ours, mode in ((strong, "strong"), (weak, "weak")):
        theirs = in_igraph.connected_components(mode=mode)
        assert sorted(theirs.sizes(), reverse=True) == ours.sizes.tolist()
        assert len(set(zip(theirs.membership, ours.of_node.tolist(), strict=True))) == len(ours)
    assert in_igraph.indegree() == indegrees(graph).tolist()
    assert in_igraph.outdegree() == graph.outdegrees().tolist()


def test_networkit_finds_the_same_components_and_distances(graph: Graph, in_networkit: nk.Graph) -> None:
    theirs = nk.components.StronglyConnectedComponents(in_networkit)
    theirs.run()
    ours = strong_components(graph)
    assert len(set(zip(theirs.getPartition().getVector(), ours.of_node.tolist(), strict=True))) == len(ours)
    for node in np.random.default_rng(1).integers(graph.num_nodes, size=5).tolist():
        search = nk.distance.BFS(in_networkit, node)
        search.run()
        found = distances(graph, [node]).astype(float)
        # it writes the largest number where there is no way
        np.testing.assert_array_equal(np.where(found < 0, np.finfo(float).max, found), search.getDistances())


def test_igraph_and_networkit_find_the_same_pagerank(
    graph: Graph, in_igraph: igraph.Graph, in_networkit: nk.Graph
) -> None:
    ours = pagerank(graph, tolerance=1e-10).scores
    theirs = np.array(in_igraph.pagerank(damping=0.85, implementation="prpack"))
    assert np.abs(ours - theirs).sum() < 1e-9
    sinks = nk.centrality.SinkHandling.DistributeSinks
    score = nk.centrality.PageRank(in_networkit, damp=0.85, tol=1e-11, distributeSinks=sinks)
    score.norm = nk.centrality.Norm.L1_NORM
    score.run()
    assert np.abs(ours - np.array(score.scores())).sum() < 1e-9
