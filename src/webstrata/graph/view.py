"""What every graph can do: compressed, in memory, of hosts, at one time.

Nodes are 0 … n - 1. A graph gives the successors of many nodes at once as **rows**: two arrays ``offsets``
and ``targets``, the successors of the i-th node asked for being ``targets[offsets[i]:offsets[i + 1]]``, in
order and once each. With all nodes in order that is the CSR form of the adjacency matrix. A graph that is new
to this package brings `num_nodes`, `num_arcs`, `batch_successors` and `rows`; the rest follows from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt

    from webstrata.collection.progress import Progress

    Nodes = Sequence[int] | npt.NDArray[np.integer[Any]]
    Rows = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]

BLOCK = 1 << 16
"""Nodes of a block when one goes through a graph."""


class Graph(ABC):
    """A directed graph of nodes 0 … n - 1.

    Examples
    --------
    >>> graph = Graph.from_arcs([(0, 1), (0, 2), (2, 0)], num_nodes=3)
    >>> graph.num_arcs, graph.successors(0).tolist(), graph.outdegree(1)
    (3, [1, 2], 0)
    """

    @staticmethod
    def open(
        basename: str | PathLike[str], *, mapped: bool = True, progress: Progress | None = None
    ) -> Graph:
        """The BVGraph with this basename, mapped or in memory; nothing is written beside it.

        Examples
        --------
        >>> basename = getfixture("tmp_path") / "uk"
        >>> Graph.from_arcs([(0, 1), (1, 0)]).write(basename).num_arcs
        2
        >>> Graph.open(basename).successors(1).tolist()
        [0]
        """
        from webstrata.graph.bvgraph import BVGraph

        return BVGraph(basename, mapped=mapped, progress=progress)

    @staticmethod
    def from_arcs(arcs: npt.ArrayLike, *, num_nodes: int | None = None) -> Graph:
        """The graph in memory with these arcs, pairs in any order; those that come twice count once.

        Examples
        --------
        >>> Graph.from_arcs([(2, 0), (2, 0), (1, 2)]).num_arcs
        2
        """
        from webstrata.graph.rows import RowsGraph

        return RowsGraph.from_arcs(arcs, num_nodes=num_nodes)

    @property
    @abstractmethod
    def num_nodes(self) -> int:
        """How many nodes there are."""

    @property
    @abstractmethod
    def num_arcs(self) -> int:
        """How many arcs there are."""

    @abstractmethod
    def batch_successors(self, nodes: Nodes, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets: the successors of each of the nodes.

        Examples
        --------
        >>> offsets, targets = Graph.from_arcs([(0, 1), (0, 2), (2, 0)]).batch_successors([2, 1, 0])
        >>> offsets.tolist(), targets.tolist()
        ([0, 1, 1, 3], [0, 1, 2])
        """

    @abstractmethod
    def rows(self, start: int = 0, end: int | None = None, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets of the nodes from `start` to before `end`; by default the whole graph as CSR.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (2, 0)]).rows(1)[0].tolist()
        [0, 0, 1]
        """

    def successors(self, node: int) -> npt.NDArray[np.uint32]:
        """The targets of a node's arcs, in order.

        Examples
        --------
        >>> Graph.from_arcs([(0, 2), (0, 1)]).successors(0).tolist()
        [1, 2]
        """
        return self.batch_successors([node])[1]

    def outdegree(self, node: int) -> int:
        """How many successors a node has.

        Examples
        --------
        >>> Graph.from_arcs([(0, 2), (0, 1)]).outdegree(0)
        2
        """
        return len(self.successors(node))

    def outdegrees(self, nodes: Nodes | None = None) -> npt.NDArray[np.uint32]:
        """How many successors each of the nodes has; of all nodes if none are given.

        Examples
        --------
        >>> Graph.from_arcs([(0, 2), (0, 1)]).outdegrees().tolist()
        [2, 0, 0]
        """
        offsets = self.rows()[0] if nodes is None else self.batch_successors(nodes)[0]
        return np.diff(offsets).astype(np.uint32)

    def iter_blocks(self, size: int = BLOCK) -> Iterator[tuple[int, Rows]]:
        """The first node of each block of nodes with its rows, the whole graph in order.

        Examples
        --------
        >>> [(start, len(rows[1])) for start, rows in Graph.from_arcs([(0, 1), (2, 0)]).iter_blocks(2)]
        [(0, 1), (2, 1)]
        """
        for start in range(0, self.num_nodes, size):
            yield start, self.rows(start, min(start + size, self.num_nodes))

    def transpose(self) -> Graph:
        """The graph with all arcs turned round, in memory.

        Examples
        --------
        >>> Graph.from_arcs([(0, 2), (1, 2)]).transpose().successors(2).tolist()
        [0, 1]
        """
        from webstrata.graph.rows import RowsGraph

        offsets, targets = self.rows()
        return RowsGraph(*_turned(offsets, targets))

    def permuted(self, permutation: Nodes) -> Graph:
        """The graph with its nodes renumbered, in memory: node x becomes ``permutation[x]``; see `order`.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (0, 2)]).permuted([2, 0, 1]).successors(2).tolist()
        [0, 1]
        """
        from webstrata.graph.order import permute

        return permute(self, permutation)

    def write(self, basename: str | PathLike[str], *, progress: Progress | None = None) -> Graph:
        """Compress this graph to files with this basename, and open it there.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1)]).write(getfixture("tmp_path") / "uk").num_nodes
        2
        """
        from webstrata.graph.bvgraph import compress

        compress(*self.rows(), basename, progress=progress)
        return Graph.open(basename)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.num_nodes:,} nodes and {self.num_arcs:,} arcs>"


def _turned(offsets: npt.NDArray[np.uint64], targets: npt.NDArray[np.uint32]) -> Rows:
    """Rows of the transpose; a stable sort by target leaves the sources in order."""
    num_nodes = len(offsets) - 1
    sources = np.repeat(np.arange(num_nodes, dtype=np.uint32), np.diff(offsets).astype(np.int64))
    order = np.argsort(targets, kind="stable")
    turned = np.zeros(num_nodes + 1, dtype=np.uint64)
    np.cumsum(np.bincount(targets, minlength=num_nodes), out=turned[1:])
    return turned, sources[order]
