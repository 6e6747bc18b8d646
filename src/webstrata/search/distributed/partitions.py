"""An index in parts: by documents, by terms, or in tiers (LECT).

*By documents* (the part ``search-documents``): a document is in the part that the hash of its row key names.
Every part is an index of its own, and every query goes to all of them. *In tiers* (``search-tiers``): the
same, but the first part has the documents that are likely to score high, those with most links, and the next
one is asked only if too few were found. *By terms* (``search-terms``): a part has the whole lists of some
terms, and a query goes to the parts of its terms alone, but lists travel.

::

    partition.json             how it was made
    0/segments/, 0/documents   a part by documents: an index of tantivy, and the documents of its own numbers
    0/terms.arrow              a part by terms: key (number of the field, blank, term), sorted; list; places
    lengths/NAME               by terms: the code of each document's length in a field, for who merges

Partitions are made from the part `text_index`, whose documents, labels and maps they share.
"""

from __future__ import annotations

import json
import zlib
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from webstrata.collection import shards
from webstrata.collection.action import Action, locate, rebuild
from webstrata.collection.files import explained, make_directory, open_writer, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.search.distributed.postings import pack, pack_places
from webstrata.search.documents import Homes
from webstrata.search.fields import FIELDS, NUMBERS, SCORED
from webstrata.search.files import SEGMENTS, put_together
from webstrata.search.index import TextIndex
from webstrata.search.segments import Work, find_written, make_works, write_segments
from webstrata.search.settings import SearchSettings
from webstrata.summaries.build import find_stemmer

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Collection
    from webstrata.collection.build import Build

KINDS = ("documents", "terms", "tiers")
FACTS = "partition.json"
DOCUMENTS = "documents"
TERMS = "terms.arrow"
TIER_RATIO = 4
"""How many times as many documents a tier has as the one before it."""
_LISTS = pa.schema([("key", pa.large_string()), ("list", pa.large_binary()), ("places", pa.large_binary())])
_BATCH = 1 << 14
_HELD = 4 << 20
"""Bytes of lists of a part that are in memory before they are written."""
_KEYS = 1 << 16


@dataclass
class PartitionFacts:
    """How a partition was made."""

    kind: str
    parts: int
    num_documents: int = 0
    num_words: list[int] = field(default_factory=list)
    """Of each field."""
    segments: list[list[str]] = field(default_factory=list)
    """Of each part by documents."""


def part_name(kind: str) -> str:
    """The part that holds a partition of a kind.

    Examples
    --------
    >>> part_name("terms")
    'text_index-terms'
    """
    return f"text_index-{kind}"


def place_of(name: str, parts: int) -> int:
    """The part that a row key, or a term, belongs to.

    Examples
    --------
    >>> [place_of(key, 4) for key in ("org,a)/", "org,b)/", "fish")]
    [2, 3, 3]
    """
    return zlib.crc32(name.encode()) % parts


def assign_documents(index: TextIndex, kind: str, parts: int) -> npt.NDArray[np.int64]:
    """The part of each document.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> table = pa.table({"row_key": ["org,a)/", "org,b)/"]})
    >>> assign_documents(SimpleNamespace(documents=table), "documents", 4).tolist()
    [2, 3]
    """
    if kind == "documents":
        column = index.documents["row_key"]
        found = [np.zeros(0, np.int64)]
        for start in range(0, len(column), _KEYS):
            keys = column.slice(start, _KEYS).to_pylist()
            found.append(np.array([place_of(key, parts) for key in keys], np.int64))
        return np.concatenate(found)
    factors, used = index.factors((1 << len(index.snapshots)) - 1, 1.0)
    if not used:
        raise MissingError(
            f"{index.collection.path}: tiers are made by the links to pages, and no snapshot has been ranked",
            fix=Action.on(index.collection, "build", "rank-pagerank"),
        )
    shares = TIER_RATIO ** np.arange(parts)
    bounds = np.cumsum(shares)[:-1] / shares.sum() * len(factors)
    ranks = np.empty(len(factors), np.int64)
    ranks[np.argsort(-factors, kind="stable")] = np.arange(len(factors))
    return np.searchsorted(bounds, ranks, "right")


