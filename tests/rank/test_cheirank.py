"""CheiRank is PageRank of the graph turned round."""

from __future__ import annotations

import numpy as np

from webstrata.graph import Graph
from webstrata.rank import cheirank, pagerank


def test_cheirank_is_pagerank_of_the_transpose() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(300, size=(1500, 2)), num_nodes=310)
    found = cheirank(graph, tolerance=1e-12)
    np.testing.assert_array_equal(found.scores, pagerank(graph.transpose(), tolerance=1e-12).scores)
    assert found.method == "cheirank"
    ring = Graph.from_arcs([(0, 1), (1, 2), (2, 0)])
    np.testing.assert_allclose(cheirank(ring).scores, 1 / 3)
