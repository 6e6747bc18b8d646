"""Labels to a file: both codings of arcs, made in blocks of nodes.

``huffman`` (TIME, section 4): the labels of a node's arcs in order, each by the code of the node's own label.

``runs``: the label of an arc lies within its **bound** B, the labels of its source and of its target both. An
arc that is also in the list that the graph's coding refers to is predicted to have there B AND (its label
there OR NOT the label of that list's node); any other arc B. Of most lists every label is as predicted:
these have no bits at all. The others are marked, and have in the stream runs of arcs whose labels are M AND
B for one mask M, and between them gaps of arcs that are as predicted. `rust/src/temporal/labels/runs.rs` says
it bit by bit, and so does docs/formats/temporal-labels.md.

Blocks go by twice, once for counts and once for codes; what is kept is 8 bytes a node and one block of arcs.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from webstrata._core import temporal as core
from webstrata._core.collection import rename
from webstrata.collection.files import open_writer
from webstrata.collection.progress import Progress
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.settings import GraphSettings
from webstrata.temporal.labels.codes import Book, elias_fano, make_book, ranked_marks, to_bits
from webstrata.temporal.labels.container import (
    Container,
    ContainerDescription,
    file_of,
    fingerprint,
    pack_books,
    pack_nodes,
    pack_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Labels = NDArray[np.uint64]

_T = TypeVar("_T", bound=np.generic)

CODINGS = ("runs", "huffman")
"""The default first."""
UNION_GRAPH = GraphSettings(window=16, chain=5, together=10_000)
"""How the graph below labels is coded: pages resemble others further back than in one month, and with labels
so small the graph is most of the whole. docs/decisions/temporal-labels.md says what it costs."""
_NUMBERS = {"huffman": 1, "runs": 2}
_BLOCK = 1 << 20
"""Arcs that are coded at once."""
_END, _SAME, _UNCHANGED = 33, 64, 65
_FIRST, _LATER, _RUN, _SYMBOLS = 0, 1, 2, 3
_NUM_BOOKS = _SYMBOLS + 65


def write_labels(
    graph: Path,
    destination: Path,
    *,
    node_labels: Labels,
    arc_labels: Labels,
    num_snapshots: int,
    coding: str = CODINGS[0],
    progress: Progress | None = None,
) -> None:
    """Write the labels of a graph's nodes and arcs to the file `destination` plus ``.labels``.

    The file is there whole or not at all.

    Parameters
    ----------
    graph
        Basename of a BVGraph; the file fits only the very bits of its lists.
    destination
        Basename of the file.
    node_labels
        A mask for each node, bit 0 the oldest snapshot.
    arc_labels
        A mask for each arc in the order of the lists; may be mapped from a file.
    num_snapshots
        At most 64.
    coding
        ``runs``, or ``huffman`` as TIME does.
    progress
        Where it reports, in nodes.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> from webstrata.temporal.labels import LabelledGraph
    >>> path = testing.scratch() / "union"
    >>> _ = Graph.from_arcs([(0, 1), (0, 2), (1, 2)]).write(path)
    >>> nodes, arcs = np.array([3, 3, 2], np.uint64), np.array([1, 2, 2], np.uint64)
    >>> write_labels(path, path, node_labels=nodes, arc_labels=arcs, num_snapshots=2)
    >>> LabelledGraph.open(path, path, snapshots=["2026-01", "2026-02"]).labels(0).tolist()
    [1, 2]
    """
    if coding not in _NUMBERS:
        raise ValueError(f"coding: expected one of {', '.join(CODINGS)}, got {coding!r}")
    union = BVGraph(graph, progress=progress)
    nodes = np.ascontiguousarray(node_labels, dtype=np.uint64)
    _check(union, nodes, arc_labels, num_snapshots)
    work = _Work(union, nodes, arc_labels, num_snapshots, progress or Progress())
    survey = work.survey()
    size, checksum = fingerprint(graph)
    about = ContainerDescription(
        coding=_NUMBERS[coding],
        is_bounded=survey.is_bounded,
        num_snapshots=num_snapshots,
        low_bits=0,
        num_nodes=union.num_nodes,
        num_arcs=union.num_arcs,
        num_link_instances=survey.num_link_instances,
        stream_bits=0,
        graph_bytes=size,
        graph_print=checksum,
    )
    keys, books = work.runs_books(survey) if coding == "runs" else work.source_books()
    blocks = work.runs_blocks(books, survey) if coding == "runs" else work.source_blocks(keys, books)
    target = file_of(destination)
    beside = target.with_name(f".{target.name}.new")
    try:
        with open_writer(beside) as stream:
            container = Container(stream)
            container.begin(about)
            places, num_bits = _write_stream(container, blocks)
            marks = np.zeros(0, bool)
            if coding == "runs":
                marks = np.zeros(union.num_nodes, bool)
                marks[work.marked] = True
            # one more than there are nodes with bits: where the last of them ends
            low_bits, *pointers = elias_fano(np.append(places, np.uint64(num_bits)))
            for section in (*pointers, *ranked_marks(marks)):
                container.add(section)
            for section in (pack_nodes(nodes), survey.packed_counts(), pack_books(keys, books)):
                container.add(section, checked=True)
            container.finish(replace(about, stream_bits=num_bits, low_bits=low_bits))
        rename(beside, target)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def _check(graph: BVGraph, nodes: Labels, arcs: Labels, num_snapshots: int) -> None:
    if not 1 <= num_snapshots <= 64:
        raise ValueError(f"num_snapshots: expected 1 to 64, got {num_snapshots}")
    for name, array, number, what in (
        ("node_labels", nodes, graph.num_nodes, "nodes"),
        ("arc_labels", arcs, graph.num_arcs, "arcs"),
    ):
        if array.ndim != 1 or array.dtype != np.uint64 or len(array) != number:
            raise ValueError(
                f"{name}: expected a number of 64 bits for each of the {number} {what}, "
                f"got {array.dtype} of shape {array.shape}"
            )
    if _beyond(nodes, num_snapshots):
        raise ValueError(f"node_labels: expected bits of {num_snapshots} snapshots only, got others")


def _beyond(labels: Labels, num_snapshots: int) -> bool:
    return num_snapshots < 64 and bool((labels >> np.uint64(num_snapshots)).any())


def _write_stream(
    container: Container, blocks: Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]
) -> tuple[Labels, int]:
    """Write bits that come in blocks; where each list begins, and where the last one ends."""
    rest = np.zeros(0, np.uint8)
    places, num_bits = [np.zeros(0, np.uint64)], 0
    for bits, begins in blocks:
        places.append((begins + num_bits).astype(np.uint64))
        num_bits += len(bits)
        joined = np.concatenate([rest, bits])
        whole = len(joined) // 8 * 8
        container.add_raw(np.packbits(joined[:whole]).tobytes())
        rest = joined[whole:]
    container.add_raw(np.packbits(rest).tobytes())
    container.end_section((num_bits + 7) // 8)
    return np.concatenate(places), num_bits


class LabelSurvey(NamedTuple):
    """What one look at all labels tells."""

    is_bounded: bool
    num_link_instances: int
    labels: Labels
    """Those of arcs that occur; none if they are too many to be kept."""
    counts: NDArray[np.int64]
    num_arcs: int

    def packed_counts(self) -> bytes:
        """How many arcs have each label, if that takes less than 1/16 bit an arc: or nothing."""
        data = pack_numbers(np.diff(self.labels, prepend=np.uint64(0)), self.counts.astype(np.uint64))
        return data if len(self.labels) and 128 * len(data) <= self.num_arcs else b""


class _Block(NamedTuple):
    start: int
    end: int
    first: int
    """The first of its arcs."""
    last: int


class _Work:
    """The arcs of a graph with their labels, block by block."""

    def __init__(
        self, graph: BVGraph, nodes: Labels, arcs: Labels, num_snapshots: int, progress: Progress
    ) -> None:
        self.graph, self.nodes, self.arcs, self.num_snapshots = graph, nodes, arcs, num_snapshots
        self.progress = progress
        self.marked: NDArray[np.int64] = np.zeros(0, np.int64)
        self._offsets = np.zeros(graph.num_nodes + 1, np.int64)
        np.cumsum(graph.outdegrees(), out=self._offsets[1:])

    def _blocks(self, title: str) -> Iterator[_Block]:
        start, total = 0, self.graph.num_nodes
        with self.progress.task(title, total=total, unit="nodes") as task:
            while start < total:
                first = int(self._offsets[start])
                end = int(np.searchsorted(self._offsets, first + _BLOCK, side="right")) - 1
                end = min(max(end, start + 1), start + _BLOCK, total)
                yield _Block(start, end, first, int(self._offsets[end]))
                task.advance(end - start)
                start = end

    def _labels(self, first: int, last: int) -> Labels:
        found = np.ascontiguousarray(self.arcs[first:last])
        if _beyond(found, self.num_snapshots):
            raise ValueError(f"arc_labels: expected bits of {self.num_snapshots} snapshots only, got others")
        return found

    def _sources(self, block: _Block, values: NDArray[_T]) -> NDArray[_T]:
        """What each arc's source has."""
        degrees = np.diff(self._offsets[block.start : block.end + 1])
        return np.repeat(values[block.start : block.end], degrees)

    def survey(self) -> LabelSurvey:
        """Look at all labels once."""
        is_bounded, instances = True, 0
        totals: tuple[Labels, NDArray[np.int64]] = (np.zeros(0, np.uint64), np.zeros(0, np.int64))
        for block in self._blocks("looking at labels"):
            labels = self._labels(block.first, block.last)
            instances += int(count_bits(labels).sum())
            targets = self.graph.rows(block.start, block.end)[1]
            bounds = self._sources(block, self.nodes) & self.nodes[targets]
            is_bounded &= not bool((labels & ~bounds).any())
            if len(totals[0]) <= self.graph.num_arcs // 16:
                totals = _added(totals, *np.unique(labels, return_counts=True))
        if len(totals[0]) > self.graph.num_arcs // 16:
            totals = (totals[0][:0], totals[1][:0])
        return LabelSurvey(is_bounded, instances, *totals, self.graph.num_arcs)

    # ---- TIME's coding

    def source_books(self) -> tuple[Labels, list[Book]]:
        """The labels that sources have, and for each the code of their arcs' labels."""
        keys = np.unique(self.nodes)
        counted: dict[int, tuple[Labels, NDArray[np.int64]]] = {}
        which = np.searchsorted(keys, self.nodes)
        for block in self._blocks("counting labels"):
            labels = self._labels(block.first, block.last)
            sources = self._sources(block, which)
            order = np.lexsort((labels, sources))
            labels, sources = labels[order], sources[order]
            is_new = np.ones(len(labels), bool)
            is_new[1:] = (labels[1:] != labels[:-1]) | (sources[1:] != sources[:-1])
            begins = np.flatnonzero(is_new)
            counts = np.diff(np.append(begins, len(labels)))
            owners = sources[begins]
            edges = np.flatnonzero(np.diff(owners, prepend=-1))
            for begin, end in pairwise([*edges.tolist(), len(owners)]):
                found = (labels[begins[begin:end]], counts[begin:end])
                key = int(owners[begin])
                counted[key] = _added(counted[key], *found) if key in counted else found
        empty = Book(np.zeros(0, np.uint64), np.zeros(0, np.uint8))
        books = [make_book(*counted[key]) if key in counted else empty for key in range(len(keys))]
        return keys, books

    def source_blocks(
        self, keys: Labels, books: Sequence[Book]
    ) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]:
        """The bits of each block, and where each list begins."""
        which = np.searchsorted(keys, self.nodes)
        for block in self._blocks("writing labels"):
            labels = self._labels(block.first, block.last)
            sources = self._sources(block, which)
            order = np.argsort(sources, kind="stable")
            edges = np.flatnonzero(np.diff(sources[order], prepend=-1))
            codes, lengths = np.zeros(len(labels), np.uint64), np.zeros(len(labels), np.uint8)
            for begin, end in pairwise([*edges.tolist(), len(order)]):
                places = order[begin:end]
                book = books[int(sources[places[0]])]
                codes[places], lengths[places] = book.encode(labels[places])
            ends = np.append(0, np.cumsum(lengths, dtype=np.int64))
            yield to_bits(codes, lengths), ends[self._offsets[block.start : block.end] - block.first]

    # ---- ours

    def _rows(self, survey: LabelSurvey, title: str) -> Iterator[_Rows]:
        bounds = self.nodes
        if not survey.is_bounded:
            bounds = np.full_like(bounds, np.uint64(2**self.num_snapshots - 1))
        for block in self._blocks(title):
            # the lists that the first ones may refer to
            before = max(block.start - self.graph.window, 0)
            labels = self._labels(int(self._offsets[before]), block.last)
            yield _Rows(*core.find_runs(self.graph.core, bounds, block.start, block.end, before, labels))

    def runs_books(self, survey: LabelSurvey) -> tuple[Labels, list[Book]]:
        """The codes of gaps, of runs and of labels."""
        none = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        counted: list[tuple[Labels, NDArray[np.int64]]] = [none] * _NUM_BOOKS
        for rows in self._rows(survey, "finding runs"):
            for book, symbols in rows.symbols_by_book():
                counted[book] = _added(counted[book], *np.unique(symbols, return_counts=True))
        return np.zeros(0, np.uint64), [make_book(*found) for found in counted]

    def runs_blocks(
        self, books: Sequence[Book], survey: LabelSurvey
    ) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]:
        """The bits of each block, and where each list that has some begins."""
        marked = [np.zeros(0, np.int64)]
        for rows in self._rows(survey, "writing labels"):
            marked.append(rows.nodes.astype(np.int64))
            codes, lengths = rows.encode(books)
            ends = np.append(0, np.cumsum(lengths.sum(axis=1, dtype=np.int64)))
            yield to_bits(codes.reshape(-1), lengths.reshape(-1)), ends[rows.begins.astype(np.int64)]
        self.marked = np.concatenate(marked)


