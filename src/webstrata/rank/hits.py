"""HITS (Kleinberg 1999), and personalized HITS by a supersource (CHANGE, equations 7 and 8).

Good hubs link to good authorities, and good authorities are linked from good hubs. With a supersource that
gives every node v the amount c p(v) in each pass, p being a preference of sum 1:

    â(v) = Σ w(u, v) h(u) over u → v  +  c p(v),   a = â / max â,
    ĥ(v) = Σ w(v, u) a(u) over v → u  +  c p(v),   h = ĥ / max ĥ.

With c = 0 that is HITS. Passes begin with h = 1 and end when no score changes by more than the tolerance.
That is no bound of the error, and `error_bound` is none: how fast HITS converges depends on a gap of singular
values that nobody knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstrata.errors import UsageError
from webstrata.rank.pagerank import as_walk, check_tolerance, has_nodes
from webstrata.rank.ranking import Ranking

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph
    from webstrata.rank.walk import Walk

MOST = 1000
"""Passes over the arcs, each way, after which it ends in any case."""


class HitsScores(NamedTuple):
    """Two rankings of the same nodes."""

    authorities: Ranking
    hubs: Ranking


def hits(
    graph: Graph | Walk,
    *,
    preference: npt.ArrayLike | None = None,
    supersource: float = 0.0,
    tolerance: float = 1e-9,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> HitsScores:
    """Authority and hub scores, the largest of each being 1.

    Parameters
    ----------
    graph
        Any graph, or a `Walk` of one.
    preference
        How the supersource divides what it gives; all alike if not told.
    supersource
        The amount c that it gives in each pass; CHANGE takes 100 to 200.
    tolerance
        The change of the largest kind at which it ends.
    transpose
        The graph with all arcs turned round, where it is at hand.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = hits(Graph.from_arcs([(0, 2), (1, 2), (1, 3)]))
    >>> found.authorities.scores.round(3).tolist(), found.hubs.scores.round(3).tolist()
    ([0.0, 0.0, 1.0, 0.618], [0.618, 1.0, 0.0, 0.0])
    """
    check_tolerance(tolerance)
    if not 0 <= supersource < np.inf:
        raise UsageError(f"supersource: expected a number of at least 0, got {supersource}")
    walk = as_walk(graph, transpose=transpose, progress=progress)
    settings = {"supersource": supersource, "tolerance": tolerance}
    size, iterations = walk.num_nodes, 0
    authorities, hubs = np.zeros(size), np.ones(size)
    if walk.present is not None:
        hubs *= walk.present
    if has_nodes(walk):
        source = supersource * walk.preference(preference)
        change = np.inf
        while change > tolerance and iterations < 2 * MOST:
            before = authorities, hubs
            authorities = _scaled(walk.gather(hubs) + source)
            hubs = _scaled(walk.turned.gather(authorities) + source)
            change = max(
                float(np.abs(now - then).max()) for now, then in zip((authorities, hubs), before, strict=True)
            )
            iterations += 2
    one, other = (
        Ranking(name, scores, None, iterations, settings, walk.present)
        for name, scores in (("hits", authorities), ("hubs", hubs))
    )
    return HitsScores(one, other)


def _scaled(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    most = scores.max(initial=0.0)
    return scores / most if most > 0 else scores
