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

from webstrata.collection.tables import SHOWN, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.collection.progress import Progress
    from webstrata.graph.settings import GraphSettings

    Nodes = Sequence[int] | npt.NDArray[np.integer[Any]]
    Rows = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]

BLOCK = 1 << 16
"""Nodes of a block when one goes through a graph."""


class Graph(Table, ABC):
    """A directed graph of nodes 0 … n - 1.

    Examples
    --------
    >>> graph = Graph.from_arcs([(0, 1), (0, 2), (2, 0)], num_nodes=3)
    >>> graph.num_arcs, graph.successors(0).tolist(), graph.outdegree(1)
    (3, [1, 2], 0)
    """

    weights: npt.NDArray[Any] | None = None
    """A number for each arc in the order of `rows`, where there are any."""

    present: npt.NDArray[np.bool_] | None = None
    """Which nodes there are, where a graph (at one time, say) has not all; the others have no arcs."""

    @staticmethod
    def open(
        basename: str | PathLike[str], *, mapped: bool = True, progress: Progress | None = None
    ) -> Graph:
        """The BVGraph with this basename, mapped or in memory; nothing is written beside it.

        Examples
        --------
        >>> from webstrata import testing
        >>> basename = testing.scratch() / "uk"
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

    @property
    def num_present(self) -> int:
        """How many of the nodes there are; all, but for a graph at one time.

        Examples
        --------
        >>> graph = Graph.from_arcs([(0, 2)])
        >>> graph.present = np.array([True, False, True])
        >>> graph.num_nodes, graph.num_present
        (3, 2)
        """
        return self.num_nodes if self.present is None else int(np.count_nonzero(self.present))

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
        turned = RowsGraph(*_turned(offsets, targets))
        turned.present = self.present
        return turned

    def permuted(self, permutation: Nodes) -> Graph:
        """The graph with its nodes renumbered, in memory: node x becomes ``permutation[x]``; see `order`.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (0, 2)]).permuted([2, 0, 1]).successors(2).tolist()
        [0, 1]
        """
        from webstrata.graph.order import permute

        return permute(self, permutation)

    def write(
        self,
        basename: str | PathLike[str],
        *,
        parameters: GraphSettings | None = None,
        progress: Progress | None = None,
    ) -> Graph:
        """Compress this graph to files with this basename, block by block, and open it there.

        Examples
        --------
        >>> from webstrata import testing
        >>> Graph.from_arcs([(0, 1)]).write(testing.scratch() / "uk").num_nodes
        2
        """
        from webstrata.graph.compress import GraphWriter

        with GraphWriter(basename, self.num_nodes, parameters=parameters, progress=progress) as writer:
            for _, rows in self.iter_blocks(4 * BLOCK):
                writer.append(*rows)
            writer.finish()
        return Graph.open(basename)

    def to_scipy(self, dtype: npt.DTypeLike = np.float64) -> Any:  # noqa: ANN401
        """The adjacency matrix as `scipy.sparse.csr_array`, of ones or of the weights.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (1, 0)]).to_scipy().nnz
        2
        """
        from webstrata.graph import handover

        return handover.to_scipy(self, dtype)

    def to_arrow(self) -> pa.Table:
        """The arcs as a table of Arrow: source, target, and weight where there are weights.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (1, 0)]).to_arrow().column_names
        ['source', 'target']
        """
        from webstrata.graph import handover

        return handover.to_arrow(self)

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first arcs, and how many there are."""
        import pyarrow as pa

        sources: list[int] = []
        targets: list[int] = []
        for first, (offsets, found) in self.iter_blocks(1024):
            degrees = np.diff(offsets).astype(np.int64)
            sources += np.repeat(np.arange(first, first + len(degrees)), degrees)[:number].tolist()
            targets += found[:number].tolist()
            if len(sources) >= number:
                break
        columns = {"source": sources[:number], "target": targets[:number]}
        if self.weights is not None:
            columns["weight"] = np.asarray(self.weights[: len(columns["source"])]).tolist()
        return pa.table(columns), self.num_arcs

    def node_attributes(self) -> dict[str, list[str]]:
        """Texts of each node, by attribute; those of a snapshot's graph are ``url`` and ``host``.

        Examples
        --------
        >>> from webstrata import testing
        >>> {name: texts[0] for name, texts in testing.snapshot().graph.node_attributes().items()}
        {'url': 'http://garden.example/', 'host': 'garden.example'}
        """
        return {}

    def to_networkx(self) -> Any:  # noqa: ANN401
        """A `networkx.DiGraph` of the same nodes and arcs, with `node_attributes`; for small graphs.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (1, 0)]).to_networkx().number_of_edges()
        2
        """
        from webstrata.graph import handover

        return handover.to_networkx(self)

    def to_igraph(self) -> Any:  # noqa: ANN401
        """An `igraph.Graph` of the same nodes and arcs, with `node_attributes`.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (1, 0)]).to_igraph().ecount()
        2
        """
        from webstrata.graph import handover

        return handover.to_igraph(self)

    def to_networkit(self) -> Any:  # noqa: ANN401
        """A `networkit.Graph` of the same nodes and arcs, with `node_attributes` attached.

        Examples
        --------
        >>> Graph.from_arcs([(0, 1), (1, 0)]).to_networkit().numberOfEdges()
        2
        """
        from webstrata.graph import handover

        return handover.to_networkit(self)

    @staticmethod
    def from_scipy(matrix: Any) -> Graph:  # noqa: ANN401
        """The graph in memory of a square sparse matrix.

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> Graph.from_scipy(csr_array([[0, 1], [0, 0]])).num_arcs
        1
        """
        from webstrata.graph import handover

        return handover.from_scipy(matrix)

    @staticmethod
    def from_networkx(graph: Any) -> Graph:  # noqa: ANN401
        """The graph in memory of a NetworkX graph; see `handover` for igraph and NetworKit.

        Examples
        --------
        >>> import networkx
        >>> Graph.from_networkx(networkx.DiGraph([(0, 1)])).num_arcs
        1
        """
        from webstrata.graph import handover

        return handover.from_networkx(graph)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.num_nodes:,} nodes and {self.num_arcs:,} arcs>"


