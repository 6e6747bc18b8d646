"""PageRank (Page, Brin, Motwani, Winograd 1999): where a surfer is who follows links, and jumps now and then.

With probability α the surfer follows one of the arcs of the node, all alike; otherwise, and always from a
node without arcs, the next node is drawn from the preference v. The scores are the only x with Σ x = 1 and

    x(i) = α Σ x(j) / d(j) over j → i  +  (α D + 1 − α) v(i),   D = Σ x(j) over j with d(j) = 0.

They are found by repeating that step from x = v. A step is a contraction by α, so after one that changed x by
δ (the sum of all changes) the scores are within **α / (1 − α) δ** of the solution, in the sum of all
differences. That bound is what is compared with the tolerance and what `PageRank.error` says; rounding, some
10⁻¹⁵, comes on top.

Every score is the sum over its predecessors in order, and sums over nodes are made in fixed blocks: the bits
of the result do not depend on the number of threads. Memory: the rows of the transpose, 4 bytes an arc and 8
a node, and 28 bytes a node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import rank as core
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.graph.view import Graph

    Scores = npt.NDArray[np.float64]

_LEAST = 1e-15
"""Below this a bound says nothing: rounding is larger."""


@dataclass(frozen=True)
class PageRank:
    """The scores of all nodes, and how exact they are."""

    scores: Scores
    iterations: int
    error: float
    """The sum of all differences to the true scores is at most this."""

    def top(self, number: int = 10) -> list[tuple[int, float]]:
        """The nodes of largest score, with it; ties by number.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> [node for node, _ in pagerank(Graph.from_arcs([(0, 1), (2, 1)])).top(2)]
        [1, 0]
        """
        order = np.lexsort((np.arange(len(self.scores)), -self.scores))[:number]
        return [(int(node), float(self.scores[node])) for node in order]


def pagerank(
    graph: Graph,
    *,
    alpha: float = 0.85,
    preference: npt.ArrayLike | None = None,
    tolerance: float = 1e-9,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> PageRank:
    """The PageRank of each node.

    Parameters
    ----------
    graph
        Any graph.
    alpha
        How likely the surfer follows an arc; from 0 to below 1.
    preference
        Where the surfer jumps: a number of at least 0 for each node, brought to the sum 1; else all alike.
    tolerance
        How far the scores may be from the true ones, in the sum of all differences.
    transpose
        The graph with all arcs turned round, where it is at hand.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = pagerank(Graph.from_arcs([(0, 1), (1, 0), (2, 0)]))
    >>> found.scores.round(4).tolist()
    [0.4865, 0.4635, 0.05]
    >>> found.error <= 1e-9
    True
    """
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha: expected a number from 0 to below 1, got {alpha}")
    if not tolerance >= _LEAST:
        raise ValueError(f"tolerance: expected at least {_LEAST}, got {tolerance}")
    num_nodes = graph.num_nodes
    if not num_nodes or (graph.present is not None and not graph.present.any()):
        return PageRank(np.zeros(num_nodes), 0, 0.0)
    if graph.present is not None:
        # who jumps lands on a node that is there
        preference = graph.present * np.asarray(1.0 if preference is None else preference)
    jumps = None if preference is None else _normalize(preference, num_nodes)
    progress = progress or Progress()
    outdegrees = graph.outdegrees()
    rows = (transpose or graph.transpose()).rows(progress=progress)
    scores = np.full(num_nodes, 1 / num_nodes) if jumps is None else jumps.copy()
    factor = alpha / (1 - alpha)
    # δ is at most 2 and falls by α at least; where rounding keeps it up, more steps are of no use
    most = 1
    if 2 * factor > tolerance:
        most = 2 + math.ceil(math.log(tolerance / (2 * factor)) / math.log(alpha))
    with progress.task("PageRank", unit="nodes") as task:
        iterations, change = core.pagerank(
            rows, outdegrees, scores, alpha, tolerance / factor if factor else 2.0, most, jumps, task.advance
        )
    return PageRank(scores, iterations, factor * change)


def _normalize(preference: npt.ArrayLike, num_nodes: int) -> Scores:
    weights = np.ascontiguousarray(preference, dtype=np.float64)
    if weights.shape != (num_nodes,):
        raise ValueError(
            f"preference: expected a number for each of the {num_nodes} nodes, got shape {weights.shape}"
        )
    total = float(weights.sum())
    if not (weights >= 0).all() or not 0 < total < math.inf:
        raise ValueError("preference: expected numbers of at least 0 that are not all 0, got others")
    return weights / total
