"""The union graph at a time, over a range, as it was born and died: graphs like any other, without a copy.

A view keeps the arcs of the union whose labels meet a condition, and has the nodes whose labels meet another;
node numbers are those of the union, so that vectors of different months can be compared. Nodes that a view
has not have no arcs in it, `View.present` is false there, and `pagerank` gives them nothing.

=================  ==========================================  =======================================
view               arcs                                        nodes
=================  ==========================================  =======================================
``at(m)``          alive in m                                  alive in m
``between(a, b)``  alive at some time from a to b, both        alive at some time from a to b
                   included
``born_at(m)``     alive in m, and in no snapshot before       alive in m
``died_at(m)``     alive in the snapshot before m, and in      alive in the snapshot before m
                   none from m on
``stable()``       alive in all snapshots                      alive in all snapshots
``a & b``          of both                                     of both
``a | b``          of one or the other                         of one or the other
``a - b``          of a that b has not                         of a
=================  ==========================================  =======================================

An arc that was away for a month is born once and dies once, where it was first and last seen; ``at(m) -
at(before)`` are the arcs that are new in m, whether they were there before or not. How many arcs a view has
is counted by label, and nothing is decoded for it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstrata.errors import MissingError, UsageError
from webstrata.graph.rows import RowsGraph
from webstrata.graph.view import BLOCK, Graph
from webstrata.temporal.conditions import Condition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Nodes, Rows
    from webstrata.temporal.labels import LabelledGraph


class View(Graph):
    """Some arcs and nodes of a union graph; made by `TemporalGraph`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.temporal.labels import label_arcs
    >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b11)]
    >>> months = ["2026-01", "2026-02"]
    >>> time = TemporalGraph(label_arcs(testing.scratch() / "union", arcs, snapshots=months))
    >>> time.at("2026-02")
    <View of 3 of 3 nodes and 2 of 3 arcs: at 2026-02>
    >>> time.at("2026-02").successors(0).tolist(), (time.at("2026-02") - time.at("2026-01")).num_arcs
    ([2], 1)
    """

    def __init__(
        self,
        forward: LabelledGraph,
        backward: LabelledGraph | None,
        *,
        arcs: Condition,
        nodes: Condition,
        name: str,
    ) -> None:
        self._forward, self._backward = forward, backward
        self.arc_condition, self.node_condition, self.name = arcs, nodes, name

    @cached_property
    def present(self) -> NDArray[np.bool_]:  # type: ignore[override]
        """Which nodes of the union the view has; looked at when first asked for, since there may be many."""
        return self.node_condition.holds(self._forward.node_labels)

    @property
    def num_nodes(self) -> int:
        """How many nodes the union has: all vectors have this length."""
        return self._forward.num_nodes

    @cached_property
    def num_present(self) -> int:
        """How many nodes the view has."""
        return int(np.count_nonzero(self.present))

    @cached_property
    def num_arcs(self) -> int:
        """How many arcs the view has, counted by label."""
        labels, counts = self._forward.label_counts
        return int(counts[self.arc_condition.holds(labels)].sum())

    @property
    def nodes(self) -> NDArray[np.uint32]:
        """The nodes that the view has, in order.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.temporal.labels import label_arcs
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10)]
        >>> union = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> TemporalGraph(union).at("2026-02").nodes.tolist()
        [0, 2]
        """
        return np.flatnonzero(self.present).astype(np.uint32)

    def batch_successors(self, nodes: Nodes, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets: the successors of each of the nodes.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.temporal.labels import label_arcs
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10)]
        >>> union = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> TemporalGraph(union).at("2026-02").batch_successors([1, 0])[1].tolist()
        [2]
        """
        return self._forward.kept_successors(self.arc_condition.terms, nodes, progress=progress)

    def rows(self, start: int = 0, end: int | None = None, *, progress: Progress | None = None) -> Rows:
        """Offsets and targets of a range of nodes, read in order.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.temporal.labels import label_arcs
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10)]
        >>> union = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> TemporalGraph(union).at("2026-01").rows()[1].tolist()
        [1]
        """
        end = self.num_nodes if end is None else end
        return self._forward.kept_rows(self.arc_condition.terms, start, end, progress=progress)

    def outdegrees(self, nodes: Nodes | None = None) -> NDArray[np.uint32]:
        """How many successors each of the nodes has; of all nodes if none are given.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.temporal.labels import label_arcs
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b11)]
        >>> union = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> TemporalGraph(union).at("2026-01").outdegrees().tolist()
        [2, 0, 0]
        """
        if nodes is not None:
            return super().outdegrees(nodes)
        blocks = [np.diff(rows[0]).astype(np.uint32) for _, rows in self.iter_blocks(BLOCK)]
        return np.concatenate([np.zeros(0, np.uint32), *blocks])

    def transpose(self) -> Graph:
        """The view with all arcs turned round: of the transposed union where there is one, else in memory.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.temporal.labels import label_arcs
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b11)]
        >>> union = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> TemporalGraph(union).at("2026-02").transpose().successors(2).tolist()
        [0]
        """
        if self._backward is not None:
            return View(
                self._backward,
                self._forward,
                arcs=self.arc_condition,
                nodes=self.node_condition,
                name=f"transpose of {self.name}",
            )
        turned = super().transpose()
        turned.present = self.present
        return turned

    def induced(self) -> tuple[Graph, NDArray[np.uint32]]:
        """A graph in memory of the nodes that the view has, renumbered in order; and which they are.

        For algorithms that count all nodes of a graph, and for a month as it was by itself.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.temporal.labels import label_arcs
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10)]
        >>> union = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph, nodes = TemporalGraph(union).at("2026-02").induced()
        >>> graph.successors(0).tolist(), nodes.tolist()
        ([1], [0, 2])
        """
        offsets, targets = self.rows()
        numbers = np.cumsum(self.present, dtype=np.int64) - 1
        degrees = np.diff(offsets)[self.present]
        begins = np.append(np.uint64(0), np.cumsum(degrees, dtype=np.uint64))
        # where a graph does not keep to the labels of nodes, arcs may have ends that are not there
        owners = np.repeat(self.present, np.diff(offsets).astype(np.int64))
        is_inside = owners & self.present[targets]
        if not is_inside.all():
            kept = np.append(0, np.cumsum(is_inside))[offsets.astype(np.int64)]
            begins = np.append(0, np.cumsum(np.diff(kept)[self.present])).astype(np.uint64)
        return RowsGraph(begins, numbers[targets[is_inside]].astype(np.uint32)), self.nodes

    def _same(self, other: View) -> None:
        if not isinstance(other, View) or other._forward is not self._forward:
            raise ValueError("views: expected two of the same graph, got others")

    def _joined(self, other: View, *, arcs: Condition, nodes: Condition, sign: str) -> View:
        name = f"({self.name}) {sign} ({other.name})"
        return View(self._forward, self._backward, arcs=arcs, nodes=nodes, name=name)

    def __and__(self, other: View) -> View:
        self._same(other)
        arcs = self.arc_condition & other.arc_condition
        return self._joined(other, arcs=arcs, nodes=self.node_condition & other.node_condition, sign="&")

    def __or__(self, other: View) -> View:
        self._same(other)
        arcs = self.arc_condition | other.arc_condition
        return self._joined(other, arcs=arcs, nodes=self.node_condition | other.node_condition, sign="|")

    def __sub__(self, other: View) -> View:
        self._same(other)
        arcs = self.arc_condition & ~other.arc_condition
        return self._joined(other, arcs=arcs, nodes=self.node_condition, sign="-")

    def __repr__(self) -> str:
        return (
            f"<View of {self.num_present:,} of {self.num_nodes:,} nodes and "
            f"{self.num_arcs:,} of {self._forward.num_arcs:,} arcs: {self.name}>"
        )


