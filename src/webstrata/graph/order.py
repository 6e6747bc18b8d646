"""Orders of nodes that put together what links together, for smaller files.

A **permutation** has at place x the number that node x gets. The numbers of everything else in a snapshot
stay those of the row keys: a graph in another order is an extra part with its permutation.

- *row-key*: pages of a host stand together, and most links stay in their host; the order of everything here.
- *bfs*: the order of breadth-first visits, each from the first node not yet seen (Apostolico, Drovandi 2009).
- *llp*: layered label propagation (Boldi, Rosa, Santini, Vigna 2011) of the crate ``webgraph-algo``, on the
  graph with all arcs both ways: clusters at several resolutions γ, the finer within the coarser. Nodes of one
  cluster stay in the order that they had. With several threads two runs differ a little.

The graph stays compressed where its rows are large (see `list_source`), and the graph with all arcs both
ways is then written to files. Visits take 17 bytes per node, labels 25; the graph in its new order is
sorted outside of memory.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.files import open_writer
from webstrata.collection.progress import Progress
from webstrata.graph.arc_sort import MEMORY
from webstrata.graph.arcs import build_bvgraph, iter_arcs
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.list_source import fits, select_source
from webstrata.graph.rows import RowsGraph
from webstrata.graph.settings import GraphSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.graph.arcs import ArcBlock
    from webstrata.graph.compress import CompressedSize
    from webstrata.graph.view import Graph, Nodes

    Permutation = npt.NDArray[np.uint32]

GAMMAS = (*(2.0**-power for power in range(11)), 0.0)
"""The resolutions that the crate's own command takes."""


def order_by_visit(graph: Graph, *, progress: Progress | None = None) -> Permutation:
    """The permutation to the order of breadth-first visits.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> order_by_visit(Graph.from_arcs([(0, 3), (3, 1), (2, 0)])).tolist()
    [0, 2, 3, 1]
    """
    progress = progress or Progress()
    if not graph.num_nodes:
        return np.zeros(0, dtype=np.uint32)
    lists = select_source(graph, progress=progress)
    with progress.task("visiting", total=graph.num_nodes, unit="nodes") as task:
        return invert(core.breadth_first_order(lists, progress=task.advance))


