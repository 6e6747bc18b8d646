"""Segments of an index: which documents each gets, and how it is written.

A segment has all versions of its pages that belong to it, one behind the other, since those that are alike
share an entry: versions with the same title, language and anchors, with half of the words around main content
in common, and with main contents that together are not much longer than the shortest. Segments that were
written at a time are a generation.
"""

from __future__ import annotations

import heapq
import itertools
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core import search as core
from webstrata.collection.files import make_directory
from webstrata.search.documents import PageReader
from webstrata.search.fields import FIELDS, field_values
from webstrata.search.files import Segments, find_segments
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import shards
    from webstrata.collection.progress import Task
    from webstrata.search.documents import DocumentSource, Homes

MAX_GENERATIONS = 4
LONGEST = 1.125
"""How many times as long as its shortest version an entry may be. A longer one holds more versions, and is
looked at for nothing more often: entries are looked for as if every version were as short as that."""
AROUND = 0.5
"""The share of words around main content that versions of an entry have in common with its first one, whose
words count for all; with fewer it is a page of another design."""
_MANY_WORDS = 1 << 20
"""Fewer are not worth a second process, or a second segment in every query."""
_AT_ONCE = 64
"""Pages that are handed over to a segment at a time."""


class SegmentPiece(NamedTuple):
    """Nodes of a snapshot, ascending, and the number of each one's document."""

    source: DocumentSource
    nodes: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int64]


class Work(NamedTuple):
    """A segment to be written, or several where one would take too much memory."""

    stemmer: str | None
    memory: int
    pieces: tuple[SegmentPiece, ...]

    @property
    def num_documents(self) -> int:
        """How many documents it has."""
        return sum(len(piece.nodes) for piece in self.pieces)


def plan_generations(sizes: Sequence[int], most: int | None = None) -> list[range]:
    """Which neighbours become one generation, by their documents; each stays alone while there are few.

    A run takes in the one before it while that has less than twice as many documents. What is left falls by
    half from one to the next, so a document is written again some log₂ times however often an index grows.

    Examples
    --------
    >>> plan_generations([90, 10, 10], most=2)
    [range(0, 1), range(1, 3)]
    >>> plan_generations([90, 10, 10])
    [range(0, 1), range(1, 2), range(2, 3)]
    """
    runs = [range(place, place + 1) for place in range(len(sizes))]
    if len(sizes) <= (MAX_GENERATIONS if most is None else most):
        return runs
    found: list[range] = []
    for run in runs:
        last = run
        while found and _sum(sizes, found[-1]) < 2 * _sum(sizes, last):
            last = range(found.pop().start, last.stop)
        found.append(last)
    return found


def _sum(sizes: Sequence[int], run: range) -> int:
    return sum(sizes[run.start : run.stop])


