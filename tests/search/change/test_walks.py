"""Personalized PageRank and HITS against references on NetworkX graphs."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.search.change import reference
from webstrata.graph.rows import RowsGraph
from webstrata.search.change.settings import RANKS, ChangesSettings
from webstrata.search.change.walks import WALKS, rank_candidates

SIZE = 6
arcs = st.dictionaries(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), st.sampled_from([0.25, 0.5, 1.0])
)
preferences = st.lists(st.floats(0.01, 1), min_size=SIZE, max_size=SIZE)


@settings(max_examples=25)
@given(arcs, preferences, st.sampled_from([0.15, 0.9]), st.sampled_from([20.0, 200.0]))
def test_walks_are_those_of_networkx(
    weights: dict[tuple[int, int], float], wanted: list[float], restart: float, supersource: float
) -> None:
    pairs = sorted(weights)
    graph = RowsGraph.from_arcs(np.array(pairs, np.int64).reshape(-1, 2), num_nodes=SIZE)
    graph.weights = np.array([weights[pair] for pair in pairs])
    plain = networkx.DiGraph()
    plain.add_nodes_from(range(SIZE))
    plain.add_weighted_edges_from((*pair, weights[pair]) for pair in pairs)
    preference = np.array(wanted) / sum(wanted)
    by = {
        rank: rank_candidates(
            graph,
            preference,
            ChangesSettings(rank=rank, restart=restart, supersource=supersource, tolerance=1e-12),
        )
        for rank in WALKS
    }
    assert by["none"].tolist() == preference.tolist()
    walked = reference.pagerank(plain, preference.tolist(), restart)
    assert by["pagerank"].tolist() == pytest.approx(walked, abs=1e-9)
    authorities, hubs = (
        np.array(scores) for scores in reference.hits(plain, preference.tolist(), supersource)
    )
    assert by["hits-authority"] == pytest.approx(authorities, abs=1e-8)
    assert by["hits-hub"] == pytest.approx(hubs, abs=1e-8)
    mean = (by["pagerank"] / by["pagerank"].max() + by["hits-authority"]) / 2
    assert by["combined"] == pytest.approx(mean)
    assert by["hits"] == pytest.approx((authorities + hubs) / 2, abs=1e-8)
    assert {*WALKS, "new-text"} == set(RANKS)