def order_by_labels(
    graph: Graph,
    transpose: Graph | None = None,
    *,
    gammas: Sequence[float] = GAMMAS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Permutation:
    """The permutation by layered label propagation.

    Parameters
    ----------
    graph
        The graph.
    transpose
        The same with its arcs turned round, where it is at hand.
    gammas
        Resolutions: the larger, the smaller the clusters.
    seed
        Chooses the order in which nodes are looked at.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> pairs = Graph.from_arcs([(0, 2), (2, 0), (1, 3), (3, 1)])
    >>> places = order_by_labels(pairs)
    >>> abs(int(places[0]) - int(places[2])), abs(int(places[1]) - int(places[3]))
    (1, 1)
    """
    progress = progress or Progress()
    if not graph.num_nodes:
        return np.zeros(0, dtype=np.uint32)
    with tempfile.TemporaryDirectory(prefix="webstrata-") as folder:
        both: Graph
        if fits(graph):
            both = symmetrize(graph, transpose)
        else:
            build_bvgraph(
                _both_ways(graph), Path(folder) / "both", num_nodes=graph.num_nodes, progress=progress
            )
            both = BVGraph(Path(folder) / "both")
        lists = select_source(both, progress=progress)
        with progress.task("label propagation", unit="nodes") as task:
            return core.layered_labels(lists, list(gammas), seed, folder, progress=task.advance)


def _both_ways(graph: Graph) -> Iterator[ArcBlock]:
    """Every arc and the one that comes back, without loops."""
    for sources, targets in iter_arcs(graph):
        between = sources != targets
        yield sources[between], targets[between]
        yield targets[between], sources[between]


def symmetrize(graph: Graph, transpose: Graph | None = None) -> RowsGraph:
    """The graph with all arcs both ways and no loops, in memory.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> symmetrize(Graph.from_arcs([(0, 1), (1, 1), (2, 1)])).successors(1).tolist()
    [0, 2]
    """
    transpose = transpose or graph.transpose()
    degrees, parts = [], []
    for (start, out), (_, back) in zip(graph.iter_blocks(), transpose.iter_blocks(), strict=True):
        keys = []
        for offsets, targets in (out, back):
            nodes = np.arange(start, start + len(offsets) - 1, dtype=np.uint64)
            sources = np.repeat(nodes, np.diff(offsets).astype(np.int64))
            is_between = sources != targets
            keys.append(sources[is_between] << np.uint64(32) | targets[is_between])
        both = np.union1d(*keys)
        places = (both >> np.uint64(32)).astype(np.int64) - start
        degrees.append(np.bincount(places, minlength=len(out[0]) - 1))
        parts.append(both.astype(np.uint32))
    offsets = np.zeros(graph.num_nodes + 1, dtype=np.uint64)
    np.cumsum(np.concatenate(degrees) if degrees else [], out=offsets[1:])
    return RowsGraph(offsets, np.concatenate(parts) if parts else np.zeros(0, np.uint32))


def permute(graph: Graph, permutation: Nodes) -> RowsGraph:
    """The graph with its nodes renumbered, in memory: node x becomes ``permutation[x]``.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> permute(Graph.from_arcs([(0, 1), (0, 2)]), [2, 0, 1]).successors(2).tolist()
    [0, 1]
    """
    places = _check_permutation(permutation, graph.num_nodes)
    offsets, targets = graph.batch_successors(invert(places))
    sources = np.repeat(np.arange(graph.num_nodes, dtype=np.uint64), np.diff(offsets).astype(np.int64))
    keys = sources << np.uint64(32) | places[targets].astype(np.uint64)
    keys.sort()
    permuted = RowsGraph(offsets, keys.astype(np.uint32))
    permuted.present = None if graph.present is None else graph.present[invert(places)]
    return permuted


def write_permuted(
    graph: Graph,
    permutation: Nodes,
    basename: str | PathLike[str],
    *,
    transpose: str | PathLike[str] | None = None,
    parameters: GraphSettings | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> CompressedSize:
    """Write the graph with its nodes renumbered, and its transpose if wanted; see `build_bvgraph`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> basename = testing.scratch() / "uk"
    >>> write_permuted(Graph.from_arcs([(0, 1), (0, 2)]), [2, 0, 1], basename).num_arcs
    2
    >>> Graph.open(basename).successors(2).tolist()
    [0, 1]
    """
    places = _check_permutation(permutation, graph.num_nodes)
    return build_bvgraph(
        ((places[sources], places[targets]) for sources, targets in iter_arcs(graph)),
        basename,
        num_nodes=graph.num_nodes,
        transpose=transpose,
        parameters=parameters,
        memory=memory,
        progress=progress,
    )


def _check_permutation(permutation: Nodes, num_nodes: int) -> Permutation:
    places = np.asarray(permutation)
    is_whole = np.issubdtype(places.dtype, np.integer) or not places.size
    if places.shape == (num_nodes,) and is_whole and ((places >= 0) & (places < num_nodes)).all():
        seen = np.zeros(num_nodes, np.bool_)
        seen[places.astype(np.uint32)] = True
        if seen.all():
            return places.astype(np.uint32)
    raise ValueError(f"permutation: expected each of 0 to {num_nodes - 1} once, got others")


def invert(permutation: npt.NDArray[np.uint32]) -> Permutation:
    """The permutation that leads back.

    Examples
    --------
    >>> invert(np.array([2, 0, 1], dtype=np.uint32)).tolist()
    [1, 2, 0]
    """
    back = np.empty(len(permutation), dtype=np.uint32)
    back[permutation] = np.arange(len(permutation), dtype=np.uint32)
    return back


ORDERS = {"bfs": order_by_visit, "llp": order_by_labels}
PERMUTATION = "permutation.npy"


def build_order(
    snapshot: Snapshot,
    order: str,
    *,
    parameters: GraphSettings | None = None,
    progress: Progress | None = None,
) -> CompressedSize:
    """Build the part ``graph-bfs`` or ``graph-llp``: the graph of a snapshot in that order.

    Parameters
    ----------
    snapshot
        With the part `graph`.
    order
        ``bfs`` or ``llp``.
    parameters
        How lists are coded; as the files say where not given.
    progress
        Where the build reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> build_order(snapshot, "bfs").num_arcs
    36
    >>> "graph-bfs" in snapshot.parts
    True
    """
    from webstrata.graph.build import FORWARD, TRANSPOSE, StoredGraph

    parameters = parameters or snapshot.settings(GraphSettings)
    progress = progress or Progress()
    with snapshot.write_part(f"graph-{order}", inputs=("graph",), progress=progress) as build:
        part = snapshot.open_part("graph")
        graph = StoredGraph(part.path, part)
        permutation = ORDERS[order](graph, progress=progress)
        with open_writer(build.path / PERMUTATION) as stream:
            np.save(stream, permutation)
        size = write_permuted(
            graph,
            permutation,
            build.path / FORWARD,
            transpose=build.path / TRANSPOSE,
            parameters=parameters,
            memory=parameters.memory,
            progress=progress,
        )
        build.count(nodes=size.num_nodes, arcs=size.num_arcs, bits=size.graph_bits)
    return size
