"""Supporters, counted by hashing, against balls that are grown exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.classify import reference
from tests.rank.months import graphs, to_graph
from webstrata.classify.features import supporters
from webstrata.classify.features.supporters import count_supporters
from webstrata.graph import Graph


@settings(max_examples=25)
@given(graphs, st.integers(1, 5), st.data())
def test_few_supporters_are_counted_exactly(
    lists: list[set[int]], num_sites: int, data: st.DataObject
) -> None:
    graph = to_graph(lists)
    size = len(lists)
    sites = data.draw(st.lists(st.integers(0, num_sites - 1), min_size=size, max_size=size))
    predecessors = [{source for source, row in enumerate(lists) if node in row} for node in range(size)]
    nodes = np.arange(size)
    for labels in (list(range(size)), sites):
        # with so many registers no two labels share one
        found = count_supporters(graph.transpose(), labels, nodes, registers=4096).round()
        for node in range(size):
            wanted = [
                len({labels[other] for other in reference.ball(predecessors, node, distance)}) - 1
                for distance in (1, 2, 3, 4)
            ]
            assert found[:, node].tolist() == pytest.approx(wanted, abs=1)


def test_many_supporters_are_counted_to_the_stated_error(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    size = 2000
    graph = Graph.from_arcs(
        np.c_[rng.integers(size, size=6 * size), rng.integers(size, size=6 * size)], num_nodes=size
    )
    transpose, nodes = graph.transpose(), rng.choice(size, 60, replace=False)
    matrix = graph.to_scipy(np.float32)
    reached = np.zeros((60, size), np.float32)
    reached[np.arange(60), nodes] = 1
    wanted = []
    for _ in range(4):
        reached = ((reached + reached @ matrix.T.tocsr()) > 0).astype(np.float32)
        wanted.append(reached.sum(axis=1) - 1)
    for registers in (64, 256):
        runs = [
            count_supporters(transpose, np.arange(size), nodes, registers=registers, seed=seed)
            for seed in range(4)
        ]
        errors = np.stack(runs) / np.maximum(wanted, 1) - 1
        deviation = np.sqrt((errors[:, 2:] ** 2).mean())
        assert 0.5 * 1.04 / registers**0.5 < deviation < 1.4 * 1.04 / registers**0.5
        assert abs(errors[:, 2:].mean()) < 0.6 * 1.04 / registers**0.5
    # however much is gathered at a time
    monkeypatch.setattr(supporters, "_GATHERED", 1 << 10)
    monkeypatch.setattr(supporters, "_BLOCK", 37)
    np.testing.assert_array_equal(
        count_supporters(transpose, np.arange(size), nodes[:5], registers=256, seed=3), runs[-1][:, :5]
    )


def test_a_graph_without_arcs_has_no_supporters() -> None:
    found = count_supporters(Graph.from_arcs([], num_nodes=3), np.arange(3), np.arange(3))
    assert found.max() < 0.01
