"""The part `changes` of a collection: degrees and words of every page in every snapshot.

================  ==========================================================================================
``in.npy``        in-degrees: a row for each snapshot of the union, a column for each of its nodes, 4 bytes
``out.npy``       out-degrees, likewise
``words.npy``     lengths in words, likewise
================  ==========================================================================================

A page that a snapshot has not has zeros there. Degrees count the arcs of the union that the snapshot has;
lengths are those of summaries, the largest where a node of the union stands for several pages. It is made
when it is first needed, again when the union or summaries changed, and mapped: a query looks at the columns
of its candidates alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.action import Action, rebuild
from webstrata.collection.arrays import load_array
from webstrata.collection.files import open_writer
from webstrata.collection.progress import Progress
from webstrata.errors import AccessError, FormatError, LockedError, MissingError
from webstrata.search.change.measure import PageChange, log_ratio
from webstrata.summaries.archive import Archive
from webstrata.temporal.union import NONE

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Collection
    from webstrata.collection.parts import Part
    from webstrata.temporal.labels import LabelledGraph
    from webstrata.temporal.union import StoredUnion

    Table = npt.NDArray[np.uint32]

PART = "changes"
_FILES = ("in.npy", "out.npy", "words.npy")


@dataclass(frozen=True)
class WordCounts:
    """Degrees and words of each node of a union, snapshot by snapshot.

    Examples
    --------
    >>> table = np.array([[0, 4], [9, 4]], np.uint32)
    >>> counts = WordCounts(("2026-01", "2026-02"), table, table, table)
    >>> counts.change([0, 1], "2026-01", "2026-02").total.round(3).tolist()
    [6.908, 0.0]
    """

    snapshots: tuple[str, ...]
    indegrees: Table
    outdegrees: Table
    words: Table
    part: Part | None = None
    """Held, so that the files stay."""

    def change(self, nodes: npt.ArrayLike, before: str, after: str) -> PageChange:
        """How much each of the nodes changed between two snapshots."""
        columns = np.asarray(nodes, np.int64)
        one, other = self.snapshots.index(before), self.snapshots.index(after)
        content, inlinks, outlinks = (
            log_ratio(table[one][columns], table[other][columns])
            for table in (self.words, self.indegrees, self.outdegrees)
        )
        return PageChange(content, inlinks, outlinks)

    @cached_property
    def num_nodes(self) -> int:
        """How many nodes the union has."""
        return int(self.words.shape[1])


def count_degrees(graph: LabelledGraph, progress: Progress | None = None) -> Table:
    """How many arcs each node has in each snapshot; one pass over the labels.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.temporal.labels import label_arcs
    >>> arcs = [(0, 1, 0b01), (0, 2, 0b11)]
    >>> months = ["2026-01", "2026-02"]
    >>> count_degrees(label_arcs(testing.scratch() / "union", arcs, snapshots=months)).tolist()
    [[2, 0, 0], [1, 0, 0]]
    """
    found = np.zeros((len(graph.snapshots), graph.num_nodes), np.uint32)
    with (progress or Progress()).task("counting links", total=graph.num_nodes, unit="nodes") as task:
        for start, rows in graph.iter_labelled_blocks():
            offsets = rows.offsets.astype(np.int64)
            stop = start + len(offsets) - 1
            for bit in range(len(graph.snapshots)):
                alive = rows.labels >> np.uint64(bit) & np.uint64(1)
                sums = np.append(0, np.cumsum(alive, dtype=np.int64))
                found[bit, start:stop] = sums[offsets[1:]] - sums[offsets[:-1]]
            task.advance(stop - start)
    return found


def count_words(archive: Archive, to_union: npt.NDArray[np.uint32], num_nodes: int) -> Table:
    """The length of each node of a union in one snapshot; the largest of those it stands for.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries import make_rows, write_archive
    >>> archive = write_archive(testing.scratch(), make_rows([(7, {0: 2}), (9, {0: 1}), (3, {})]))
    >>> count_words(archive, np.array([1, 1, NONE], np.uint32), 3).tolist()
    [0, 9, 0]
    """
    found = np.zeros(num_nodes, np.uint32)
    for first, rows in archive.scan():
        nodes = to_union[first : first + rows.num_rows]
        is_aligned = nodes != NONE
        np.maximum.at(found, nodes[is_aligned], rows.lengths[is_aligned])
    return found


def open_counts(union: StoredUnion, *, progress: Progress | None = None) -> WordCounts:
    """The counts of a union: read where they are still right, else made and kept.

    Examples
    --------
    >>> from webstrata import testing
    >>> union = testing.collection().temporal
    >>> counts = open_counts(union)
    >>> node = union.node("http://garden.example/tomatoes")
    >>> counts.snapshots, counts.indegrees[:, node].tolist(), counts.words[:, node].tolist()
    (('2026-04', '2026-05', '2026-06'), [4, 4, 4], [20, 22, 23])
    """
    collection = union.collection
    progress = progress or Progress()
    inputs = {"/temporal": union.checksum} | {
        f"{label}/summaries": _find_summaries(collection, label) for label in union.snapshots
    }
    if (found := _read(union, inputs)) is not None:
        return found
    tables = _make(union, progress)
    try:
        with collection.write_part(PART, inputs=tuple(inputs), progress=progress) as build:
            for name, table in zip(_FILES, tables, strict=True):
                with open_writer(build.path / name) as stream:
                    np.save(stream, table)
            build.count(snapshots=len(union.snapshots), nodes=union.num_nodes)
    except (LockedError, AccessError) as error:
        # the answer is there, and somebody else is writing or keeps the collection as it is
        progress.note(f"the counts are not kept: {error}")
    return WordCounts(union.snapshots, *tables)


def _find_summaries(collection: Collection, label: str) -> str:
    """The checksum of the summaries of a snapshot, or `MissingError`."""
    snapshot = collection[label]
    if "summaries" not in snapshot.parts:
        raise MissingError(
            f"{snapshot.path}: no summaries, from which words are counted",
            fix=Action.on(snapshot, "build", "summaries"),
        )
    return str(snapshot.parts.record("summaries").checksum)


def _read(union: StoredUnion, inputs: dict[str, str]) -> WordCounts | None:
    """The counts in their part, unless there is none or it was made of something else."""
    collection = union.collection
    if PART not in collection.parts:
        return None
    try:
        part = collection.open_part(PART)
    except (MissingError, FormatError):
        return None  # it is made again
    if dict(part.record.inputs) != inputs:
        return None
    shape = (len(union.snapshots), union.num_nodes)
    indegrees, outdegrees, words = (_map(part.path / name, shape) for name in _FILES)
    return WordCounts(union.snapshots, indegrees, outdegrees, words, part)


def _map(path: Path, shape: tuple[int, int]) -> Table:
    table = load_array(path, mapped=True)
    if table.shape != shape or table.dtype != np.uint32:
        raise FormatError(
            f"{path}: it has {table.dtype} of shape {table.shape}, and uint32 of shape {shape} was expected",
            fix=rebuild(path, PART),
        )
    return table


def _make(union: StoredUnion, progress: Progress) -> tuple[Table, Table, Table]:
    assert union.backward is not None  # a stored union has both directions
    outdegrees, indegrees = (count_degrees(graph, progress) for graph in (union.forward, union.backward))
    words = np.zeros_like(outdegrees)
    with progress.task("counting words", total=len(union.snapshots), unit="snapshots") as task:
        for number, label in enumerate(union.snapshots):
            part = union.collection[label].open_part("summaries")
            words[number] = count_words(Archive(part.path, part), union.to_union(label), union.num_nodes)
            task.advance()
    return indegrees, outdegrees, words
