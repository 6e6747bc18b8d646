"""WIKI: the Google matrix of sections 1 and 2, κ, 2DRank, and the first pages of a real graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.graph import Graph
from webstrata.rank import Walk, cheirank, describe_plane, pagerank, two_d_rank

if TYPE_CHECKING:
    from pathlib import Path

TOP, TOP_INVERSE = (
    [60595, 60597, 285152, 318525, 247028, 236401],
    [2132, 85777, 247011, 2134, 78337, 2130],
)
"""Of cnr-2000 by igraph 1.0.0: PageRank, and that of the transpose."""
KAPPA = 8.469371


def test_pagerank_is_the_eigenvector_of_the_google_matrix_at_1() -> None:
    """Section 1, equation 1: columns have the sum 1, those of dangling nodes are 1/N; G* inverts links."""
    arcs = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 4)]
    for turned, found in ((False, pagerank), (True, cheirank)):
        adjacency = np.zeros((5, 5))
        for source, target in arcs:
            adjacency[(source, target) if turned else (target, source)] = 1
        degrees = adjacency.sum(axis=0)
        matrix = np.where(degrees > 0, adjacency / np.maximum(degrees, 1), 1 / 5)
        google = 0.85 * matrix + 0.15 / 5
        values, vectors = np.linalg.eig(google)
        leading = int(np.argmax(values.real))
        assert values[leading] == pytest.approx(1)
        assert sorted(abs(values))[-2] <= 0.85 + 1e-12
        wanted = vectors[:, leading].real / vectors[:, leading].real.sum()
        scores = found(Graph.from_arcs(arcs), tolerance=1e-13).scores
        np.testing.assert_allclose(scores, wanted, atol=1e-12)


def test_the_first_pages_of_cnr_2000_are_known(test_data: Path) -> None:
    """Nodes as igraph's prpack ranks them, and κ of its scores (section 2, equation 3)."""
    graph, turned = (Graph.open(test_data / "graph" / name) for name in ("cnr-2000", "cnr-2000-t"))
    walk = Walk(graph, transpose=turned)
    one, other = pagerank(walk, tolerance=1e-5), cheirank(walk, tolerance=1e-5)
    assert one.order[:6].tolist() == TOP
    assert other.order[:6].tolist() == TOP_INVERSE
    plane = describe_plane(one, other)
    assert plane.correlator == pytest.approx(KAPPA, abs=1e-2)
    assert plane.density.sum() == 325_557
    both = two_d_rank(one, other).order[:100]
    reached = np.maximum(one.ranks[both], other.ranks[both])
    assert (np.diff(reached.astype(int)) >= 0).all()
    assert reached[-1] >= 50  # a side of the square meets two nodes at most
