"""Candidates ranked by their links (CHANGE, sections 2.4 and 2.5), on the subgraph of the later snapshot.

===================  =====================================================================================
``none``             p(u) itself
``pagerank``         personalized PageRank: PPR(v) = (1 − c) Σ PPR(u) / out(u) over u → v + c p(v)
``hits-authority``   personalized HITS with a supersource that gives c p(v) (see `webstrata.rank.hits`)
``hits-hub``         the hubs of the same
``hits``             the mean of authorities and hubs
``combined``         the mean of PageRank and authorities, each divided by its largest
===================  =====================================================================================

What arrives at a page without links begins anew: up to a factor that is the paper's equation (3), in which it
is lost. What an arc counts is told in `webstrata.search.change.weigh`; the paper's are alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.rank.hits import hits
from webstrata.rank.pagerank import pagerank

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from webstrata.graph.view import Graph
    from webstrata.search.change.settings import ChangesSettings

    Numbers = npt.NDArray[np.float64]


def rank_candidates(graph: Graph, preference: Numbers, settings: ChangesSettings) -> Numbers:
    """A score for each candidate, by the rank that the settings name.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.search.change.settings import ChangesSettings
    >>> graph = Graph.from_arcs([(0, 2), (1, 2)])
    >>> settings = ChangesSettings(rank="hits-authority", supersource=3.0)
    >>> rank_candidates(graph, np.full(3, 1 / 3), settings).round(3).tolist()
    [0.333, 0.333, 1.0]
    """
    return WALKS[settings.rank](graph, preference, settings)


def _none(_graph: Graph, preference: Numbers, _settings: ChangesSettings) -> Numbers:
    return preference


def _pagerank(graph: Graph, preference: Numbers, settings: ChangesSettings) -> Numbers:
    found = pagerank(
        graph,
        alpha=1 - settings.restart,
        preference=preference,
        dangling="preference",
        tolerance=settings.tolerance,
    )
    return found.scores


def _hits(graph: Graph, preference: Numbers, settings: ChangesSettings) -> tuple[Numbers, Numbers]:
    found = hits(graph, preference=preference, supersource=settings.supersource, tolerance=settings.tolerance)
    return found.authorities.scores, found.hubs.scores


def _authorities(graph: Graph, preference: Numbers, settings: ChangesSettings) -> Numbers:
    return _hits(graph, preference, settings)[0]


def _hubs(graph: Graph, preference: Numbers, settings: ChangesSettings) -> Numbers:
    return _hits(graph, preference, settings)[1]


def _both(graph: Graph, preference: Numbers, settings: ChangesSettings) -> Numbers:
    found: Numbers = np.mean(_hits(graph, preference, settings), axis=0)
    return found


def _combined(graph: Graph, preference: Numbers, settings: ChangesSettings) -> Numbers:
    both = (walk(graph, preference, settings) for walk in (_pagerank, _authorities))
    found: Numbers = np.mean([scores / max(scores.max(initial=0.0), 1e-300) for scores in both], axis=0)
    return found


WALKS: dict[str, Callable[[Graph, Numbers, ChangesSettings], Numbers]] = {
    "none": _none,
    "pagerank": _pagerank,
    "hits": _both,
    "hits-authority": _authorities,
    "hits-hub": _hubs,
    "combined": _combined,
}
"""By the name of the setting `rank`."""
