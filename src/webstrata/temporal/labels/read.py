"""A union graph with the labels of its nodes and arcs, open.

The graph, its pointers and the stream of labels are mapped or in memory. To open them takes the same time
whatever there is in them, but for a checksum of labels of nodes and codebooks as they are compressed: these
are decoded when the first label is asked for, some nanoseconds and 8 bytes a node. Who asks for lists of the
union alone never pays for it.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstrata._core import temporal as core
from webstrata.collection.action import rebuild
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.view import BLOCK, Graph, check_nodes, no_node
from webstrata.temporal.labels.container import (
    MAPPED,
    ContainerDescription,
    file_of,
    fingerprint,
    read_description,
    read_section,
    unpack_books,
    unpack_nodes,
    unpack_numbers,
)
from webstrata.temporal.labels.write import CODINGS, write_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    import numpy.typing as npt
    from numpy.typing import NDArray

    from webstrata.graph.settings import GraphSettings
    from webstrata.graph.view import Nodes, Rows

    Labels = NDArray[np.uint64]
    Term = tuple[int, int, int]

_RUNS_BOOKS = 68
"""Of the coding ``runs``; the other one has at most one for each node."""


class LabelledRows(NamedTuple):
    """Rows of a graph (see `webstrata.graph.view`), with a label for each target."""

    offsets: NDArray[np.uint64]
    targets: NDArray[np.uint32]
    labels: Labels


class LabelledGraph(BVGraph):
    """A graph of all snapshots: its own lists are those of the union.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> from webstrata.temporal.labels import write_labels
    >>> path = testing.scratch() / "union"
    >>> _ = Graph.from_arcs([(0, 1), (0, 2), (1, 2)]).write(path)
    >>> nodes, arcs = np.array([3, 3, 2], np.uint64), np.array([1, 2, 2], np.uint64)
    >>> write_labels(path, path, node_labels=nodes, arc_labels=arcs, num_snapshots=2)
    >>> graph = LabelledGraph.open(path, path, snapshots=["2026-01", "2026-02"])
    >>> graph
    <LabelledGraph of 3 nodes, 3 arcs and 3 link instances in 2 snapshots>
    >>> graph.successors(0).tolist(), graph.labels(0).tolist(), graph.node_label(2)
    ([1, 2], [1, 2], 2)
    >>> graph.batch_labelled_successors([1, 0]).labels.tolist()
    [2, 1, 2]
    """

    def __init__(
        self,
        graph: Path,
        labels: Path,
        *,
        snapshots: Sequence[str],
        mapped: bool = True,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(graph, mapped=mapped, progress=progress)
        self.snapshots = tuple(snapshots)
        """Labels of the snapshots in order, the oldest first."""
        self._path = file_of(labels)
        self.description: ContainerDescription = read_description(self._path)
        """What the file of labels says about itself."""
        self._refuse_others(graph)
        self._is_mapped = mapped

    @cached_property
    def node_labels(self) -> Labels:
        """The label of each node, decoded when it is first asked for.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph.node_labels.tolist()
        [3, 1, 2]
        """
        data = self._section("nodes")
        with self._located():
            found = unpack_nodes(data, self.num_nodes)
        if len(found) != self.num_nodes:
            raise self._of_another(f"labels of {len(found)} nodes", f"{self.num_nodes}")
        found.flags.writeable = False
        return found

    @classmethod
    def open(  # type: ignore[override]
        cls,
        graph: Path,
        labels: Path,
        *,
        snapshots: Sequence[str],
        mapped: bool = True,
        progress: Progress | None = None,
    ) -> LabelledGraph:
        """The graph and the labels with these basenames, mapped or in memory.

        Files that are not there, newer, cut off, damaged, or of another graph are refused in a sentence.

        Examples
        --------
        >>> from webstrata import testing
        >>> months = ["2026-01", "2026-02"]
        >>> path = testing.scratch() / "union"
        >>> _ = label_arcs(path, [(0, 1, 0b01), (0, 2, 0b11)], snapshots=months)
        >>> LabelledGraph.open(path, path, snapshots=months).labels(0).tolist()
        [1, 3]
        """
        return cls(Path(graph), Path(labels), snapshots=snapshots, mapped=mapped, progress=progress)

    def _section(self, name: str) -> bytes:
        return read_section(self._path, self.description.sections[name])

    @contextmanager
    def _located(self) -> Iterator[None]:
        """Say of what cannot be read where it is."""
        try:
            yield
        except FormatError as error:
            raise FormatError(f"{self._path}: {error}") from error

    def _of_another(self, found: str, expected: str) -> FormatError:
        return FormatError(
            f"{self._path}: it has {found}, and the graph {expected}; the labels are those of another graph, "
            "build them again"
        )

    def _refuse_others(self, graph: Path) -> None:
        about = self.description
        if (about.num_nodes, about.num_arcs) != (self.num_nodes, self.num_arcs):
            raise self._of_another(
                f"labels of {about.num_nodes} nodes and {about.num_arcs} arcs",
                f"{self.num_nodes} and {self.num_arcs}",
            )
        if (about.graph_bytes, about.graph_print) != fingerprint(graph):
            raise self._of_another("labels of a graph coded in other bits", "has these")
        if len(self.snapshots) != about.num_snapshots:
            raise ValueError(
                f"snapshots: expected the {about.num_snapshots} of {self._path}, got {len(self.snapshots)}"
            )

    @cached_property
    def _labels(self) -> core.Labels:
        about = self.description
        # a symbol in a book is somewhere in the stream, in a bit at least unless its book has no other
        num_books = self.num_nodes + _RUNS_BOOKS
        num_symbols = 8 * about.sections["stream"][1] + num_books
        with self._located():
            books = unpack_books(self._section("books"), 2 * (num_books + num_symbols))
        keys, counts, lengths, symbols = books
        sources = bounds = None
        if about.coding == 1:
            which = np.searchsorted(keys, self.node_labels)
            if len(which) and (which.max() >= len(keys) or (keys[which] != self.node_labels).any()):
                raise FormatError(
                    f"{self._path}: a label of nodes has no code", fix=rebuild(self._path, "temporal")
                )
            sources = which.astype(np.uint32)
        else:
            full = np.uint64(2**about.num_snapshots - 1)
            bounds = self.node_labels if about.is_bounded else np.full_like(self.node_labels, full)
        places = [about.sections[name] for name in MAPPED]
        words = [(begin // 8, (begin + length + 7) // 8) for begin, length in places]
        try:
            return core.Labels(
                self.core,
                self._path,
                self._is_mapped,
                words,
                about.low_bits,
                (counts, lengths, symbols),
                sources,
                bounds,
            )
        except ValueError as error:
            raise FormatError(f"{self._path}: {error}", fix=rebuild(self._path, "temporal")) from None

    @property
    def coding(self) -> str:
        """How labels of arcs are coded: ``runs``, or ``huffman`` as in TIME."""
        return CODINGS[2 - self.description.coding]

    @property
    def num_link_instances(self) -> int:
        """Arcs counted in each snapshot that has them."""
        return self.description.num_link_instances

    def node_label(self, node: int) -> int:
        """The mask of the snapshots that have a node.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> bin(graph.node_label(2))
        '0b10'
        """
        if not 0 <= node < self.num_nodes:
            raise no_node(node, self.num_nodes)
        return int(self.node_labels[node])

    def labels(self, node: int) -> Labels:
        """The label of each of a node's arcs, in the order of `successors`.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph.labels(0).tolist()
        [1, 2]
        """
        return self.labelled_successors(node)[1]

    def labelled_successors(self, node: int) -> tuple[NDArray[np.uint32], Labels]:
        """The successors of a node, and the labels of the arcs to them.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> [found.tolist() for found in graph.labelled_successors(0)]
        [[1, 2], [1, 2]]
        """
        found = self.batch_labelled_successors([node])
        return found.targets, found.labels

    def batch_labelled_successors(self, nodes: Nodes, *, progress: Progress | None = None) -> LabelledRows:
        """Offsets, targets and labels of the arcs of each of the nodes, decoded on all cores.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph.batch_labelled_successors([1, 0]).labels.tolist()
        [2, 1, 2]
        """
        numbers = check_nodes(nodes, self.num_nodes)
        if progress is None:
            # a task that nobody sees costs as much as some short lists
            return LabelledRows(*self._labels.batch(numbers))
        with progress.task("labels", total=len(numbers), unit="nodes") as task:
            return LabelledRows(*self._labels.batch(numbers, progress=task.advance))

    def walk(self, nodes: Nodes) -> tuple[int, int, int]:
        """How many arcs the nodes have, and the sums of targets and of labels, modulo 2⁶⁴; on one thread.

        Nothing is kept: this is what a loop over labelled lists costs, without arrays.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph.walk([1, 0])
        (3, 5, 5)
        """
        return self._labels.walk(check_nodes(nodes, self.num_nodes))

    def labelled_rows(
        self, start: int = 0, end: int | None = None, *, progress: Progress | None = None
    ) -> LabelledRows:
        """Offsets, targets and labels of a range of nodes, read in order on all cores.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph.labelled_rows(1).labels.tolist()
        [2]
        """
        end = self.num_nodes if end is None else min(end, self.num_nodes)
        with (progress or Progress()).task("reading labels", total=end - start, unit="nodes") as task:
            return LabelledRows(*self._labels.rows(start, end, progress=task.advance))

    def iter_labelled_blocks(self, size: int = BLOCK) -> Iterator[tuple[int, LabelledRows]]:
        """The first node of each block of nodes with its rows and labels, the whole graph in order.

        With a mapped graph no more than a block is in memory.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> [(start, rows.labels.tolist()) for start, rows in graph.iter_labelled_blocks(2)]
        [(0, [1, 2, 2]), (2, [])]
        """
        for start in range(0, self.num_nodes, size):
            yield start, self.labelled_rows(start, min(start + size, self.num_nodes))

    def kept_rows(
        self, terms: Sequence[Term], start: int, end: int, *, progress: Progress | None = None
    ) -> Rows:
        """Rows of a range of nodes, of arcs whose labels one of the terms has; see `views.Condition`.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph.kept_rows([(0b10, 0, 0)], 0, 3)[1].tolist()
        [2, 2]
        """
        end = min(end, self.num_nodes)
        with (progress or Progress()).task("reading the graph", total=end - start, unit="nodes") as task:
            return self._labels.rows_kept(start, end, list(terms), progress=task.advance)

    def kept_successors(
        self, terms: Sequence[Term], nodes: Nodes, *, progress: Progress | None = None
    ) -> Rows:
        """The successors of each of the nodes, by arcs whose labels one of the terms has.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> graph.kept_successors([(0b10, 0, 0)], [0])[1].tolist()
        [2]
        """
        numbers = check_nodes(nodes, self.num_nodes)
        if progress is None:
            return self._labels.batch_kept(numbers, list(terms))
        with progress.task("successors", total=len(numbers), unit="nodes") as task:
            return self._labels.batch_kept(numbers, list(terms), progress=task.advance)

    @cached_property
    def label_counts(self) -> tuple[Labels, NDArray[np.int64]]:
        """The labels of arcs that occur, in order, and how many arcs have each.

        They are in the file where they are few, which is the rule; otherwise all labels are read once.

        Examples
        --------
        >>> from webstrata import testing
        >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (1, 2, 0b10)]
        >>> graph = label_arcs(testing.scratch() / "union", arcs, snapshots=["2026-01", "2026-02"])
        >>> [found.tolist() for found in graph.label_counts]
        [[1, 2], [1, 2]]
        """
        data = self._section("counts")
        if data:
            with self._located():
                gaps, counts = unpack_numbers(data, num_arrays=2, most=2 * self.num_arcs)
            return np.cumsum(gaps, dtype=np.uint64), counts.astype(np.int64)
        blocks = [np.unique(rows.labels, return_counts=True) for _, rows in self.iter_labelled_blocks()]
        none = np.zeros(0, np.uint64)
        labels, which = np.unique(
            np.concatenate([none, *(found for found, _ in blocks)]), return_inverse=True
        )
        counts = np.concatenate([none, *(count for _, count in blocks)])
        return labels, np.bincount(which.reshape(-1), counts, len(labels)).astype(np.int64)

    def __repr__(self) -> str:
        return (
            f"<LabelledGraph of {self.num_nodes:,} nodes, {self.num_arcs:,} arcs and "
            f"{self.num_link_instances:,} link instances in {len(self.snapshots)} snapshots>"
        )


def label_arcs(
    basename: str | PathLike[str],
    arcs: npt.ArrayLike,
    *,
    snapshots: Sequence[str],
    node_labels: npt.ArrayLike | None = None,
    coding: str = CODINGS[0],
    parameters: GraphSettings | None = None,
    progress: Progress | None = None,
) -> LabelledGraph:
    """Write arcs with labels, in any order, as a graph with this basename, and open it.

    Parameters
    ----------
    basename
        Where the files are put, extensions appended.
    arcs
        Source, target and label of each; labels of an arc that comes twice are joined.
    snapshots
        Their labels, the oldest first.
    node_labels
        A label for each node; where not given a node is there whenever one of its arcs is.
    coding, parameters
        How labels and lists are coded.
    progress
        Where it reports, in nodes.

    Examples
    --------
    >>> from webstrata import testing
    >>> arcs = [(0, 1, 0b01), (0, 2, 0b10), (0, 2, 0b01)]
    >>> months = ["2026-01", "2026-02"]
    >>> label_arcs(testing.scratch() / "union", arcs, snapshots=months).labels(0).tolist()
    [1, 3]
    """
    place = Path(basename)
    triples = np.asarray(arcs, dtype=np.uint64).reshape(-1, 3)
    keys, which = np.unique(triples[:, 0] << np.uint64(32) | triples[:, 1], return_inverse=True)
    labels = np.zeros(len(keys), np.uint64)
    np.bitwise_or.at(labels, which.reshape(-1), triples[:, 2])
    pairs = np.stack([keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)], axis=1).astype(np.int64)
    if node_labels is None:
        nodes = np.zeros(int(pairs.max()) + 1 if len(pairs) else 0, np.uint64)
        for column in range(2):
            np.bitwise_or.at(nodes, pairs[:, column], labels)
    else:
        nodes = np.asarray(node_labels, dtype=np.uint64)
    Graph.from_arcs(pairs, num_nodes=len(nodes)).write(place, parameters=parameters, progress=progress)
    write_labels(
        place,
        place,
        node_labels=nodes,
        arc_labels=labels,
        num_snapshots=len(snapshots),
        coding=coding,
        progress=progress,
    )
    return LabelledGraph(place, place, snapshots=snapshots, progress=progress)
