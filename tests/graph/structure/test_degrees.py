"""Degrees of graphs whose degrees are known."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.graph import Graph
from webstrata.graph.structure import describe_degrees, indegrees, outdegrees


def test_degrees_are_counted_over_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    arcs = np.random.default_rng(1).integers(50, size=(300, 2))
    graph = Graph.from_arcs(arcs, num_nodes=60)
    blocks = type(graph).iter_blocks
    monkeypatch.setattr(type(graph), "iter_blocks", lambda self: blocks(self, 7))
    pairs = {(int(source), int(target)) for source, target in arcs}
    assert outdegrees(graph).tolist() == [sum(u == node for u, _ in pairs) for node in range(60)]
    assert indegrees(graph).tolist() == [sum(v == node for _, v in pairs) for node in range(60)]


def test_a_distribution_has_its_law() -> None:
    places = (np.arange(20_000) + 0.5) / 20_000
    degrees = np.r_[np.zeros(100, int), (2 * places ** (-1 / 1.1)).astype(int)]
    found = describe_degrees(degrees)
    assert found.num_zeros == 100
    assert sum(count for _, count in found.counts) == len(degrees)
    assert found.law is not None
    assert found.law.exponent == pytest.approx(2.1, abs=0.03)
    assert describe_degrees([]).largest == 0
