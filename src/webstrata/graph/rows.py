"""Graphs in memory: offsets and targets, 8 bytes a node and 4 an arc."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.graph.view import Graph, check_nodes, no_node

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Nodes, Rows


class RowsGraph(Graph):
    """A graph in memory, of rows that are not copied; successors must be in order and once each.

    Examples
    --------
    >>> RowsGraph.from_arcs([(0, 1), (1, 0)])
    <RowsGraph of 2 nodes and 2 arcs>
    """

    def __init__(self, offsets: npt.NDArray[np.uint64], targets: npt.NDArray[np.uint32]) -> None:
        self._offsets, self._targets = offsets, targets

    @classmethod
    def from_arcs(cls, arcs: npt.ArrayLike, *, num_nodes: int | None = None) -> RowsGraph:
        """The graph with these arcs, pairs in any order; see `Graph.from_arcs`.

        Examples
        --------
        >>> RowsGraph.from_arcs([(0, 1)], num_nodes=5).num_nodes
        5
        """
        pairs = np.asarray(arcs)
        if pairs.size == 0:
            pairs = pairs.reshape(0, 2).astype(np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
            raise ValueError(
                f"arcs: expected pairs of whole numbers, got {pairs.dtype} of shape {pairs.shape}"
            )
        least, most = (int(pairs.min()), int(pairs.max())) if len(pairs) else (0, -1)
        if num_nodes is None:
            num_nodes = most + 1
        if least < 0 or most >= num_nodes:
            raise no_node(least if least < 0 else most, num_nodes)
        if num_nodes >= 2**32:
            raise ValueError(f"num_nodes: expected fewer than 4 294 967 296, got {num_nodes}")
        keys = np.unique(pairs[:, 0].astype(np.uint64) << np.uint64(32) | pairs[:, 1].astype(np.uint64))
        offsets = np.searchsorted(keys, np.arange(num_nodes + 1, dtype=np.uint64) << np.uint64(32))
        return cls(offsets.astype(np.uint64), (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32))

    @property
    def num_nodes(self) -> int:
        """How many nodes there are."""
        return len(self._offsets) - 1

    @property
    def num_arcs(self) -> int:
        """How many arcs there are."""
        return len(self._targets)

    def rows(self, start: int = 0, end: int | None = None, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets of a range of nodes; the whole graph is not copied.

        Examples
        --------
        >>> RowsGraph.from_arcs([(0, 1), (1, 0)]).rows(1)[1].tolist()
        [0]
        """
        offsets = self._offsets[start : (self.num_nodes if end is None else end) + 1]
        if len(offsets) == 0:
            return np.zeros(1, dtype=np.uint64), self._targets[:0]
        targets = self._targets[int(offsets[0]) : int(offsets[-1])]
        return (offsets if offsets[0] == 0 else offsets - offsets[0]), targets

    def batch_successors(self, nodes: Nodes, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets: the successors of each of the nodes.

        Examples
        --------
        >>> RowsGraph.from_arcs([(0, 1), (1, 0)]).batch_successors([1, 1])[1].tolist()
        [0, 0]
        """
        wanted = check_nodes(nodes, self.num_nodes).astype(np.int64)
        begins, ends = self._offsets[wanted].astype(np.int64), self._offsets[wanted + 1].astype(np.int64)
        offsets = np.zeros(len(wanted) + 1, dtype=np.int64)
        np.cumsum(ends - begins, out=offsets[1:])
        places = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], ends - begins)
        return offsets.astype(np.uint64), self._targets[places]
