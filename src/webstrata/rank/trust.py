"""TrustRank and truncated PageRank, which spam is told by.

**TrustRank** (Gyöngyi, Garcia-Molina, Pedersen 2004): the PageRank of a surfer who jumps to nodes that are
trusted, and comes from a node without arcs to them too. Nodes to be judged by people are those of largest
inverse PageRank, which is CheiRank (`choose_seeds`): trust reaches most from there.

**Truncated PageRank** (Becchetti, Castillo, Donato, Leonardi, Baeza-Yates 2006) leaves out what supporters at
a distance of at most T give. With S the matrix of the walk (columns of nodes without arcs 1/N) and v = 1/N,

    x = Σ (1 − α) α^(t − T − 1) Sᵗ v  over t > T,

which is the PageRank of a surfer who jumps to S^(T + 1) v: T + 1 passes more, and the same bound.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from webstrata.errors import UsageError
from webstrata.graph.view import check_nodes
from webstrata.rank.cheirank import cheirank
from webstrata.rank.pagerank import as_walk, check_damping, google_step, has_nodes, pagerank

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph, Nodes
    from webstrata.rank.ranking import Ranking
    from webstrata.rank.walk import Walk


def trustrank(
    graph: Graph | Walk,
    trusted: Nodes,
    *,
    alpha: float = 0.85,
    tolerance: float = 1e-9,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """The TrustRank of each node, from those that are trusted.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = trustrank(Graph.from_arcs([(0, 1), (1, 0), (2, 3), (3, 2)]), [0])
    >>> found.scores.round(2).tolist()
    [0.54, 0.46, 0.0, 0.0]
    """
    walk = as_walk(graph, transpose=transpose, progress=progress)
    nodes = check_nodes(trusted, walk.num_nodes)
    if not len(nodes):
        raise UsageError("trusted: expected some nodes, got none")
    preference = np.bincount(nodes, minlength=walk.num_nodes).clip(max=1)
    found = pagerank(walk, alpha=alpha, preference=preference, tolerance=tolerance)
    return replace(found, method="trustrank")


def choose_seeds(graph: Graph | Walk, number: int, *, progress: Progress | None = None) -> list[int]:
    """Nodes to be judged by people before `trustrank`: those from which most is reached.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> choose_seeds(Graph.from_arcs([(0, 1), (0, 2), (2, 3)]), 1)
    [0]
    """
    return [place.node for place in cheirank(graph, progress=progress).top(number)]


def truncated_pagerank(
    graph: Graph | Walk,
    *,
    levels: int = 2,
    alpha: float = 0.85,
    tolerance: float = 1e-9,
    transpose: Graph | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """PageRank without what supporters at distances up to `levels` give; 0 leaves out the jumps alone.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1), (1, 2), (2, 1), (3, 1), (4, 1)])
    >>> truncated_pagerank(graph, levels=1).scores.round(3).tolist()
    [0.0, 0.476, 0.524, 0.0, 0.0]
    """
    check_damping(alpha)
    if levels < 0:
        raise UsageError(f"levels: expected 0 or more, got {levels}")
    walk = as_walk(graph, transpose=transpose, progress=progress)
    preference = None
    if has_nodes(walk):
        everywhere = walk.preference(None)
        preference = everywhere
        for _ in range(levels + 1):
            preference = google_step(walk, preference, everywhere, everywhere, 1.0)
    found = pagerank(walk, alpha=alpha, preference=preference, dangling="uniform", tolerance=tolerance)
    return replace(
        found,
        method="truncated",
        iterations=found.iterations + levels + 1,
        settings=dict(found.settings) | {"levels": levels},
    )
