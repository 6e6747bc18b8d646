"""TrustRank and truncated PageRank against their sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rank import reference
from tests.rank.months import graphs, to_graph
from webstrata.errors import UsageError
from webstrata.graph import Graph
from webstrata.rank import cheirank, choose_seeds, truncated_pagerank, trustrank


@settings(max_examples=30)
@given(lists=graphs, levels=st.integers(0, 4))
def test_truncated_pagerank_leaves_near_supporters_out(lists: list[set[int]], levels: int) -> None:
    found = truncated_pagerank(to_graph(lists), levels=levels, tolerance=1e-12)
    wanted = reference.truncated([sorted(row) for row in lists], 0.85, levels)
    assert np.abs(found.scores - wanted).sum() < 1e-11


@settings(max_examples=30)
@given(lists=graphs)
def test_trust_comes_from_those_who_are_trusted(lists: list[set[int]]) -> None:
    trusted = list(range(0, len(lists), 3))
    found = trustrank(to_graph(lists), [*trusted, trusted[0]], tolerance=1e-12)
    preference = np.zeros(len(lists))
    preference[trusted] = 1 / len(trusted)
    wanted = reference.pagerank([sorted(row) for row in lists], 0.85, preference)
    assert np.abs(found.scores - wanted).sum() < 1e-12


def test_seeds_are_those_of_largest_inverse_pagerank() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(30, size=(90, 2)), num_nodes=30)
    assert choose_seeds(graph, 3) == cheirank(graph).order[:3].tolist()
    with pytest.raises(UsageError, match="trusted"):
        trustrank(graph, [])
    with pytest.raises(UsageError, match="levels"):
        truncated_pagerank(graph, levels=-1)
