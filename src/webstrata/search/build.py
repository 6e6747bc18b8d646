"""Building the part `text_index` of a collection: documents of all snapshots, in segments of tantivy.

1. *Identify*: the pages of new snapshots are gone through once, in as many processes as there are workers,
   and get their documents (`documents`).
2. *Write*: new documents become a generation of segments, as many at a time as there are workers, each in a
   process of its own, which has a range of row keys. All versions of a page come one behind the other, so
   that those that are alike share an entry (``rust/src/search/segments.rs``). What is done is kept when the
   build is broken off. Where there would be more than `MAX_GENERATIONS`, some of before are written again
   together with what is new: each segment costs a little of every query, has a dictionary of its own, and
   shares nothing with others. All of it is in `segments`.
3. *Put together*: segments of before are linked, not written again; labels and maps are written; the part
   appears whole, and readers keep the one that they have open.

An index is added to while the snapshots it knows are unchanged and its settings are the same; otherwise all
of it is built again. Pages that are marked `noindex`, and error pages with status 200, are nodes without a
document.
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
from webstrata.errors import FormatError, MissingError, NewerFormatError
from webstrata.search.documents import (
    DIGEST,
    DOCUMENTS,
    NO_DIGEST,
    DocumentSource,
    Held,
    Homes,
    PageReader,
    Register,
    identify,
    make_labels,
)
from webstrata.search.files import (
    FACTS,
    PART,
    SEGMENTS,
    IndexFacts,
    Segments,
    put_together,
    read_documents,
    read_facts,
    read_map,
)
from webstrata.search.segments import Work, find_written, make_works, plan_generations, write_segments
from webstrata.search.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot
    from webstrata.collection.build import Build
    from webstrata.collection.progress import Task

DIGESTS = "digests"
_FEW = 1 << 12


def build_text_index(
    collection: Collection,
    snapshots: Sequence[Snapshot] | None = None,
    settings: SearchSettings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> IndexFacts:
    """Build the part `text_index` of a collection, or add to it the snapshots that are new.

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
    >>> from webstrata import testing
    >>> pages = {"http://a.example/": "<title>Fish</title>", "http://a.example/b": "<p>Bread"}
    >>> uk = testing.collection_of({"2026-06": pages})
    >>> facts = build_text_index(uk)
    >>> facts.snapshots, facts.num_documents
    (['2026-06'], 2)
    >>> [hit.url for hit in uk.search("bread")]
    ['http://a.example/b']
    """
    # the processes that write segments have no use for it
    from webstrata.summaries.build import find_stemmer

    settings = settings or collection.settings(SearchSettings)
    workers = workers or collection.settings(ResourcesSettings).num_workers
    progress = progress or Progress()
    chosen = sorted(snapshots or choose_snapshots(collection), key=lambda snapshot: snapshot.date)
    labels = [snapshot.date for snapshot in chosen]
    stemmer = find_stemmer(settings.stemmer)
    with ExitStack() as stack:
        # what is read stays what it is, whatever is built in a snapshot meanwhile
        held = {snapshot.date: Held.open(snapshot, stack) for snapshot in chosen}
        inputs = {name: sum_ for label, parts in held.items() for name, sum_ in parts.inputs(label).items()}
        before = _find_before(collection, labels, inputs, settings.stemmer, stack)
        build = stack.enter_context(
            collection.parts.build(
                PART,
                settings=settings,
                inputs=inputs,
                progress=progress,
            )
        )
        processes = stack.enter_context(shards.Processes(build, workers))
        facts = IndexFacts(labels, settings.stemmer)
        sources = [held[label].source(label) for label in labels]
        added = _identify(build, before, sources, workers, processes)
        planned = _plan(before, added, sources, stemmer, settings.memory // workers, workers)
        works = [work for generation in planned if isinstance(generation, list) for work in generation]
        written = shards.run(
            build,
            write_segments,
            [
                shards.Shard(f"segment-{number:04}", work, work.num_documents)
                for number, work in enumerate(works)
            ],
            workers=workers,
            pool=processes,
            title="indexing",
            unit="documents",
        )
        left = iter(written)
        generations = [
            [each for _ in generation for each in find_written(next(left))]
            if isinstance(generation, list)
            else [generation]
            for generation in planned
        ]
        facts.generations = [sum(len(each.names) for each in some) for some in generations]
        facts.segments = put_together(build.path / SEGMENTS, itertools.chain.from_iterable(generations))
        facts.num_documents = added.num_documents
        replace_file(build.path / FACTS, json.dumps(asdict(facts), indent=1).encode())
        build.count(
            snapshots=len(labels),
            documents=facts.num_documents,
            new=added.num_documents - len(before.documents),
            pages=added.num_pages,
            segments=len(facts.segments),
        )
    # the earlier index could not be removed while it was read from
    with collection.parts.writing(progress):
        collection.parts.sweep()
    return facts


def choose_snapshots(collection: Collection, words: str = "") -> list[Snapshot]:
    """The snapshots that a text names, ``all`` or labels with commas between them; each must have text.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> [snapshot.date for snapshot in choose_snapshots(collection, "2026-04,2026-06")]
    ['2026-04', '2026-06']
    >>> choose_snapshots(collection, "2030-01")
    Traceback (most recent call last):
    webstrata.errors.DateError: snapshots 2030-01: no snapshot 2030-01; known are 2026-04, 2026-05, 2026-06
    """
    if not words or words == "all":
        found = [
            snapshot for snapshot in collection if {"text", "urls"} <= {part.name for part in snapshot.parts}
        ]
        if not found:
            raise MissingError(f"{collection.path}: no snapshot has text to be indexed; ingest or crawl one")
        return found
    labels = collection.choose(words.split(","))
    return [collection[label] for label in labels]


# ---- what was there before


class _Before(NamedTuple):
    """An index that is added to, or nothing."""

    documents: pa.Table
    maps: dict[str, npt.NDArray[np.uint32]]
    generations: list[tuple[Segments, npt.NDArray[np.int64]]]
    """Segments that were written at a time, and the documents of each such group."""

    def find_moved(self, homes: Homes, labels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which documents are read elsewhere now: an earlier snapshot was added that has them too."""
        then = sorted(self.maps)
        before = Homes.find([self.maps[label] for label in then], len(self.documents))
        numbers = np.array([labels.index(label) for label in then], np.int64)
        return np.asarray(numbers[before.sources] != homes.sources[: len(self.documents)])