class _Rows(NamedTuple):
    """What the lists of a block say, a row for each gap with its run."""

    nodes: NDArray[np.uint32]
    begins: NDArray[np.uint64]
    gaps: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    widths: NDArray[np.uint8]
    symbols: NDArray[np.uint64]

    def _columns(self) -> tuple[NDArray[np.int64], Labels, Labels, NDArray[np.int64]]:
        """Of each row the book of its gap, the symbols of gap and run, and the book of its label or -1."""
        gap_books = np.full(len(self.gaps), _LATER)
        gap_books[self.begins.astype(np.int64)] = _FIRST
        is_end = self.lengths == 0
        gaps = np.where(is_end, _END, _log2(self.gaps.astype(np.uint64) + np.uint64(1)))
        is_same = self.widths == _UNCHANGED
        runs = _log2(np.maximum(self.lengths, 1).astype(np.uint64)) + np.where(is_same, _SAME, 0)
        labels = np.where(is_end | is_same, -1, self.widths.astype(np.int64) + _SYMBOLS)
        return gap_books, gaps.astype(np.uint64), runs.astype(np.uint64), labels

    def symbols_by_book(self) -> Iterator[tuple[int, Labels]]:
        """Each book that is used here, with what it is used for."""
        gap_books, gaps, runs, labels = self._columns()
        for book in (_FIRST, _LATER):
            yield book, gaps[gap_books == book]
        yield _RUN, runs[self.lengths > 0]
        for book in np.unique(labels[labels >= 0]).tolist():
            yield book, self.symbols[labels == book]

    def encode(self, books: Sequence[Book]) -> tuple[Labels, NDArray[np.uint8]]:
        """For each row five codes and their lengths: gap and its low bits, run and its low bits, label."""
        gap_books, gaps, runs, labels = self._columns()
        codes = np.zeros((len(gaps), 5), np.uint64)
        lengths = np.zeros((len(gaps), 5), np.uint8)

        def put(rows: NDArray[np.bool_], column: int, book: int, symbols: Labels) -> None:
            codes[rows, column], lengths[rows, column] = books[book].encode(symbols[rows])

        for book in (_FIRST, _LATER):
            put(gap_books == book, 0, book, gaps)
        is_run = self.lengths > 0
        put(is_run, 2, _RUN, runs)
        for book in np.unique(labels[labels >= 0]).tolist():
            put(labels == book, 4, book, self.symbols)
        lengths[:, 1] = np.where(is_run, gaps, 0)
        codes[:, 1] = self.gaps.astype(np.uint64) + np.uint64(1)
        lengths[:, 3] = np.where(is_run, runs % np.uint64(_SAME), 0)
        codes[:, 3] = self.lengths
        return codes, lengths


def _log2(numbers: Labels) -> NDArray[np.int64]:
    """The number of bits of each, less one; below 2⁵³ that is exact."""
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64) - 1


def _added(
    totals: tuple[Labels, NDArray[np.int64]], labels: Labels, counts: NDArray[np.int64]
) -> tuple[Labels, NDArray[np.int64]]:
    distinct, which = np.unique(np.concatenate([totals[0], labels]), return_inverse=True)
    sums = np.bincount(which.reshape(-1), np.concatenate([totals[1], counts]), len(distinct))
    return distinct, sums.astype(np.int64)


def count_bits(labels: Labels) -> NDArray[np.int64]:
    """How many snapshots each label has.

    Examples
    --------
    >>> count_bits(np.array([0, 5, 2**64 - 1], np.uint64)).tolist()
    [0, 2, 64]
    """
    halves = _BITS[np.ascontiguousarray(labels).view(np.uint16)].reshape(len(labels), 4)
    found: NDArray[np.int64] = halves.sum(axis=1, dtype=np.int64)
    return found


_BITS = np.unpackbits(np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2), axis=1).sum(
    axis=1, dtype=np.uint8
)
