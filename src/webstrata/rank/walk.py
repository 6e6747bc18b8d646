"""The graph as the surfer walks it: who passes on how much to whom.

A node passes on what it has along its arcs, in equal shares or, where arcs have **weights**, in proportion to
them; a node whose arcs have no weight at all counts as one without arcs. Each node gathers from its
predecessors, so that what is read are the lists of the *transposed* graph: as rows in memory (4 bytes an arc,
12 with weights, and 8 a node), or straight from the compressed files, decoded anew in every pass and never
kept. The second takes some bits an arc, and a few times as long. Sweeps of PageRank take lists that are told
by their differences in place of rows: 10 bytes a node, and 2 (in the chunk) or 4 (elsewhere) for each node of
the few lists that differ by more than four from the one before.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata._core import rank as core
from webstrata.collection.progress import Progress
from webstrata.errors import UsageError
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.list_source import fits
from webstrata.graph.rows import RowsGraph

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata._core.graph import BvGraph
    from webstrata.graph.list_source import Lists
    from webstrata.graph.view import Graph

    Scores = npt.NDArray[np.float64]


class Walk:
    """A graph with its transpose, made ready for passes over all arcs; several measures can share one.

    Parameters
    ----------
    graph
        Any graph; `weights` and `present` are heeded.
    transpose
        The graph with all arcs turned round, where it is at hand.
    compressed
        Whether lists are decoded in every pass; else rows are made. By default rows, where they fit in 1 GiB.
    weighted
        Whether the weights of arcs count, where there are any.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> walk = Walk(Graph.from_arcs([(0, 1), (0, 2), (1, 2)]))
    >>> walk.gather(np.array([1.0, 10.0, 100.0])).tolist()
    [0.0, 1.0, 11.0]
    >>> walk.turned.gather(np.array([1.0, 10.0, 100.0])).tolist()
    [110.0, 100.0, 0.0]
    """

    def __init__(
        self,
        graph: Graph,
        *,
        transpose: Graph | None = None,
        compressed: bool | None = None,
        weighted: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self.graph = graph
        self.weighted = weighted and graph.weights is not None
        self.compressed = compressed
        self.progress = progress or Progress()
        self._transpose = transpose
        self._turned: Walk | None = None
        if transpose is not None and (transpose.num_nodes, transpose.num_arcs) != (
            graph.num_nodes,
            graph.num_arcs,
        ):
            raise ValueError(f"transpose: expected that of {graph!r}, got {transpose!r}")

    @property
    def num_nodes(self) -> int:
        """How many nodes there are."""
        return self.graph.num_nodes

    @property
    def present(self) -> npt.NDArray[np.bool_] | None:
        """Which nodes there are, where it is not all of them."""
        return self.graph.present

    @cached_property
    def transpose(self) -> Graph:
        """The graph with all arcs turned round, with weights where the graph has them."""
        turned = self._transpose if self._transpose is not None else self.graph.transpose()
        if self.weighted and turned.weights is None:
            assert self.graph.weights is not None
            offsets, targets = turned.rows(progress=self.progress)
            turned = RowsGraph(offsets, targets)
            turned.weights = self.graph.weights[np.argsort(self.graph.rows()[1], kind="stable")]
        return turned

    @property
    def turned(self) -> Walk:
        """The walk of a surfer who follows arcs against their direction: that of CheiRank."""
        if self._turned is None:
            self._turned = Walk(
                self.transpose,
                transpose=self.graph,
                compressed=self.compressed,
                weighted=self.weighted,
                progress=self.progress,
            )
            self._turned._turned = self
        return self._turned

    @cached_property
    def lists(self) -> Lists:
        """Where the predecessors of each node are: rows, or the files of the transpose."""
        files, is_read = self._files
        return files if files is not None and is_read else self.transpose.rows(progress=self.progress)

    @cached_property
    def folds(self) -> core.Folds | BvGraph:
        """The same for sweeps: lists told by their differences, in memory, or the files."""
        files, is_read = self._files
        if files is not None and is_read:
            return files
        # no need of rows where there are files
        rows = self.lists if files is None or "lists" in self.__dict__ else files
        with self.progress.task("folding lists", unit="nodes", total=self.num_nodes) as task:
            return core.Folds(rows, self.weights, self.shares, task.advance)

    @cached_property
    def _files(self) -> tuple[BvGraph | None, bool]:
        """The files of the transpose, where there are any that say it all; and whether passes read them."""
        turned = self.transpose
        has_files = isinstance(turned, BVGraph) and type(turned).rows is BVGraph.rows
        if self.compressed and (not has_files or self.weighted):
            reason = (
                "arcs have weights, and these are kept beside rows; take `weighted` away"
                if self.weighted
                else "the transpose has no files; write it"
            )
            raise UsageError(f"compressed: {reason}, or leave `compressed` out")
        if not isinstance(turned, BVGraph) or not has_files or self.weighted:
            return None, False
        return turned.files, self.compressed or (self.compressed is None and not fits(turned))

    @cached_property
    def weights(self) -> Scores | None:
        """The weight of each arc, in the order of `lists`; none where all count alike."""
        if not self.weighted:
            return None
        weights = _checked(self.transpose.weights)
        return np.ascontiguousarray(weights, np.float64)

    @property
    def given(self) -> Scores:
        """What each node has to divide by: its outdegree, or the sum of the weights of its arcs."""
        if not self.weighted:
            return self.graph.outdegrees().astype(np.float64)
        weights = _checked(self.graph.weights)
        ends = np.append(0.0, np.cumsum(weights, dtype=np.float64))
        offsets = self.graph.rows(progress=self.progress)[0].astype(np.int64)
        return np.diff(ends[offsets])

    @cached_property
    def shares(self) -> Scores:
        """What a node passes on along an arc of weight 1, of 1 that it has; 0 without arcs."""
        given = self.given
        return np.divide(1.0, given, out=np.zeros(len(given)), where=given > 0)

    def gather(self, values: Scores) -> Scores:
        """For each node the sum over its predecessors, times weights; of several columns at once too."""
        table = np.ascontiguousarray(values, np.float64).reshape(self.num_nodes, -1)
        sums = np.zeros_like(table)
        if table.size:
            with self.progress.task("a pass over all arcs", unit="nodes") as task:
                core.multiply(self.lists, self.weights, table, sums, task.advance)
        return sums.reshape(np.shape(values))

    def preference(self, weights: npt.ArrayLike | None) -> Scores:
        """A preference as it is used: of sum 1, and 0 for nodes that are not there.

        Examples
        --------
        >>> from webstrata.graph import Graph
        >>> Walk(Graph.from_arcs([(0, 1)])).preference([3, 1]).tolist()
        [0.75, 0.25]
        """
        num_nodes = self.num_nodes
        if weights is None:
            there = np.ones(num_nodes) if self.present is None else self.present.astype(np.float64)
            alike: Scores = there / there.sum()
            return alike
        found = np.ascontiguousarray(weights, dtype=np.float64)
        if found.shape != (num_nodes,):
            raise UsageError(
                f"preference: expected a number for each of the {num_nodes} nodes, got shape {found.shape}"
            )
        if not np.isfinite(found).all() or (found < 0).any():
            wrong = found[~(np.isfinite(found) & (found >= 0))][0]
            raise UsageError(f"preference: expected numbers of at least 0, got {wrong} among them")
        if self.present is not None:
            found = found * self.present
        total = float(found.sum())
        if not 0 < total < np.inf:
            raise UsageError(
                "preference: expected a number above 0 for some node that is there, got none"
                if total == 0
                else f"preference: expected numbers whose sum is one, got {total}"
            )
        normal: Scores = found / total
        return normal


def _checked(weights: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
    assert weights is not None
    if len(weights) and not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise UsageError("weights: expected numbers of at least 0 for all arcs, got others")
    return weights
