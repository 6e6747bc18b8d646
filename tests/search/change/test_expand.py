"""Neighbours against a plain loop over arcs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.change import reference
from webstrata.graph import Graph
from webstrata.search.change.expand import expand

SIZE = 9
numbers = st.lists(st.integers(0, 4).map(float), min_size=SIZE, max_size=SIZE)


@given(
    st.sets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1))),
    st.lists(st.integers(0, SIZE - 1), unique=True),
    numbers,
    numbers,
    st.integers(0, SIZE),
)
def test_the_best_neighbours_are_those_of_the_plain_loop(
    arcs: set[tuple[int, int]], seeds: list[int], texts: list[float], changes: list[float], number: int
) -> None:
    graph = Graph.from_arcs(sorted(arcs) or np.zeros((0, 2), int), num_nodes=SIZE)
    change = np.array(changes)
    own = np.array(seeds, np.int64)
    found = expand(
        [graph, graph.transpose()],
        own,
        np.array(texts[: len(seeds)]),
        change[own],
        lambda nodes: change[nodes],
        number,
    )
    wanted = reference.expand(arcs, seeds, texts, changes, number)
    assert found.nodes.tolist() == [node for node, _ in wanted]
    assert found.scores.tolist() == pytest.approx([score for _, score in wanted])
    for node, score, through in zip(found.nodes, found.scores, found.through, strict=True):
        seed = seeds[through]
        assert (seed, node) in arcs or (node, seed) in arcs
        assert score == pytest.approx(texts[through] + changes[seed] + changes[node])
