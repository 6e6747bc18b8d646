"""Invariant subspaces of the Google matrix at α = 1 (WIKI, section 5; Frahm, Georgeot, Shepelyansky 2011).

At α = 1 the matrix S has a column 1/N for each node without arcs (*dangling*), so a node that reaches one of
them reaches every node. Of a node u that reaches none, the nodes R(u) that it reaches, itself included, are a
closed set: S maps vectors on R(u) to vectors on R(u). Where R(u) has fewer nodes than a bound (a tenth of all
unless told), it is an **invariant subspace**, and u is a node of one; all other nodes are the **core**.
Ordered so, S is

    S = ( S_ss  S_sc )
        (  0    S_cc ),

and its eigenvalues are those of S_ss and those of S_cc. Closed sets that overlap are one subspace. Since R(v)
is part of R(u) for every v in it, the subspaces are the weak components of what the nodes of subspaces span:

- N_s, nodes of subspaces; N_d, subspaces; d_max, nodes of the largest one;
- a strong component from which no arc leads away is *closed*. S_ss has eigenvalue 1 as often as there are
  closed ones, and each subspace has at least one: N_1 ≥ N_d.

**Cost.** One visit from the dangling nodes against the arcs, then components of the rest: linear in arcs. A
weak component of the rest that is smaller than the bound has small sets only, and there are at most ten
others. In these, sizes are bounded from below and above along the strong components, sinks first: a set has
at least the nodes of the largest set that it leads to, and at most the sum of all. Only where the bound lies
between the two is a set counted, and counting stops at the bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from webstrata.collection.progress import Progress
from webstrata.errors import UsageError
from webstrata.graph.rows import RowsGraph
from webstrata.graph.structure import reachable, strong_components, weak_components

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.graph.structure import Components
    from webstrata.graph.view import Graph

    Numbers = npt.NDArray[np.int64]

BOUND = 0.1
"""Closed sets with this share of all nodes, or more, belong to the core."""


@dataclass(frozen=True)
class Subspaces:
    """The nodes of invariant subspaces, with the graph that they span."""

    num_nodes: int
    """N: nodes of the whole graph."""
    nodes: Numbers
    """The nodes of subspaces, in order."""
    core: Numbers
    """All others, in order."""
    graph: RowsGraph
    """The arcs between nodes of subspaces, which are all their arcs; node 0 is the first of `nodes`."""
    strong: Components
    weak: Components
    """Components of that graph; the weak ones are the subspaces."""

    @property
    def number(self) -> int:
        """N_d: how many there are."""
        return len(self.weak)

    @property
    def largest(self) -> int:
        """d_max: nodes of the largest one; 0 where there are none."""
        return int(self.weak.sizes[0]) if len(self.weak) else 0

    @cached_property
    def is_closed(self) -> npt.NDArray[np.bool_]:
        """Of each strong component, whether no arc leads out of it."""
        offsets, targets = self.graph.rows()
        of_node = self.strong.of_node
        sources = np.repeat(of_node, np.diff(offsets).astype(np.int64))
        closed = np.ones(len(self.strong), dtype=bool)
        closed[sources[sources != of_node[targets]]] = False
        return closed


def find_subspaces(
    graph: Graph,
    transpose: Graph | None = None,
    *,
    bound: float = BOUND,
    progress: Progress | None = None,
) -> Subspaces:
    """The invariant subspaces of a graph, exactly.

    Parameters
    ----------
    graph
        Any graph; of one at a time, the nodes that are there.
    transpose
        The same with all arcs turned round, where it is at hand.
    bound
        Share of all nodes that a closed set must stay below; above 0 and at most 1.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1), (1, 0), (2, 0), (3, 4), (4, 5)])
    >>> found = find_subspaces(graph, bound=0.6)
    >>> found.nodes.tolist(), found.core.tolist(), found.number, found.largest
    ([0, 1, 2], [3, 4, 5], 1, 3)
    """
    if not 0 < bound <= 1:
        raise UsageError(f"bound is {bound:g}, and must be above 0 and at most 1, a share of the nodes")
    progress = progress or Progress()
    is_there = np.ones(graph.num_nodes, dtype=bool) if graph.present is None else graph.present
    num_nodes = int(is_there.sum())
    dangling = np.flatnonzero((graph.outdegrees() == 0) & is_there)
    falls = reachable(transpose or _turn(graph), dangling, progress=progress)
    rest = np.flatnonzero(is_there & ~falls)
    spanned = _span(graph, rest)
    weak = weak_components(spanned, progress=progress)
    strong = strong_components(spanned, progress=progress)
    # sizes are whole numbers: smaller than 2.5 is at most 2
    most = math.ceil(bound * num_nodes) - 1
    if len(weak) and int(weak.sizes[0]) > most:
        kept = np.flatnonzero(_are_small(spanned, strong, weak, most, progress))
        rest = rest[kept]
        spanned = _span(graph, rest)
        weak = weak_components(spanned, progress=progress)
        strong = strong_components(spanned, progress=progress)
    is_core = is_there.copy()
    is_core[rest] = False
    return Subspaces(num_nodes, rest, np.flatnonzero(is_core), spanned, strong, weak)


def _turn(graph: Graph) -> RowsGraph:
    """The graph with all arcs turned round, by counting and not by sorting."""
    offsets, targets = graph.rows()
    shape = (graph.num_nodes, graph.num_nodes)
    ones = np.ones(len(targets), dtype=np.int8)
    turned = sparse.csr_array((ones, targets.astype(np.int64), offsets.astype(np.int64)), shape=shape).tocsc()
    return RowsGraph(turned.indptr.astype(np.uint64), turned.indices.astype(np.uint32))


def _span(graph: Graph, nodes: Numbers) -> RowsGraph:
    """The graph of a closed set of nodes."""
    places = np.zeros(graph.num_nodes, dtype=np.uint32)
    places[nodes] = np.arange(len(nodes), dtype=np.uint32)
    offsets, targets = graph.batch_successors(nodes)
    return RowsGraph(offsets, places[targets])


def _are_small(
    graph: RowsGraph, strong: Components, weak: Components, most: int, progress: Progress
) -> npt.NDArray[np.bool_]:
    """Of each node, whether it reaches at most `most` nodes, itself included."""
    small = (weak.sizes <= most)[weak.of_node]
    open_ = np.flatnonzero(~small)
    with progress.task("sizes of closed sets", total=len(open_), unit="nodes") as task:
        # the strong components of the large weak ones, numbered anew, and the arcs between them
        parts, place_of = np.unique(strong.of_node[open_], return_inverse=True)
        offsets, targets = graph.batch_successors(open_)
        sources = np.repeat(place_of, np.diff(offsets).astype(np.int64))
        ends = np.searchsorted(parts, strong.of_node[targets])
        between = np.stack([sources, ends], axis=1)[sources != ends]
        dag = RowsGraph.from_arcs(between, num_nodes=len(parts))
        sizes = strong.sizes[parts]
        least, greatest, order = _bound_sizes(dag, sizes, most)
        fits = greatest <= most
        for part in order[(least[order] <= most) & ~fits[order]]:
            task.advance(0)
            fits[part] = _reaches_few(dag, sizes, fits, int(part), most)
        task.advance(len(open_))
    small[open_] = fits[place_of]
    return small


def _bound_sizes(dag: RowsGraph, sizes: Numbers, most: int) -> tuple[Numbers, Numbers, Numbers]:
    """For each component at least and at most how many nodes it reaches, and an order with sinks first."""
    above = dag.transpose()
    left = dag.outdegrees().astype(np.int64)
    least, greatest = sizes.copy(), sizes.copy()
    below = np.zeros(len(sizes), dtype=np.int64)
    front = np.flatnonzero(left == 0)
    order = []
    while len(front):
        order.append(front)
        least[front] += below[front]
        # what is too large stays so, however many add to it
        greatest[front] = np.minimum(greatest[front], most + 1)
        offsets, sources = above.batch_successors(front)
        counts = np.diff(offsets).astype(np.int64)
        np.maximum.at(below, sources, np.repeat(least[front], counts))
        np.add.at(greatest, sources, np.repeat(greatest[front], counts))
        np.subtract.at(left, sources, 1)
        front = np.unique(sources[left[sources] == 0])
    return least, greatest, np.concatenate(order) if order else np.zeros(0, np.int64)


def _reaches_few(
    dag: RowsGraph, sizes: Numbers, fits: npt.NDArray[np.bool_], start: int, most: int
) -> np.bool_ | bool:
    """Whether a component whose successors are judged reaches at most `most` nodes."""
    if not fits[dag.successors(start)].all():
        return False
    seen = np.zeros(dag.num_nodes, dtype=bool)
    seen[start] = True
    front = np.array([start])
    total = int(sizes[start])
    while len(front) and total <= most:
        targets = np.unique(dag.batch_successors(front)[1])
        front = targets[~seen[targets]]
        seen[front] = True
        total += int(sizes[front].sum())
    return total <= most