def no_node(number: object, num_nodes: int) -> ValueError:
    """What is raised for a number that is no node of a graph.

    Examples
    --------
    >>> no_node(7, 3)
    ValueError('nodes: expected numbers below the 3 nodes of the graph, got 7')
    """
    return ValueError(f"nodes: expected numbers below the {num_nodes} nodes of the graph, got {number}")


def check_nodes(nodes: Nodes, num_nodes: int) -> npt.NDArray[np.uint32]:
    """The nodes as the core takes them; the first that is none is refused.

    Examples
    --------
    >>> check_nodes([2, 0], 3)
    array([2, 0], dtype=uint32)
    >>> check_nodes([0, -1], 3)
    Traceback (most recent call last):
    ValueError: nodes: expected numbers below the 3 nodes of the graph, got -1
    """
    numbers = np.ascontiguousarray(nodes)
    if numbers.size == 0:
        return np.empty(0, np.uint32)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"nodes: expected whole numbers, got {numbers.dtype} of shape {numbers.shape}")
    if int(numbers.min()) < 0 or int(numbers.max()) >= num_nodes:
        raise no_node(numbers[(numbers < 0) | (numbers >= num_nodes)][0], num_nodes)
    return numbers.astype(np.uint32, copy=False)


def _turned(offsets: npt.NDArray[np.uint64], targets: npt.NDArray[np.uint32]) -> Rows:
    """Rows of the transpose; a stable sort by target leaves the sources in order."""
    num_nodes = len(offsets) - 1
    sources = np.repeat(np.arange(num_nodes, dtype=np.uint32), np.diff(offsets).astype(np.int64))
    order = np.argsort(targets, kind="stable")
    turned = np.zeros(num_nodes + 1, dtype=np.uint64)
    np.cumsum(np.bincount(targets, minlength=num_nodes), out=turned[1:])
    return turned, sources[order]
