"""CheiRank (WIKI): PageRank of the graph with all arcs turned round.

P* is the right eigenvector, at eigenvalue 1, of the Google matrix G* of the inverted links, with the same α.
PageRank says how well known a node is, by the arcs that lead to it; CheiRank how communicative, by those that
lead away.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from webstrata.rank.pagerank import as_walk, pagerank

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph
    from webstrata.rank.ranking import Ranking
    from webstrata.rank.walk import Walk


def cheirank(
    graph: Graph | Walk,
    *,
    alpha: float = 0.85,
    preference: npt.ArrayLike | None = None,
    dangling: str = "preference",
    tolerance: float = 1e-9,
    solver: str = "gauss-seidel",
    start: npt.ArrayLike | None = None,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """The CheiRank of each node; parameters are those of `pagerank`.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> cheirank(Graph.from_arcs([(0, 1), (0, 2), (0, 3)])).top(1)[0].node
    0
    """
    walk = as_walk(graph, transpose=transpose, progress=progress)
    found = pagerank(
        walk.turned,
        alpha=alpha,
        preference=preference,
        dangling=dangling,
        tolerance=tolerance,
        solver=solver,
        start=start,
    )
    return replace(found, method="cheirank", present=walk.present)
