"""2DRank (WIKI): one order of the nodes from two, by a square that grows.

Nodes are points (K, K*) in the plane of their ranks by PageRank and CheiRank. A square grows from 1 on, by a
step a time: **first in K**, and the node of rank K = s counts if its K* ≤ s; **then in K***, and the node of
rank K* = s counts if its K < s. The nodes in the order in which they are counted have K₂ = 1, 2, …; each is
counted when the square has reached the larger of its ranks, so that K₂ is the order by

    (max(K, K*), whether K < K*).

There is at most one node for each such pair. As a score, a node has 1 / K₂.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.rank.ranking import Ranking

if TYPE_CHECKING:
    import numpy.typing as npt


def two_d_order(
    ranks: npt.NDArray[np.uint32], inverse_ranks: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint32]:
    """The nodes in the order of 2DRank, from their ranks K and K*; those of rank 0 are left out.

    Examples
    --------
    >>> two_d_order(np.array([1, 2, 3], np.uint32), np.array([3, 2, 1], np.uint32)).tolist()
    [1, 2, 0]
    """
    if ranks.shape != inverse_ranks.shape or ((ranks == 0) != (inverse_ranks == 0)).any():
        raise ValueError("ranks: expected two of the same nodes, got others")
    reached = np.maximum(ranks, inverse_ranks).astype(np.uint64)
    keys = 2 * reached + (ranks < inverse_ranks)
    order = np.argsort(keys, kind="stable").astype(np.uint32)
    return order[np.count_nonzero(ranks == 0) :]


def two_d_rank(pagerank: Ranking, cheirank: Ranking) -> Ranking:
    """2DRank of the nodes of a graph, from two rankings of them.

    Examples
    --------
    >>> one, other = Ranking("pagerank", np.array([3.0, 2, 1])), Ranking("cheirank", np.array([1.0, 2, 3]))
    >>> [(place.node, place.rank, place.score) for place in two_d_rank(one, other).top(2)]
    [(1, 1, 1.0), (2, 2, 0.5)]
    """
    order = two_d_order(pagerank.ranks, cheirank.ranks)
    scores = np.zeros(len(pagerank.scores))
    scores[order] = 1 / np.arange(1, len(order) + 1)
    return Ranking(
        "2drank",
        scores,
        0.0,
        pagerank.iterations + cheirank.iterations,
        pagerank.settings,
        pagerank.present,
        pagerank.names,
    )
