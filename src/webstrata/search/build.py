"""Building the part `search` of a collection: documents of all snapshots, in segments of tantivy.

1. *Identify*: the pages of new snapshots are gone through once, in as many processes as there are workers,
   and get their documents (`documents`).
2. *Write*: new documents become segments, as many at a time as there are workers, each in a process of its
   own. A segment that is done is kept when the build is broken off.
3. *Merge*: where there would be more than `MAX_SEGMENTS`, neighbours become one (see `plan_merges`): each
   segment costs a little of every query, and has a dictionary of its own.
4. *Put together*: segments of before are linked, not written again; labels and maps are written; the part
   appears whole, and readers keep the one that they have open.

An index is added to while the snapshots it knows are unchanged and its settings are the same; otherwise all
of it is made anew.
"""

from __future__ import annotations

import itertools
import json
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from webstrata._core import search as core
from webstrata.collection import shards
from webstrata.collection.files import explained, make_directory, open_writer, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import FormatError, LabelError, MissingError, NewerFormatError
from webstrata.search.documents import (
    DIGEST,
    DOCUMENTS,
    Held,
    PageReader,
    Register,
    Source,
    identify,
    make_labels,
)
from webstrata.search.fields import FIELDS, field_values
from webstrata.search.files import (
    FACTS,
    PART,
    SEGMENTS,
    IndexFacts,
    Segments,
    find_segments,
    put_together,
    read_documents,
    read_facts,
    read_map,
)
from webstrata.search.settings import SearchSettings
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot
    from webstrata.collection.build import Build
    from webstrata.collection.progress import Task

MAX_SEGMENTS = 8
DIGESTS = "digests"
_FEW = 1 << 12
WORD_BYTES = 32
"""Memory for each word of a segment that is being made: text, terms, postings, positions."""


class Work(NamedTuple):
    """A segment to be written: which nodes of which snapshots."""

    stemmer: str | None
    pieces: tuple[tuple[Source, tuple[int, ...]], ...]


