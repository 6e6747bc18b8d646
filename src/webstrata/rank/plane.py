"""The plane of PageRank and CheiRank (WIKI, figures 1 and 2, equation 3).

Every node is a point (K, K*). Its **density** is the number of nodes in each of 100 × 100 cells that are
equally wide on a logarithmic scale: cell c holds the ranks K with c ≤ 100 ln K / ln N < c + 1, the last one N
too. The **correlator**

    κ = N Σ P(i) P*(i) − 1

is 0 where the two have nothing to do with each other. P(K) and P*(K*) are the scores by rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.caveats import MIN_PAGES, warn_few
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Rows, Table

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.rank.ranking import Ranking

CELLS = 100
LISTED = 10
"""Ranks whose scores are listed, about."""
POINTS = 300
"""Ranks at which curves are given at most."""

Curve = list[tuple[int, float]]


@dataclass(frozen=True, repr=False)
class Plane(Table):
    """How nodes are spread over ranks by PageRank and CheiRank."""

    num_nodes: int
    correlator: float
    density: npt.NDArray[np.int64]
    """Nodes in each cell: a row for each cell of K*, a column for each of K."""
    pagerank: Curve
    """Rank K and score P(K), of ranks that are evenly spread on a logarithmic scale."""
    cheirank: Curve
    level: str = "page"
    """What nodes are: page, host or domain."""

    @property
    def warnings(self) -> list[str]:
        """Why κ and the density should not be relied on."""
        return warn_few(self.num_nodes, MIN_PAGES, "node", "κ and the density of the plane say little")

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per cell that has nodes: the cell of K, that of K*, and how many nodes it has."""
        rows, columns = np.nonzero(self.density)
        cells = np.c_[columns, rows, self.density[rows, columns]].tolist()
        return [{"pagerank": one, "cheirank": other, "nodes": nodes} for one, other, nodes in cells]

    shown = 0  # of the density, which is drawn

    @property
    def summary(self) -> str:
        """What is told of all of it, in a sentence."""
        return (
            f"{tell_count(self.num_nodes, 'node')}, correlator κ = {self.correlator:.4f}; "
            f"{int((self.density > 0).sum()):,} of {self.density.size:,} cells of the plane have nodes."
        )

    def tables(self) -> dict[str, Table]:
        """The scores by rank; for programs, at more ranks, and the density."""
        curves = [
            {"rank": rank, "P(K)": score, "P*(K*)": inverse}
            for (rank, score), (_, inverse) in zip(self.pagerank, self.cheirank, strict=True)
        ]
        step = max(len(curves) // LISTED, 1)
        formats = {"P(K)": ".3e", "P*(K*)": ".3e"}
        return {
            "Scores by rank": Rows("scores by rank", curves[::step], formats=formats),
            "Scores by all ranks": Rows("scores by all ranks", curves, formats=formats, shown=0),
            "Density": self,
        }

    def to_dict(self) -> dict[str, Any]:
        """As plain data; of the density, the cells that are not empty, as [K, K*, nodes]."""
        rows, columns = np.nonzero(self.density)
        return {
            "nodes": self.num_nodes,
            "correlator": self.correlator,
            "cells": CELLS,
            "density": np.c_[columns, rows, self.density[rows, columns]].tolist(),
            "pagerank": self.pagerank,
            "cheirank": self.cheirank,
            "warnings": self.warnings,
        }


def cell(ranks: npt.NDArray[np.integer[Any]], num_nodes: int, cells: int = CELLS) -> npt.NDArray[np.int64]:
    """The cell of each rank from 1 to `num_nodes`.

    Examples
    --------
    >>> cell(np.array([1, 10, 99, 100]), 100, 4).tolist()
    [0, 2, 3, 3]
    """
    share = np.log(ranks) / np.log(max(num_nodes, 2))
    # ln 10 / ln 100 may come out just below one half
    found: npt.NDArray[np.int64] = np.clip((cells * share + 1e-9).astype(np.int64), 0, cells - 1)
    return found


def describe_plane(pagerank: Ranking, cheirank: Ranking, *, cells: int = CELLS) -> Plane:
    """Density, curves and correlator of two rankings of the same nodes.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank import cheirank, pagerank
    >>> graph = Graph.from_arcs([(0, 1), (2, 1), (1, 0)])
    >>> plane = describe_plane(pagerank(graph), cheirank(graph))
    >>> int(plane.density.sum()), round(plane.correlator, 3)
    (3, 0.042)
    """
    if len(pagerank.scores) != len(cheirank.scores):
        raise ValueError("cheirank: expected a ranking of the same nodes, got another")
    is_there = pagerank.ranks > 0
    number = int(np.count_nonzero(is_there))
    rows, columns = (cell(found.ranks[is_there], number, cells) for found in (cheirank, pagerank))
    density = np.bincount(rows * cells + columns, minlength=cells * cells).reshape(cells, cells)
    kappa = number * float(pagerank.scores @ cheirank.scores) - 1 if number else 0.0
    return Plane(number, kappa, density, _curve(pagerank), _curve(cheirank))


def _curve(found: Ranking) -> Curve:
    number = found.num_ranked
    if not number:
        return []
    ranks = np.unique(np.geomspace(1, number, POINTS).astype(np.int64))
    return [(int(rank), float(found.scores[found.order[rank - 1]])) for rank in ranks]