def _find_before(
    collection: Collection, labels: Sequence[str], inputs: dict[str, str], stemmer: str, stack: ExitStack
) -> _Before:
    """The index that is there, if what it was made of is unchanged."""
    nothing = _Before(DOCUMENTS.empty_table(), {}, [])
    if PART not in collection.parts:
        return nothing
    try:
        part = stack.enter_context(collection.open_part(PART, whole=True))
        facts = read_facts(part.path / FACTS)
    except (FormatError, MissingError, NewerFormatError):
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
    reader = core.Reader(part.path / SEGMENTS, facts.segments)
    generations, begin = [], 0
    for number in facts.generations:
        places = range(begin, begin + number)
        begin += number
        segments = Segments(
            part.path / SEGMENTS, tuple(facts.segments[place] for place in places), is_ours=False
        )
        listed = [reader.listed_documents(place).astype(np.int64) for place in places]
        generations.append((segments, np.concatenate([np.zeros(0, np.int64), *listed])))
    return _Before(read_documents(part.path), maps, generations)


# ---- documents


class _Added(NamedTuple):
    """All documents, with those that are new."""

    table: pa.Table
    homes: Homes
    num_pages: int

    @property
    def num_documents(self) -> int:
        return len(self.table)


def _digest(
    build: Build, sources: Sequence[DocumentSource], workers: int, processes: shards.Processes
) -> Iterator[tuple[DocumentSource, PageReader, list[bytes]]]:
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


def digest_pages(work: tuple[DocumentSource, int, int], folder: Path, task: Task) -> dict[str, int]:
    """Write the digests of the pages of a source, from one node to before another.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> snapshot, folder = testing.snapshot(), testing.scratch()
    >>> with snapshot.open_part("text") as text, snapshot.open_part("urls") as urls:
    ...     with Progress().task("finding versions") as task:
    ...         digest_pages((DocumentSource("2026-06", text.path, urls.path, None), 0, 3), folder, task)
    {'pages': 3}
    >>> (folder / DIGESTS).stat().st_size == 3 * DIGEST
    True
    """
    source, first, last = work
    with open_writer(folder / DIGESTS) as stream:
        reader = PageReader(source)
        for pages in reader.read(np.arange(first, last)):
            digests = (
                NO_DIGEST if reader.left_out[page.node] else identify(page.key, page.row, page.anchors)
                for page in pages
            )
            stream.write(b"".join(digests))
            task.advance(len(pages))
    return {"pages": last - first}


def _identify(
    build: Build,
    before: _Before,
    sources: Sequence[DocumentSource],
    workers: int,
    processes: shards.Processes,
) -> _Added:
    """Give the pages of new snapshots their documents; write the table of documents, labels and maps."""
    register = Register(before.documents["digest"].to_pylist())
    maps, tables = dict(before.maps), [before.documents]
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
    return _Added(pa.concat_tables(tables), Homes.find(ordered, len(register)), sum(map(len, ordered)))


# ---- segments


def _plan(
    before: _Before,
    added: _Added,
    sources: Sequence[DocumentSource],
    stemmer: str | None,
    memory: int,
    workers: int,
) -> list[Segments | list[Work]]:
    """The generations of an index: those that are kept, and those to be written, each as some segments."""
    groups = [documents for _, documents in before.generations]
    new = np.arange(len(before.documents), added.num_documents)
    if len(new) or not groups:
        groups.append(new)  # an index of nothing is one all the same
    found: list[Segments | list[Work]] = []
    moved = before.find_moved(added.homes, [source.label for source in sources])
    for run in plan_generations([len(documents) for documents in groups]):
        is_known = len(run) == 1 and run.start < len(before.generations)
        if is_known and not moved[groups[run.start]].any():
            found.append(before.generations[run.start][0])
            continue
        documents = np.concatenate(groups[run.start : run.stop])
        found.append(make_works(documents, added.table, added.homes, sources, stemmer, memory, workers))
    return found
