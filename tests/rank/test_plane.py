"""Density, curves and correlator of the plane."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.graph import Graph
from webstrata.rank import Ranking, cheirank, describe_plane, pagerank
from webstrata.rank.plane import cell


def test_every_node_is_in_the_cell_of_its_ranks() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(500, size=(3000, 2)), num_nodes=510)
    one, other = pagerank(graph), cheirank(graph)
    plane = describe_plane(one, other)
    wanted = np.zeros((100, 100), int)
    for k, inverse in zip(one.ranks.tolist(), other.ranks.tolist(), strict=True):
        column, row = (min(int(100 * np.log(rank) / np.log(510) + 1e-9), 99) for rank in (k, inverse))
        wanted[row, column] += 1
    np.testing.assert_array_equal(plane.density, wanted)
    assert plane.correlator == pytest.approx(510 * (one.scores * other.scores).sum() - 1)
    assert plane.pagerank[0] == (1, one.scores.max())
    assert plane.pagerank[-1] == (510, one.scores.min())
    document = plane.to_dict()
    assert sum(nodes for _, _, nodes in document["density"]) == 510


def test_independent_and_equal_scores_have_the_correlators_of_their_formula() -> None:
    even = Ranking("pagerank", np.full(4, 0.25))
    assert describe_plane(even, even).correlator == 0
    one = Ranking("pagerank", np.array([1.0, 0, 0, 0]))
    assert describe_plane(one, one).correlator == 3
    present = np.array([True, True, False, False])
    halves = Ranking("pagerank", np.array([0.5, 0.5, 0, 0]), present=present)
    assert describe_plane(halves, halves).correlator == 0
    assert describe_plane(halves, halves).density.sum() == 2
    with pytest.raises(ValueError, match="same nodes"):
        describe_plane(even, Ranking("cheirank", np.ones(1)))


def test_cells_are_equally_wide_on_a_logarithmic_scale() -> None:
    assert cell(np.array([1, 2, 10, 11, 100]), 100, 2).tolist() == [0, 0, 1, 1, 1]
    assert cell(np.array([1]), 1).tolist() == [0]


def test_a_plane_of_few_nodes_is_warned_of() -> None:
    even = Ranking("pagerank", np.full(4, 0.25))
    plane = describe_plane(even, even)
    assert plane.warnings == [
        "computed from 4 nodes, fewer than 30: κ and the density of the plane say little"
    ]
    assert plane.to_dict()["warnings"] == plane.warnings
    many = Ranking("pagerank", np.full(40, 0.025))
    assert describe_plane(many, many).warnings == []
