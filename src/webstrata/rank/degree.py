"""In-degree and out-degree of each node, and harmonic centrality."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.graph.structure.balls import grow_balls
from webstrata.rank.pagerank import as_walk, has_nodes
from webstrata.rank.ranking import Ranking

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph
    from webstrata.rank.walk import Walk


def indegree(
    graph: Graph | Walk, *, transpose: Graph | None = None, progress: Progress | None = None
) -> Ranking:
    """How many arcs lead to each node, or their weights in all.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> indegree(Graph.from_arcs([(0, 1), (2, 1), (1, 0)])).scores.tolist()
    [1.0, 2.0, 0.0]
    """
    walk = as_walk(graph, transpose=transpose, progress=progress)
    return Ranking("indegree", walk.turned.given.copy(), present=walk.present)


def outdegree(graph: Graph | Walk, *, progress: Progress | None = None) -> Ranking:
    """How many arcs lead away from each node, or their weights in all.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> outdegree(Graph.from_arcs([(0, 1), (2, 1), (0, 2)])).scores.tolist()
    [2.0, 0.0, 1.0]
    """
    walk = as_walk(graph, progress=progress)
    return Ranking("outdegree", walk.given.copy(), present=walk.present)


def harmonic(
    graph: Graph | Walk,
    *,
    registers: int = 64,
    runs: int = 4,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Σ 1 / d(y, x) over the nodes y that reach x, estimated by HyperBall (see `graph.structure.balls`).

    There is no bound of the error; its relative standard deviation is among the settings.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = harmonic(Graph.from_arcs([(0, 1), (1, 2)]), registers=1024)
    >>> found.scores.round(1).tolist(), found.error_bound is None
    ([0.0, 1.0, 1.5], True)
    """
    walk = as_walk(graph, transpose=transpose, progress=progress)
    settings: dict[str, float] = {"registers": registers, "runs": runs}
    if not has_nodes(walk):
        return Ranking("harmonic", np.zeros(walk.num_nodes), None, settings=settings, present=walk.present)
    balls = grow_balls(walk.transpose, walk.graph, registers=registers, runs=runs, progress=walk.progress)
    settings["relative_error"] = balls.counter_error
    return Ranking(
        "harmonic", balls.harmonic.astype(np.float64), None, settings=settings, present=walk.present
    )
