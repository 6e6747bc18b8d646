"""Every measure by its name: one way in for the command and for parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from webstrata.errors import UsageError
from webstrata.rank.cheirank import cheirank
from webstrata.rank.degree import harmonic, indegree, outdegree
from webstrata.rank.hits import hits
from webstrata.rank.pagerank import has_nodes, pagerank
from webstrata.rank.settings import USED, WITH_PREFERENCE, RankSettings
from webstrata.rank.trust import truncated_pagerank, trustrank
from webstrata.rank.tworank import two_d_rank
from webstrata.rank.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph
    from webstrata.rank.ranking import Ranking


def make_walk(
    graph: Graph,
    settings: RankSettings | None = None,
    *,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> Walk:
    """A graph made ready for passes, as settings say.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> make_walk(Graph.from_arcs([(0, 1)])).compressed is None
    True
    """
    settings = settings or RankSettings()
    return Walk(
        graph,
        transpose=transpose,
        compressed=True if settings.compressed else None,
        weighted=settings.weighted,
        progress=progress,
    )


def rank_walk(
    walk: Walk,
    settings: RankSettings,
    *,
    preference: npt.ArrayLike | None = None,
    starts: Mapping[str, npt.ArrayLike] | None = None,
) -> Ranking:
    """The ranking of a graph's nodes by the method that settings name.

    Parameters
    ----------
    walk
        The graph.
    settings
        By what, and how exactly.
    preference
        Where the surfer jumps, or what is trusted, or what the supersource gives to whom.
    starts
        For `pagerank` and `cheirank`, scores to begin with.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> walk = make_walk(Graph.from_arcs([(0, 1), (2, 1), (1, 0)]))
    >>> {name: rank_walk(walk, RankSettings(method=name)).top(1)[0].node for name in ("2drank", "degree")}
    {'2drank': 1, 'degree': 1}
    """
    method, starts = settings.method, starts or {}
    if not has_nodes(walk):
        raise UsageError("there is nothing to rank: the graph has no nodes")
    if preference is None and method in WITH_PREFERENCE:
        raise UsageError(f"{method}: expected a preference; name a file of URLs with --preference")
    found = _find(walk, settings, preference, starts)
    values = settings.to_dict()
    return replace(
        found,
        method=method,
        settings=dict(found.settings) | {name: values[name] for name in USED[method]},
        names=found.names,
    )


def _find(
    walk: Walk,
    settings: RankSettings,
    preference: npt.ArrayLike | None,
    starts: Mapping[str, npt.ArrayLike],
) -> Ranking:
    method = settings.method
    alpha, tolerance, solver = settings.alpha, settings.tolerance, settings.solver
    if method in ("pagerank", "cheirank", "personalized"):
        function = cheirank if method == "cheirank" else pagerank
        return function(
            walk,
            alpha=alpha,
            preference=preference,
            dangling=settings.dangling,
            tolerance=tolerance,
            solver=solver,
            start=starts.get(method),
        )
    if method == "2drank":
        return two_d_rank(
            *(
                _find(walk, replace(settings, method=name), preference, starts)
                for name in ("pagerank", "cheirank")
            )
        )
    if method == "trustrank":
        trusted = np.flatnonzero(walk.preference(preference))
        return trustrank(walk, trusted, alpha=alpha, tolerance=tolerance)
    if method == "truncated":
        return truncated_pagerank(walk, levels=settings.levels, alpha=alpha, tolerance=tolerance)
    if method in ("hits", "hubs"):
        both = hits(walk, preference=preference, supersource=settings.supersource, tolerance=tolerance)
        return both.authorities if method == "hits" else both.hubs
    if method == "harmonic":
        return harmonic(walk, registers=settings.registers, runs=settings.runs)
    return indegree(walk) if method == "degree" else outdegree(walk)