def make_works(
    documents: npt.NDArray[np.int64],
    table: pa.Table,
    homes: Homes,
    sources: Sequence[DocumentSource],
    stemmer: str | None,
    memory: int,
    parts: int,
    numbers: npt.NDArray[np.int64] | None = None,
) -> list[Work]:
    """Divide documents into works of about as many words, each with all versions of its pages.

    Parameters
    ----------
    documents
        Which of the table.
    table
        Of all documents.
    homes
        Where each is read.
    sources
        The snapshots that homes name.
    stemmer, memory
        What segments are made with, and in how much memory each.
    parts
        How many at most; one where there are few words.
    numbers
        What each document is called; as in the table where not given.

    Examples
    --------
    >>> from pathlib import Path
    >>> from webstrata.search.documents import Homes, DocumentSource
    >>> table = pa.table({"row_key": ["a", "b", "a"], "words": [5, 5, 5]})
    >>> homes = Homes.find([np.array([0, 1], "u4"), np.array([2, 1], "u4")], 3)
    >>> sources = [DocumentSource(label, Path(label), Path(label), None) for label in ("2026-05", "2026-06")]
    >>> [work] = make_works(np.arange(3), table, homes, sources, None, 1 << 20, 2)
    >>> for piece in work.pieces:
    ...     print(piece.source.label, piece.nodes.tolist(), piece.documents.tolist())
    2026-05 [0, 1] [0, 1]
    2026-06 [0] [2]
    """
    if numbers is None:
        numbers = documents
    rows = table.take(pa.array(documents)) if len(documents) else table.slice(0, 0)
    # combined, since sorting goes by one array
    keys = rows["row_key"].combine_chunks()
    order = pc.array_sort_indices(keys).to_numpy()
    words = np.cumsum(rows["words"].to_numpy().astype(np.int64)[order])
    total = int(words[-1]) if len(words) else 0
    parts = parts if total > _MANY_WORDS else 1
    sorted_keys = keys.take(pa.array(order))
    cuts = [0]
    for part in range(1, parts):
        place = int(np.searchsorted(words, part * total / parts))
        # behind the last version of the page that is reached
        while 0 < place < len(order) and sorted_keys[place] == sorted_keys[place - 1]:
            place += 1
        cuts.append(max(place, cuts[-1]))
    works = []
    for begin, end in itertools.pairwise([*cuts, len(order)]):
        chosen = np.sort(order[begin:end])
        which = homes.sources[documents[chosen]]
        pieces = []
        for number, source in enumerate(sources):
            own = chosen[which == number]
            nodes = homes.nodes[documents[own]]
            by_node = np.argsort(nodes)
            if len(own):
                pieces.append(SegmentPiece(source, nodes[by_node], numbers[own][by_node]))
        works.append(Work(stemmer, memory, tuple(pieces)))
    return works


def write_segments(work: Work, folder: Path, task: Task) -> dict[str, int]:
    """Write a segment with the documents of some nodes, page by page, the earliest version of each first.

    It is in the folder ``0``; where it takes more memory than it may, what follows is in ``1``, and so on.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> folder = testing.scratch()
    >>> with Progress().task("indexing") as task:
    ...     write_segments(Work(None, 1 << 20, ()), folder, task)
    {'documents': 0, 'segments': 1}
    """
    analyzer = core.Analyzer(load_core(), work.stemmer)
    writer, segments, memory = None, 0, 0
    pages = itertools.groupby(heapq.merge(*map(_read_piece, work.pieces), key=itemgetter(0)), itemgetter(0))
    while some := [[version for _, version in page] for _, page in itertools.islice(pages, _AT_ONCE)]:
        if writer is None:
            writer, segments = new_writer(_make_folder(folder, segments), analyzer), segments + 1
        memory = writer.add(some)
        task.advance(sum(map(len, some)))
        if memory > work.memory:
            writer.finish()
            writer = None
    if writer is None and not segments:
        writer, segments = new_writer(_make_folder(folder, 0), analyzer), 1
    if writer is not None:
        writer.finish()
    return {"documents": work.num_documents, "segments": segments}


def new_writer(folder: Path, analyzer: core.Analyzer) -> core.Writer:
    """A segment to be written, in which versions that are alike share an entry.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> new_writer(folder, core.Analyzer(load_core(), None)).finish()
    >>> (folder / "meta.json").exists()
    True
    """
    return core.Writer(folder, FIELDS, analyzer, (LONGEST, AROUND))


def _make_folder(folder: Path, number: int) -> Path:
    return make_directory(folder / str(number))


def find_written(shard: shards.DoneShard) -> list[Segments]:
    """The segments that `write_segments` has written.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.shards import DoneShard
    >>> find_written(DoneShard("segment-0000", testing.scratch(), {"segments": 0}))
    []
    """
    return [find_segments(shard.path / str(number)) for number in range(shard.counts["segments"])]


def _read_piece(piece: SegmentPiece) -> Iterator[tuple[bytes, tuple[int, list[list[str]]]]]:
    """The documents of some nodes with the values of their fields, by row key."""
    documents = iter(piece.documents.tolist())
    for pages in PageReader(piece.source).read(piece.nodes):
        for page in pages:
            values = field_values(page.key, page.row, page.anchors)
            yield page.key.encode(), (next(documents), values)
