"""The part `graph`: the pages of a snapshot and the links between them, forward and transposed.

===============  ========================================================================================
``forward.*``    a BVGraph (see `bvgraph`): the successors of each node
``transpose.*``  the same with all arcs turned round: its predecessors
``hosts.*``      the graph of hosts, with weights and names (see `hosts`)
``domains.*``    the graph of registered domains
===============  ========================================================================================

Arcs are those of `webstrata.store.links.arcs`: links of the kinds that are followed, taken through redirects
and duplicates to the nodes that their targets are or stand for, each once. With ``frontier`` the targets that
were not captured are nodes too, numbered behind the last page in row-key order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.graph.bvgraph import BVGraph, compress
from webstrata.graph.hosts import build_named
from webstrata.graph.rows import RowsGraph
from webstrata.store.links import arcs, frontier_keys

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part
    from webstrata.graph.view import Graph

FORWARD, TRANSPOSE = "forward", "transpose"


class StoredGraph(BVGraph):
    """The graph of a snapshot, mapped; `transpose` opens the one that is stored beside it.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> _ = RowsGraph.from_arcs([(0, 1)]).write(folder / "forward")
    >>> _ = RowsGraph.from_arcs([(1, 0)]).write(folder / "transpose")
    >>> StoredGraph(folder).transpose().successors(1).tolist()
    [0]
    """

    def __init__(self, folder: Path, part: Part | None = None, *, name: str = FORWARD) -> None:
        super().__init__(folder / name)
        self._part = part  # held, so that the files stay
        self._folder, self._name = folder, name

    def transpose(self) -> Graph:
        """The graph with all arcs turned round.

        Examples
        --------
        >>> folder = getfixture("tmp_path")
        >>> _ = RowsGraph.from_arcs([(0, 1)]).write(folder / "forward")
        >>> _ = RowsGraph.from_arcs([(1, 0)]).write(folder / "transpose")
        >>> StoredGraph(folder).transpose().transpose().successors(0).tolist()
        [1]
        """
        other = TRANSPOSE if self._name == FORWARD else FORWARD
        return StoredGraph(self._folder, self._part, name=other)


def build_graph(
    snapshot: Snapshot,
    *,
    frontier: bool = False,
    nofollow: bool = True,
    self_loops: bool = True,
    hosts: bool = True,
    progress: Progress | None = None,
) -> None:
    """Build the part `graph` of a snapshot that has its links.

    Parameters
    ----------
    snapshot
        With the parts `links` and `urls`.
    frontier
        Whether targets that were not captured are nodes.
    nofollow
        Whether links count that their page asks not to follow.
    self_loops
        Whether links of a page to itself count.
    hosts
        Whether the graphs of hosts and domains are made too.
    progress
        Where the build reports.

    Examples
    --------
    >>> import webstrata as ws
    >>> build_graph(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part links (parts: none yet); build it first
    """
    progress = progress or Progress()
    command = f"webstrata graph build {snapshot.collection.path} {snapshot.label}"
    with snapshot.build("graph", inputs=("links", "urls"), renew=command, progress=progress) as build:
        found = arcs(snapshot, frontier=frontier, nofollow=nofollow, self_loops=self_loops)
        num_nodes = _count_nodes(snapshot, frontier=frontier)
        offsets = np.searchsorted(found.sources, np.arange(num_nodes + 1)).astype(np.uint64)
        graph = RowsGraph(offsets, found.targets)
        forward = compress(*graph.rows(), build.path / FORWARD, progress=progress)
        compress(*graph.transpose().rows(), build.path / TRANSPOSE, progress=progress)
        if hosts:
            build_named(build.path, graph, _row_keys(snapshot, frontier=frontier), progress=progress)
        build.count(nodes=forward.num_nodes, arcs=forward.num_arcs, bits=forward.graph_bits)


def _count_nodes(snapshot: Snapshot, *, frontier: bool) -> int:
    from webstrata.store.urls import Urls

    with snapshot.open_part("urls") as part:
        count = len(Urls(part.path))
    return count + (len(frontier_keys(snapshot)) if frontier else 0)


def _row_keys(snapshot: Snapshot, *, frontier: bool) -> list[pa.Array]:
    """The row keys of the pages, and behind them those of the frontier."""
    from webstrata.store.urls import Urls

    part = snapshot.open_part("urls")
    keys = Urls(part.path, part).key_column
    return [keys, frontier_keys(snapshot)] if frontier else [keys]