def build_partition(
    collection: Collection,
    kind: str,
    parts: int,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> PartitionFacts:
    """Make a partition of a collection's index, which is there.

    Parameters
    ----------
    collection
        With the part `text_index`.
    kind
        ``documents``, ``terms`` or ``tiers``.
    parts
        How many.
    workers
        Processes that write segments; as ``[resources]`` says where not given.
    progress
        Where the build reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> facts = build_partition(collection, "terms", 2)
    >>> facts.kind, facts.parts, facts.num_documents
    ('terms', 2, 25)
    """
    if kind not in KINDS:
        raise UsageError(f"--partition: expected one of {', '.join(KINDS)}, got {kind}")
    if not 1 <= parts <= 1024:
        raise UsageError(f"--parts: expected between 1 and 1024, got {parts}")
    progress = progress or Progress()
    workers = workers or collection.settings(ResourcesSettings).num_workers
    index = TextIndex.open(collection)
    facts = PartitionFacts(kind, parts, len(index), index.reader.num_words())
    with collection.write_part(part_name(kind), inputs=("/text_index",), progress=progress) as build:
        if kind == "terms":
            _write_terms(build, index, parts)
        else:
            facts.segments = _write_documents(build, index, kind, parts, workers)
        replace_file(build.path / FACTS, json.dumps(asdict(facts), indent=1).encode())
        build.count(parts=parts, documents=len(index))
    return facts


def ensure_partition(
    collection: Collection, kind: str, parts: int, *, progress: Progress | None = None
) -> None:
    """Make a partition unless it is there, of the index as it is now and in so many parts.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> ensure_partition(collection, "terms", 2)
    >>> [record.name for record in collection.parts]
    ['temporal', 'text_index', 'text_index-terms']
    """
    name = part_name(kind)
    if name in collection.parts and "text_index" in collection.parts:
        record = collection.parts.record(name)
        index = collection.parts.record("text_index")
        if record.inputs.get("/text_index") == index.checksum and record.counts.get("parts") == parts:
            return
    build_partition(collection, kind, parts, progress=progress)


def read_partition(path: Path) -> PartitionFacts:
    """What a partition says of itself.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "partition.json"
    >>> _ = path.write_text('{"kind": "terms", "parts": 4}')
    >>> read_partition(path).parts
    4
    """
    with explained(path, "read"):
        content = path.read_bytes()
    try:
        return PartitionFacts(**json.loads(content))
    except (ValueError, TypeError) as error:
        raise FormatError(
            f"{path}: this does not describe a partition ({error})",
            fix=rebuild(path, locate(path)[2] or "text_index-terms"),
        ) from error


# ---- by documents


def _write_documents(build: Build, index: TextIndex, kind: str, parts: int, workers: int) -> list[list[str]]:
    stemmer = find_stemmer(index.facts.stemmer)
    memory = index.collection.settings(SearchSettings).memory // workers
    maps = [index.maps[label] for label in index.snapshots]
    homes = Homes.find(maps, len(index))
    sources = [index.source(label) for label in index.snapshots]
    given = assign_documents(index, kind, parts)
    works: list[Work] = []
    owners: list[int] = []
    for part in range(parts):
        own = np.flatnonzero(given == part)
        with open_writer(make_directory(build.path / str(part)) / DOCUMENTS) as stream:
            stream.write(own.astype("<u4").data)
        # versions share entries as they do in the index, so that they have the same around main content
        for generation in index.generations:
            chosen = np.intersect1d(own, generation)
            numbers = np.searchsorted(own, chosen)
            works += make_works(chosen, index.documents, homes, sources, stemmer, memory, 1, numbers)
            owners.append(part)
    written = shards.run(
        build,
        write_segments,
        [shards.Shard(f"part-{number:04}", work, work.num_documents) for number, work in enumerate(works)],
        workers=workers,
        title="indexing parts",
        unit="documents",
    )
    return [
        put_together(
            build.path / str(part) / SEGMENTS,
            [
                each
                for owner, shard in zip(owners, written, strict=True)
                if owner == part
                for each in find_written(shard)
            ],
        )
        for part in range(parts)
    ]


# ---- by terms


def _write_terms(build: Build, index: TextIndex, parts: int) -> None:
    lengths = make_directory(build.path / "lengths")
    with ExitStack() as stack:
        writers = [stack.enter_context(_ListWriter(build.path / str(part))) for part in range(parts)]
        # in the order of keys, so that lists are written as they are read and never all in memory
        for name, _ in sorted(FIELDS, key=lambda field: make_key(NUMBERS[field[0]], "")):
            number = NUMBERS[name]
            if name in SCORED:
                with open_writer(lengths / name) as stream:
                    stream.write(index.reader.length_codes(number).data)
            terms = sorted(index.reader.terms(number, "", 1 << 31))
            with build.progress.task(f"lists of {name}", total=len(terms), unit="terms") as task:
                for term in terms:
                    documents, counts = index.reader.postings(number, term)
                    places = None
                    if name in SCORED:
                        places = pack_places(counts, index.reader.positions(number, term))
                    writers[place_of(term, parts)].add(
                        make_key(number, term), pack(documents, counts), places
                    )
                    task.advance(1)


class _ListWriter:
    """Writes the lists of a part in the order of their keys, some megabytes at a time."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        stream = self._stack.enter_context(open_writer(make_directory(folder) / TERMS))
        self._writer = self._stack.enter_context(pa.ipc.new_file(stream, _LISTS))
        self._rows: list[tuple[str, bytes, bytes | None]] = []
        self._held = 0
        self._is_empty = True

    def __enter__(self) -> _ListWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None and (self._rows or self._is_empty):
            self._flush()
        self._stack.close()

    def add(self, key: str, postings: bytes, places: bytes | None) -> None:
        self._rows.append((key, postings, places))
        self._held += len(postings) + len(places or b"")
        if len(self._rows) >= _BATCH or self._held >= _HELD:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._rows, strict=True) if self._rows else ([], [], [])
        self._writer.write_table(pa.table([list(column) for column in columns], schema=_LISTS))
        self._rows, self._held, self._is_empty = [], 0, False


def make_key(number: int, term: str) -> str:
    """What the list of a term in a field is found by.

    Examples
    --------
    >>> make_key(0, "fish")
    '0 fish'
    """
    return f"{number} {term}"
