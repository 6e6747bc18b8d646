"""Neighbours of the seeds that changed (CHANGE, section 2.2).

A page v that is linked with a seed u in the later snapshot, in either direction, has

    score(v) = max over such u of BM25(u) + change(u) + change(v),

and so many of the best are taken in. Ties are decided by the number of the node, so that the same question
has the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from webstrata.graph.view import Graph

    Nodes = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.float64]


class Expansion(NamedTuple):
    """Pages that are taken in, the best first."""

    nodes: Nodes
    scores: Numbers
    through: Nodes
    """For each the place of the seed by which it came in."""


def expand(
    directions: Sequence[Graph],
    seeds: Nodes,
    texts: Numbers,
    changes: Numbers,
    measure: Callable[[Nodes], Numbers],
    number: int,
) -> Expansion:
    """So many neighbours of the seeds with the best scores.

    Parameters
    ----------
    directions
        The graph of the later snapshot, and the same with its arcs turned round.
    seeds
        Nodes, each once.
    texts, changes
        BM25 and change of each seed.
    measure
        The change of nodes.
    number
        How many are taken in at most.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 2), (1, 2), (3, 1), (4, 0)])
    >>> change = np.array([0.0, 1.0, 0.0, 2.0, 0.5])
    >>> found = expand([graph, graph.transpose()], np.array([0, 1]), np.array([3.0, 2.5]), change[:2],
    ...     change.__getitem__, 2)
    >>> found.nodes.tolist(), found.scores.tolist(), found.through.tolist()
    ([3, 2], [5.5, 3.5], [1, 1])
    """
    none = np.zeros(0, np.int64)
    if not number or not len(seeds):
        return Expansion(none, np.zeros(0), none)
    nodes, owners = [], []
    for graph in directions:
        offsets, targets = graph.batch_successors(seeds)
        nodes.append(targets.astype(np.int64))
        owners.append(np.repeat(np.arange(len(seeds)), np.diff(offsets).astype(np.int64)))
    reached, through = np.concatenate(nodes), np.concatenate(owners)
    is_new = ~np.isin(reached, seeds)
    reached, through = reached[is_new], through[is_new]
    if not len(reached):
        return Expansion(none, np.zeros(0), none)
    # the best seed of each page first, the earlier one of two alike
    values = (texts + changes)[through]
    order = np.lexsort((through, -values, reached))
    reached, through, values = reached[order], through[order], values[order]
    first = np.append(True, reached[1:] != reached[:-1])
    reached, through, values = reached[first], through[first], values[first]
    scores = values + measure(reached)
    best = np.lexsort((reached, -scores))[:number]
    return Expansion(reached[best], scores[best], through[best])