class GraphDifference(NamedTuple):
    """What changed between two snapshots."""

    gained: View
    lost: View


class TemporalGraph:
    """Snapshots in one graph, forward and, where it was made, backward.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.temporal.labels import label_arcs
    >>> arcs = [(0, 1, 0b011), (0, 2, 0b110), (1, 2, 0b111)]
    >>> months = ["2026-01", "2026-02", "2026-03"]
    >>> time = TemporalGraph(label_arcs(testing.scratch() / "union", arcs, snapshots=months))
    >>> time.at("2026-01").num_arcs, time.born_at("2026-02").num_arcs, time.died_at("2026-03").num_arcs
    (2, 1, 1)
    >>> time.history(0, 2)
    ('2026-02', '2026-03')
    >>> [view.num_arcs for view in time.diff("2026-01", "2026-03")]
    [1, 1]
    """

    def __init__(self, forward: LabelledGraph, backward: LabelledGraph | None = None) -> None:
        if backward is not None and (backward.num_nodes, backward.num_arcs, backward.snapshots) != (
            forward.num_nodes,
            forward.num_arcs,
            forward.snapshots,
        ):
            raise ValueError("backward: expected the transpose of the same snapshots, got another graph")
        self.forward, self.backward = forward, backward

    @property
    def snapshots(self) -> tuple[str, ...]:
        """The labels of the snapshots, the oldest first."""
        return self.forward.snapshots

    @property
    def num_nodes(self) -> int:
        """Nodes of the union."""
        return self.forward.num_nodes

    @property
    def num_arcs(self) -> int:
        """Arcs of the union."""
        return self.forward.num_arcs

    @property
    def num_link_instances(self) -> int:
        """Arcs counted in each snapshot that has them."""
        return self.forward.num_link_instances

    # ---- views

    def place(self, snapshot: str) -> int:
        """The bit of a snapshot in labels; one that is not there is refused."""
        try:
            return self.snapshots.index(snapshot)
        except ValueError:
            raise MissingError(
                f"{snapshot}: there is no such snapshot in the union; it has {', '.join(self.snapshots)}"
            ) from None

    def _view(self, arcs: Condition, nodes: Condition, name: str) -> View:
        return View(self.forward, self.backward, arcs=arcs, nodes=nodes, name=name)

    def at(self, snapshot: str) -> View:
        """The graph as it was in a snapshot."""
        condition = Condition.all_of(1 << self.place(snapshot))
        return self._view(condition, condition, f"at {snapshot}")

    def between(self, first: str, last: str) -> View:
        """Arcs and nodes alive at some time from `first` to `last`, both included."""
        begin, end = self.place(first), self.place(last)
        if begin > end:
            raise UsageError(f"{first} to {last}: the range ends before it begins; name the older one first")
        condition = Condition.any_of((1 << end + 1) - (1 << begin))
        return self._view(condition, condition, f"between {first} and {last}")

    def born_at(self, snapshot: str) -> View:
        """Arcs seen for the first time in a snapshot, among its nodes."""
        bit = 1 << self.place(snapshot)
        arcs = Condition.all_of(bit, none_of=bit - 1)
        return self._view(arcs, Condition.all_of(bit), f"born at {snapshot}")

    def died_at(self, snapshot: str) -> View:
        """Arcs seen for the last time in the snapshot before, among the nodes of that one."""
        place = self.place(snapshot)
        if place == 0:
            none = Condition(())
            return self._view(none, none, f"died at {snapshot}")
        before, after = 1 << place - 1, (1 << len(self.snapshots)) - (1 << place)
        arcs = Condition.all_of(before, none_of=after)
        return self._view(arcs, Condition.all_of(before), f"died at {snapshot}")

    def stable(self) -> View:
        """Arcs and nodes alive in all snapshots."""
        condition = Condition.all_of((1 << len(self.snapshots)) - 1)
        return self._view(condition, condition, "stable")

    def diff(self, before: str, after: str) -> GraphDifference:
        """The arcs that the later of two snapshots gained and lost."""
        one, other = self.at(before), self.at(after)
        return GraphDifference(gained=other - one, lost=one - other)

    # ---- nodes and arcs

    def labels(self, node: int) -> NDArray[np.uint64]:
        """The label of each of a node's arcs, in the order of `successors`."""
        return self.forward.labels(node)

    def node_label(self, node: int) -> int:
        """The mask of the snapshots that have a node."""
        return self.forward.node_label(node)

    def successors(self, node: int) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The targets of a node's arcs at any time, and the labels of the arcs."""
        return self.forward.labelled_successors(node)

    def predecessors(self, node: int) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The sources of arcs to a node at any time, and the labels of the arcs."""
        if self.backward is None:
            raise MissingError("predecessors: the union has no transpose; build it with one")
        return self.backward.labelled_successors(node)

    def history(self, node: int, target: int | None = None) -> tuple[str, ...]:
        """The snapshots that have a node, or its arc to `target`; none where there never was one."""
        label = self.node_label(node)
        if target is not None:
            targets, labels = self.successors(node)
            found = labels[targets == target]
            label = int(found[0]) if len(found) else 0
        return tuple(name for bit, name in enumerate(self.snapshots) if label >> bit & 1)

    # ---- counts by label, without decoding arcs

    def _overlap(self, labels: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        number = len(self.snapshots)
        bits = (labels[:, None] >> np.arange(number, dtype=np.uint64) & np.uint64(1)).astype(np.int64)
        found: NDArray[np.int64] = (bits * counts[:, None]).T @ bits
        return found

    def arc_overlap(self) -> NDArray[np.int64]:
        """How many arcs each two snapshots have in common; those of each on the diagonal."""
        return self._overlap(*self.forward.label_counts)

    def node_overlap(self) -> NDArray[np.int64]:
        """How many nodes each two snapshots have in common; those of each on the diagonal."""
        return self._overlap(*np.unique(self.forward.node_labels, return_counts=True))

    def views(self) -> Iterator[tuple[str, View]]:
        """Each snapshot with its view, the oldest first."""
        for name in self.snapshots:
            yield name, self.at(name)

    def __repr__(self) -> str:
        return (
            f"<TemporalGraph of {self.num_nodes:,} nodes, {self.num_arcs:,} arcs and "
            f"{self.num_link_instances:,} link instances, {self.snapshots[0]} to {self.snapshots[-1]}>"
        )
