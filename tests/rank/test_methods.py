"""Every method by its name."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.errors import UsageError
from webstrata.graph import Graph
from webstrata.rank import RankSettings, cheirank, make_walk, pagerank, rank_walk
from webstrata.rank.settings import METHODS, USED, WITH_PREFERENCE


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ranks_every_node(method: str) -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(30, size=(90, 2)), num_nodes=33)
    preference = np.arange(33.0) if method in WITH_PREFERENCE else None
    settings = RankSettings(method=method, tolerance=1e-6)
    found = rank_walk(make_walk(graph), settings, preference=preference)
    assert sorted(found.ranks.tolist()) == list(range(1, 34))
    assert found.method == method
    assert set(USED[method]) <= set(found.settings)
    with pytest.raises(UsageError, match="no nodes"):
        rank_walk(make_walk(Graph.from_arcs([])), settings)
    if method in WITH_PREFERENCE:
        with pytest.raises(UsageError, match="preference"):
            rank_walk(make_walk(graph), settings)


def test_settings_reach_the_measure() -> None:
    graph = Graph.from_arcs([(0, 1), (2, 1), (1, 0), (1, 3)])
    for method, function in (("pagerank", pagerank), ("cheirank", cheirank)):
        settings = RankSettings(method=method, alpha=0.5, tolerance=1e-12, solver="power")
        found = rank_walk(make_walk(graph), settings)
        wanted = function(graph, alpha=0.5, tolerance=1e-12, solver="power")
        np.testing.assert_array_equal(found.scores, wanted.scores)
        assert found.settings["alpha"] == 0.5