def build_index(
    collection: Collection,
    snapshots: Sequence[Snapshot] | None = None,
    settings: SearchSettings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> IndexFacts:
    """Build the part `search` of a collection, or add to it the snapshots that are new.

    Parameters
    ----------
    collection
        Where the index is put.
    snapshots
        Those that it is to have, with the parts `text` and `urls`; all that have them where not given.
    settings
        How words are stemmed, and in how much memory; as the files say where not given.
    workers
        Processes that write segments; as ``[resources]`` says where not given.
    progress
        Where the build reports.

    Examples
    --------
    >>> import webstrata as ws
    >>> build_index(ws.create(getfixture("tmp_path") / "uk"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...uk: no snapshot has text to be indexed; ingest or crawl one
    """
    # the processes that write segments have no use for it
    from webstrata.summaries.build import find_stemmer

    settings = settings or collection.settings(SearchSettings)
    workers = workers or collection.settings(ResourcesSettings).num_workers
    progress = progress or Progress()
    chosen = sorted(snapshots or choose_snapshots(collection), key=lambda snapshot: snapshot.label)
    labels = [snapshot.label for snapshot in chosen]
    stemmer = find_stemmer(settings.stemmer)
    with ExitStack() as stack:
        # what is read stays what it is, whatever is built in a snapshot meanwhile
        held = {snapshot.label: Held.open(snapshot, stack) for snapshot in chosen}
        inputs = {name: sum_ for label, parts in held.items() for name, sum_ in parts.inputs(label).items()}
        before = _find_before(collection, labels, inputs, settings.stemmer, stack)
        every = "" if labels == collection.labels else f" --snapshots {','.join(labels)}"
        build = stack.enter_context(
            collection.parts.build(
                PART,
                settings=settings,
                inputs=inputs,
                renew=f"webstrata index {{collection}}{every}",
                progress=progress,
            )
        )
        processes = stack.enter_context(shards.Processes(build, workers))
        facts = IndexFacts(labels, settings.stemmer)
        sources = [held[label].source(label) for label in labels]
        added = _identify(build, before, sources, workers, processes)
        works = _split(added, stemmer, settings.memory // workers // WORD_BYTES, workers)
        if not (works or before.segments):
            works = [Work(stemmer, ())]  # an index of nothing is one all the same
        written = shards.run(
            build,
            write_segment,
            [
                shards.Shard(f"segment-{number:04}", work, sum(len(nodes) for _, nodes in work.pieces))
                for number, work in enumerate(works)
            ],
            workers=workers,
            pool=processes,
            title="indexing",
            unit="documents",
        )
        segments = [*before.segments, *(find_segments(shard.path) for shard in written)]
        merged = _merge(build, [one for some in segments for one in some.split()], workers, processes)
        facts.segments = put_together(build.path / SEGMENTS, merged)
        facts.num_documents = added.num_documents
        replace_file(build.path / FACTS, json.dumps(asdict(facts), indent=1).encode())
        build.count(
            snapshots=len(labels),
            documents=facts.num_documents,
            new=sum(shard.counts["documents"] for shard in written),
            pages=added.num_pages,
            segments=len(facts.segments),
        )
    return facts


def choose_snapshots(collection: Collection, words: str = "") -> list[Snapshot]:
    """The snapshots that a text names, ``all`` or labels with commas between them; each must have text.

    Examples
    --------
    >>> import webstrata as ws
    >>> uk = ws.create(getfixture("tmp_path") / "uk")
    >>> choose_snapshots(uk, "2026-06")
    Traceback (most recent call last):
    webstrata.errors.LabelError: --snapshots 2026-06: there is no snapshot 2026-06; known are none yet
    """
    if not words or words == "all":
        found = [
            snapshot for snapshot in collection if {"text", "urls"} <= {part.name for part in snapshot.parts}
        ]
        if not found:
            raise MissingError(f"{collection.path}: no snapshot has text to be indexed; ingest or crawl one")
        return found
    known = ", ".join(collection.labels) or "none yet"
    labels = sorted({word.strip() for word in words.split(",")})
    for label in labels:
        if label not in collection:
            raise LabelError(f"--snapshots {words}: there is no snapshot {label}; known are {known}")
    return [collection[label] for label in labels]


# ---- what was there before


class _Before(NamedTuple):
    """An index that is added to, or nothing."""

    documents: pa.Table
    maps: dict[str, npt.NDArray[np.uint32]]
    segments: list[Segments]


def _find_before(
    collection: Collection, labels: Sequence[str], inputs: dict[str, str], stemmer: str, stack: ExitStack
) -> _Before:
    """The index that is there, if what it was made of is unchanged."""
    nothing = _Before(DOCUMENTS.empty_table(), {}, [])
    if PART not in collection.parts:
        return nothing
    part = stack.enter_context(collection.open_part(PART))
    try:
        facts = read_facts(part.path / FACTS)
    except (FormatError, NewerFormatError):
        return nothing
    same = all(inputs.get(name) == checksum for name, checksum in part.record.inputs.items())
    if (
        not same
        or not set(facts.snapshots) <= set(labels)
        or facts.stemmer != stemmer
        or facts.fields != IndexFacts([], "").fields
    ):
        return nothing
    maps = {label: read_map(part.path, label) for label in facts.snapshots}
    return _Before(read_documents(part.path), maps, [find_segments(part.path / SEGMENTS, is_ours=False)])


# ---- documents


class _Added(NamedTuple):
    """The documents that are new, by the source that has them first, with the words of each."""

    pieces: list[tuple[Source, npt.NDArray[np.int64], npt.NDArray[np.int64]]]
    num_documents: int
    num_pages: int


def _digest(
    build: Build, sources: Sequence[Source], workers: int, processes: shards.Processes
) -> Iterator[tuple[Source, PageReader, list[bytes]]]:
    """For each source the digest of each of its pages."""
    readers = {source: PageReader(source) for source in sources}
    ranges = {}
    for source, reader in readers.items():
        bounds = np.linspace(0, len(reader), 1 + (workers if len(reader) > _FEW else 1)).astype(int).tolist()
        ranges[source] = list(itertools.pairwise(bounds))
    written = shards.run(
        build,
        digest_pages,
        [
            shards.Shard(f"versions-{source.label}-{number:04}", (source, *bounds), bounds[1] - bounds[0])
            for source in sources
            for number, bounds in enumerate(ranges[source])
        ],
        # a few pages are not worth a second process
        workers=workers if sum(map(len, readers.values())) > _FEW else 1,
        pool=processes,
        title="finding versions",
        unit="pages",
    )
    left = iter(written)
    for source, reader in readers.items():
        found: list[bytes] = []
        for _ in ranges[source]:
            path = next(left).path / DIGESTS
            with explained(path, "read"):
                data = path.read_bytes()
            found += [data[place : place + DIGEST] for place in range(0, len(data), DIGEST)]
        yield source, reader, found


def digest_pages(work: tuple[Source, int, int], folder: Path, task: Task) -> dict[str, int]:
    """Write the digests of the pages of a source, from one node to before another.

    Examples
    --------
    >>> from webstrata.collection.progress import Progress
    >>> folder = getfixture("tmp_path")
    >>> with Progress().task("finding versions") as task:
    ...     digest_pages((Source("2026-06", folder / "text", folder / "urls", None), 0, 3), folder, task)
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...: nothing there to read; check the path
    """
    source, first, last = work
    with open_writer(folder / DIGESTS) as stream:
        for pages in PageReader(source).read(np.arange(first, last)):
            stream.write(b"".join(identify(page.key, page.row, page.anchors) for page in pages))
            task.advance(len(pages))
    return {"pages": last - first}


def _identify(
    build: Build, before: _Before, sources: Sequence[Source], workers: int, processes: shards.Processes
) -> _Added:
    """Give the pages of new snapshots their documents; write the table of documents, labels and maps."""
    register = Register(before.documents["digest"].to_pylist())
    maps, tables, pieces = dict(before.maps), [before.documents], []
    unknown = [source for source in sources if source.label not in maps]
    for source, reader, digests in _digest(build, unknown, workers, processes):
        documents, new = register.number(digests)
        maps[source.label] = documents.astype("<u4")
        nodes = np.array(new, np.int64)
        columns = reader.columns.take(pa.array(nodes))
        tables.append(
            pa.table(
                [
                    reader.urls.keys_of(nodes).cast(pa.large_string()),
                    pa.array([digests[node] for node in new], DOCUMENTS.field("digest").type),
                    columns["simhash"],
                    columns["words"],
                ],
                schema=DOCUMENTS,
            )
        )
        if len(nodes):
            pieces.append((source, nodes, columns["words"].to_numpy().astype(np.int64)))
    with (
        open_writer(build.path / "documents.arrow") as stream,
        pa.ipc.new_file(stream, DOCUMENTS) as writer,
    ):
        for table in tables:
            writer.write_table(table, max_chunksize=1 << 16)
    folder = make_directory(build.path / "maps")
    ordered = [maps[source.label] for source in sources]
    for source, mapped in zip(sources, ordered, strict=True):
        with open_writer(folder / f"{source.label}.documents") as stream:
            stream.write(mapped.data)
    with open_writer(build.path / "labels") as stream:
        stream.write(make_labels(ordered, len(register)).astype("<u8", copy=False).data)
    return _Added(pieces, len(register), sum(map(len, ordered)))


def _split(added: _Added, stemmer: str | None, max_words: int, workers: int) -> list[Work]:
    """Cut the new documents into segments: as many as workers, or a multiple where they are too long."""
    total = sum(int(words.sum()) for _, _, words in added.pieces)
    # a few pages are not worth a second process, or a second segment in every query
    wanted = workers if total > 1 << 20 else 1
    # all alike, so that no worker waits for another
    wanted *= max(1, -(-total // (wanted * max_words)))
    size = min(max_words, -(-total // wanted) + 1)
    works: list[Work] = []
    pieces: list[tuple[Source, tuple[int, ...]]] = []
    room = size
    for source, nodes, words in added.pieces:
        ends = np.cumsum(words)
        start = 0
        while start < len(nodes):
            used = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, used + room, "right")), start + 1)
            pieces.append((source, tuple(nodes[start:stop].tolist())))
            room -= int(ends[stop - 1]) - used
            start = stop
            if start < len(nodes) or room <= 0:
                works.append(Work(stemmer, tuple(pieces)))
                pieces, room = [], size
    return [*works, Work(stemmer, tuple(pieces))] if pieces else works


# ---- segments


def write_segment(work: Work, folder: Path, task: Task) -> dict[str, int]:
    """Write a segment with the documents of some nodes, in their order.

    Examples
    --------
    >>> from webstrata.collection.progress import Progress
    >>> folder = getfixture("tmp_path")
    >>> with Progress().task("indexing") as task:
    ...     write_segment(Work(None, ()), folder, task)
    {'documents': 0}
    """
    writer = core.Writer(folder, FIELDS, core.Analyzer(load_core(), work.stemmer))
    count = 0
    for source, nodes in work.pieces:
        reader = PageReader(source)
        for pages in reader.read(np.array(nodes, np.int64)):
            writer.add([field_values(page.key, page.row, page.anchors) for page in pages])
            count += len(pages)
            task.advance(len(pages))
    writer.finish()
    return {"documents": count}


# ---- merging


def plan_merges(sizes: Sequence[int], most: int = MAX_SEGMENTS) -> list[range]:
    """Which neighbours become one segment, by their numbers of documents; each alone while there are few.

    A run takes in the one before it while that has less than twice as many documents. What is left falls by
    half from one to the next, so a document is written again some log₂ times however often an index grows.

    Examples
    --------
    >>> plan_merges([90, 10, 10], most=2)
    [range(0, 1), range(1, 3)]
    >>> plan_merges([90, 10, 10])
    [range(0, 1), range(1, 2), range(2, 3)]
    """
    runs = [range(place, place + 1) for place in range(len(sizes))]
    if len(sizes) <= most:
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


def _merge(
    build: Build, segments: Sequence[Segments], workers: int, processes: shards.Processes
) -> list[Segments]:
    """The segments that are kept, some made of others."""
    runs = plan_merges([sum(each.sizes) for each in segments], MAX_SEGMENTS)
    works = {
        run: tuple((each.folder, each.names[0]) for each in segments[run.start : run.stop])
        for run in runs
        if len(run) > 1
    }
    if not works:
        return list(segments)
    written = shards.run(
        build,
        merge_segments,
        [
            shards.Shard(f"merged-{run.start:04}-{run.stop:04}", work, len(work))
            for run, work in works.items()
        ],
        workers=workers,
        pool=processes,
        title="merging",
        unit="segments",
    )
    merged = {run: find_segments(shard.path) for run, shard in zip(works, written, strict=True)}
    return [merged.get(run) or segments[run.start] for run in runs]


def merge_segments(given: tuple[tuple[Path, str], ...], folder: Path, task: Task) -> dict[str, int]:
    """Write one segment of others, each in a folder and with a name, in the order of their documents.

    Examples
    --------
    >>> from webstrata.collection.progress import Progress
    >>> folder = getfixture("tmp_path")
    >>> (folder / "one").mkdir(), (folder / "both").mkdir()
    (None, None)
    >>> core.Writer(folder / "one", FIELDS, core.Analyzer(load_core(), None)).finish()
    >>> name = find_segments(folder / "one").names[0]
    >>> with Progress().task("merging") as task:
    ...     merge_segments(((folder / "one", name),), folder / "both", task)
    {'segments': 1}
    """
    core.merge(list(given), folder)
    task.advance(len(given))
    return {"segments": len(given)}
