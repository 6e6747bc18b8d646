"""Components, and the bow tie that the largest of them makes of a graph (Broder et al. 2000).

Two nodes are in one **weak** component if arcs join them, whichever way they point, and in one **strong**
component if each can be reached from the other. Components are numbered by size, the largest first, those of
one size by their first node.

The **bow tie** has the largest strong component in the middle, the *core*. *In* are the nodes that reach it,
*out* those that it reaches. Of the others in the same weak component, *tubes* lead from *in* to *out* past
the core, and *tendrils* are all the rest; nodes of other weak components are *disconnected*.

All of this is exact, and done on the compressed graph. Strong components are found by Tarjan's algorithm of
the crate ``webgraph-algo``, which takes some 30 bytes a node and the lists of the nodes that it is within;
rows are made where they are small (see `list_source`). For weak ones the graph is gone through once, block by
block, and trees of nodes are joined: 8 bytes a node. Visits take 4 bytes a node.

Of a graph at one time (`Graph.present`), only the nodes that are there are counted: the others are in no
component, in no part of the bow tie, and nothing begins or ends at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.progress import Progress
from webstrata.graph.list_source import select_source

if TYPE_CHECKING:
    from typing import Any

    import numpy.typing as npt

    from webstrata.graph.view import Graph, Nodes


@dataclass(frozen=True)
class Components:
    """A graph divided into components."""

    of_node: npt.NDArray[np.int32]
    """The component of each node; -1 for one that a graph at one time has not."""
    sizes: npt.NDArray[np.int64]
    """How many nodes each has, the largest first."""

    @property
    def largest_share(self) -> float:
        """The nodes of the largest component among all; 0 where there are none."""
        return int(self.sizes[0]) / int(self.sizes.sum()) if len(self.sizes) else 0.0

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True)
class BowTie:
    """How many nodes are where in the bow tie."""

    core: int
    inward: int
    """Nodes that reach the core."""
    outward: int
    """Nodes that the core reaches."""
    tubes: int
    tendrils: int
    disconnected: int


def strong_components(graph: Graph, *, progress: Progress | None = None) -> Components:
    """The strongly connected components, exactly.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> found = strong_components(Graph.from_arcs([(0, 1), (1, 0), (1, 2)]))
    >>> found.of_node.tolist(), found.sizes.tolist()
    ([0, 0, 1], [2, 1])
    """
    progress = progress or Progress()
    if not graph.num_nodes:
        return number_components(np.zeros(0, np.uint32))
    lists = select_source(graph, progress=progress)
    with progress.task("strong components", total=graph.num_nodes, unit="nodes") as task:
        return number_components(core.strong_components(lists, progress=task.advance), graph.present)


def weak_components(graph: Graph, *, progress: Progress | None = None) -> Components:
    """The weakly connected components, exactly.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> weak_components(Graph.from_arcs([(0, 1), (2, 1)], num_nodes=4)).sizes.tolist()
    [3, 1]
    """
    parents = np.arange(graph.num_nodes, dtype=np.uint32)
    with (progress or Progress()).task("weak components", total=graph.num_nodes, unit="nodes") as task:
        for start, rows in graph.iter_blocks():
            core.join_nodes(parents, rows, start)
            task.advance(len(rows[0]) - 1)
    # every node two steps up, until all stand at their root
    while not np.array_equal(above := parents[parents], parents):
        parents = above
    return number_components(parents, graph.present)


def bow_tie(
    graph: Graph,
    transpose: Graph,
    strong: Components | None = None,
    weak: Components | None = None,
    *,
    progress: Progress | None = None,
) -> BowTie:
    """The bow tie of a graph, exactly.

    Parameters
    ----------
    graph, transpose
        The graph, and the same with its arcs turned round.
    strong, weak
        Its components, where they are known.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1), (1, 2), (2, 1), (2, 3), (0, 4), (4, 3), (0, 5)], num_nodes=7)
    >>> bow_tie(graph, graph.transpose())
    BowTie(core=2, inward=1, outward=1, tubes=1, tendrils=1, disconnected=1)
    """
    progress = progress or Progress()
    strong = strong or strong_components(graph, progress=progress)
    weak = weak or weak_components(graph, progress=progress)
    if not len(strong):
        return BowTie(0, 0, 0, 0, 0, 0)
    core = strong.of_node == 0
    one = np.flatnonzero(core)[:1]
    outward = reachable(graph, one, progress=progress) & ~core
    inward = reachable(transpose, one, progress=progress) & ~core
    known = core | inward | outward
    connected = weak.of_node == weak.of_node[one[0]]
    past = reachable(graph, np.flatnonzero(inward), around=core, progress=progress)
    tubes = past & reachable(transpose, np.flatnonzero(outward), around=core, progress=progress) & ~known
    return BowTie(
        core=int(core.sum()),
        inward=int(inward.sum()),
        outward=int(outward.sum()),
        tubes=int(tubes.sum()),
        tendrils=int((connected & ~known & ~tubes).sum()),
        disconnected=graph.num_present - int(connected.sum()),
    )


def reachable(
    graph: Graph,
    start: Nodes,
    *,
    around: npt.NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.bool_]:
    """Which nodes can be reached from some nodes, themselves included.

    Parameters
    ----------
    graph
        The graph.
    start
        Where to begin.
    around
        Nodes that are not entered.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> reachable(Graph.from_arcs([(0, 1), (1, 2), (3, 0)]), [0]).tolist()
    [True, True, True, False]
    """
    return distances(graph, start, around=around, progress=progress) >= 0


def distances(
    graph: Graph,
    start: Nodes,
    *,
    around: npt.NDArray[np.bool_] | None = None,
    longest: int | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.int32]:
    """How many arcs lead from the nearest of some nodes to each node; -1 where none do. Exact.

    Parameters
    ----------
    graph
        The graph.
    start
        Where to begin.
    around
        Nodes that are not entered.
    longest
        How far to go; as far as there are nodes where not given.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> distances(Graph.from_arcs([(0, 1), (1, 2), (0, 2), (3, 0)]), [0]).tolist()
    [0, 1, 1, -1]
    """
    found = np.full(graph.num_nodes, -1, dtype=np.int32)
    front = np.unique(np.asarray(start, dtype=np.uint32))
    if graph.present is not None and not graph.present[front].all():
        node = int(front[~graph.present[front]][0])
        raise ValueError(f"start: expected nodes that are there at this time, got {node}")
    found[front] = 0
    distance = 0
    with (progress or Progress()).task("visiting", total=graph.num_nodes, unit="nodes") as task:
        while len(front) and (longest is None or distance < longest):
            task.advance(len(front))
            distance += 1
            parts = [_new(graph, front[place : place + _FRONT], found, around) for place in _places(front)]
            front = np.unique(np.concatenate(parts))
            found[front] = distance
    return found


_FRONT = 1 << 16
"""Nodes whose successors are asked for at a time."""


def _places(front: npt.NDArray[np.uint32]) -> range:
    return range(0, len(front), _FRONT)


def _new(
    graph: Graph,
    nodes: npt.NDArray[np.uint32],
    found: npt.NDArray[np.int32],
    around: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.uint32]:
    targets = graph.batch_successors(nodes)[1]
    fresh = found[targets] < 0
    if around is not None:
        fresh &= ~around[targets]
    return np.unique(targets[fresh])


def number_components(
    labels: npt.NDArray[np.integer[Any]], present: npt.NDArray[np.bool_] | None = None
) -> Components:
    """Components by any labels from 0 on, numbered by size and first node; of the nodes that are there.

    Examples
    --------
    >>> number_components(np.array([7, 3, 3, 9], dtype=np.int32)).of_node.tolist()
    [1, 0, 0, 2]
    """
    if present is not None and not present.all():
        inner = number_components(labels[present])
        of_node = np.full(len(labels), -1, dtype=np.int32)
        of_node[present] = inner.of_node
        return Components(of_node, inner.sizes)
    sizes = np.bincount(labels)
    first = np.zeros(len(sizes), dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]  # of several numbers, the last one stays
    used = np.flatnonzero(sizes)
    order = used[np.lexsort((first[used], -sizes[used]))]
    ranks = np.empty(len(sizes), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return Components(ranks[labels], sizes[order])
