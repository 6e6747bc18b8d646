"""The part `summaries`: the text of a snapshot's pages counted, and the counts compressed.

Four steps, each in shards of nodes that may be computed anywhere:

1. *count*: words of texts become terms (`webstrata.web.words`, stop words, a stemmer), and terms counts. A
   shard writes runs, each with rows and a vocabulary of its own, whenever its share of the memory is full.
2. *merge*: vocabularies of all runs become one (`vocabulary`), terms in too few pages are dropped.
3. *measure*: terms get their ranks, summaries their references, contexts their frequencies.
4. *code*: summaries are coded, and the shards put one behind the other.

Steps 1 to 3 are SUM's first pass, that of statistics; texts are read once, and the second pass goes over
counts. Chunks of nodes are coded apart (`write`), so the part is the same however the work was split. Shards
that are done are found again by a build that was interrupted.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata._core import summaries as core
from webstrata.collection import shards
from webstrata.collection.files import make_directory, open_writer
from webstrata.collection.progress import Progress, Task
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import SettingError
from webstrata.store.text import BATCH, Text
from webstrata.summaries.contexts import ContextTally, Model, classify_terms, no_tally
from webstrata.summaries.rows import DROPPED, SummaryRows, regroup, renumber
from webstrata.summaries.settings import SummariesSettings
from webstrata.summaries.stop_words import read_stop_words
from webstrata.summaries.terms import invert, rank_terms
from webstrata.summaries.vocabulary import merge_vocabularies, read_vocabulary, write_vocabulary
from webstrata.summaries.write import CHUNK, ArchiveWriter, Coder, Piece, finish_archive, without
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.build import Build

_RUN_SHARE = 1
"""What part of its memory a run may fill before it is written; a divisor."""
_PAGE_BYTES = 1 << 13
"""What a page takes while it is counted, roughly; shards are as large as the memory for it."""


def build_summaries(
    snapshot: Snapshot,
    settings: SummariesSettings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Build the part `summaries` of a snapshot that has its text.

    Parameters
    ----------
    snapshot
        With the part `text`.
    settings
        What becomes a term, how summaries are coded, in how much memory; as the files say where not given.
    workers
        Processes; as ``[resources]`` says where not given.
    progress
        Where the build reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries.settings import SummariesSettings
    >>> snapshot = testing.snapshot_of({"http://a.example/": "<p>Fish swim. A fish!"}, parts=())
    >>> build_summaries(snapshot, SummariesSettings(min_df=1))
    >>> archive = snapshot.summaries
    >>> [archive.terms[term] for term in archive[0].terms], archive[0].counts.tolist()
    (['fish', 'swim'], [2, 1])
    """
    settings = settings or snapshot.settings(SummariesSettings)
    workers = workers or snapshot.settings(ResourcesSettings).num_workers
    stemmer = find_stemmer(settings.stemmer)
    stop_words = read_stop_words(settings.stop_words)
    with (
        snapshot.write_part(
            "summaries", settings=settings, inputs=("text",), progress=progress or Progress()
        ) as build,
        snapshot.open_part("text") as part,
    ):
        text = Text(part.path)
        num_nodes = len(text)
        # each process has its share of the memory
        size = max(settings.memory // (_PAGE_BYTES * workers * CHUNK), 1) * CHUNK
        ranges = [(start, min(start + size, num_nodes)) for start in range(0, num_nodes, size)]
        counting = _Counting(str(part.path), stemmer, tuple(stop_words), settings.memory // workers)
        counted = _run(build, _count, "count", ranges, counting, workers, "counting words")
        order, classes = _merge(build, counted, settings, num_nodes, text)
        texts = str(part.path)
        merged = str(build.folder / "shards" / "terms")
        measuring = [
            _Measuring(texts, str(shard.path), merged, first, settings)
            for shard, first in zip(counted, _first_runs(counted), strict=True)
        ]
        np.save(build.folder / "classes.npy", classes)
        np.save(build.folder / "order.npy", order)
        measured = _run(build, _measure, "measure", ranges, measuring, workers, "choosing references")
        coder = Coder(settings, classes)
        tally = no_tally()
        for shard in measured:
            found = np.load(shard.path / "tally.npz")
            tally += ContextTally(found["symbols"], found["flags"])
        coder.learn(tally)
        if coder.model is not None:
            coder.model.write(build.folder / "model.zst")
        coding = [_Coding(str(shard.path), merged, len(order), settings) for shard in measured]
        coded = _run(build, _code, "code", ranges, coding, workers, "coding summaries")
        _combine(build, coded, settings, order, coder.model, text)


def find_stemmer(name: str) -> str | None:
    """The stemmer that a setting names, as the core calls it; None for none.

    Examples
    --------
    >>> find_stemmer("porter"), find_stemmer("snowball:de"), find_stemmer("none")
    ('porter', 'de', None)
    >>> find_stemmer("snowball:klingon")
    Traceback (most recent call last):
    webstrata.errors.SettingError: stemmer: there is none for klingon; known are ...
    """
    if name == "none":
        return None
    language = name.removeprefix("snowball:")
    try:
        core.Counter(load_core(), language, [])
    except ValueError as error:
        known = ", ".join(core.stemmers())
        raise SettingError(f"stemmer: there is none for {language}; known are {known}") from error
    return language


def _run(
    build: Build,
    function: shards._Function,
    name: str,
    ranges: Sequence[tuple[int, int]],
    items: object,
    workers: int,
    title: str,
) -> list[shards.DoneShard]:
    each = items if isinstance(items, list) else [items] * len(ranges)
    work = [
        shards.Shard(f"{name}-{start:010}", (start, stop, item), stop - start)
        for (start, stop), item in zip(ranges, each, strict=True)
    ]
    return shards.run(build, function, work, workers=workers, title=title, unit="pages")


# ---- 1: counting


@dataclass(frozen=True)
class _Counting:
    """Where the texts are, what becomes a term, and when a run is full."""

    texts: str
    stemmer: str | None
    stop_words: tuple[str, ...]
    memory: int


def _count(item: tuple[int, int, _Counting], folder: Path, task: Task) -> Mapping[str, int]:
    start, stop, given = item
    counter = core.Counter(load_core(), given.stemmer, given.stop_words)
    text = Text(Path(given.texts))
    runs = used = 0
    for nth, batch in enumerate(text.scan("text", start=start)):
        first = start + nth * BATCH
        if first >= stop:
            break
        texts = batch["text"].cast(pa.large_string()).fill_null("")
        offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
        data = texts.buffers()[2]
        counter.add(offsets, np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8))
        task.advance(len(texts))
        # a text has no more terms than a half of its bytes, and a term in a row takes 8
        used += int(offsets[-1] - offsets[0])
        if 4 * used + 200 * counter.num_terms > given.memory // _RUN_SHARE and first + BATCH < stop:
            _write_run(counter, folder / f"run-{runs:06}")
            runs, used = runs + 1, 0
    _write_run(counter, folder / f"run-{runs:06}")
    return {"runs": runs + 1}


def _write_run(counter: core.Counter, folder: Path) -> None:
    make_directory(folder)
    vocabulary, rows = counter.finish()
    write_vocabulary(folder, *vocabulary)
    save_rows(folder / "rows", SummaryRows(*rows))


def save_rows(path: Path, rows: SummaryRows) -> None:
    """Write rows to four files beside each other; `load_rows` maps them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries.rows import make_rows
    >>> path = testing.scratch() / "rows"
    >>> save_rows(path, make_rows([(3, {0: 2})]))
    >>> load_rows(path).counts.tolist()
    [2]
    """
    for name, column in rows._asdict().items():
        with open_writer(path.with_name(f"{path.name}.{name}.npy")) as stream:
            np.save(stream, column)


def load_rows(path: Path) -> SummaryRows:
    """Rows from files, mapped.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.summaries.rows import make_rows
    >>> path = testing.scratch() / "rows"
    >>> save_rows(path, make_rows([]))
    >>> load_rows(path).num_rows
    0
    """
    return SummaryRows(
        *(np.load(path.with_name(f"{path.name}.{name}.npy"), mmap_mode="r") for name in SummaryRows._fields)
    )


# ---- 2: one vocabulary


def _merge(
    build: Build,
    counted: Sequence[shards.DoneShard],
    settings: SummariesSettings,
    num_nodes: int,
    text: Text,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """The number of each rank, and the class of each."""
    runs = [str(path) for shard in counted for path in sorted(shard.path.glob("run-*"))]
    weight = sum(len(read_vocabulary(Path(path))) for path in runs)
    [merged] = shards.run(
        build,
        _merge_runs,
        [shards.Shard("terms", (tuple(runs), settings.min_df, settings.memory), weight)],
        title="merging vocabularies",
        unit="terms",
    )
    kept, seen = merged.counts["kept"], merged.counts["seen"]
    if not kept:
        raise SettingError(
            f"min_df {settings.min_df}: none of the {seen} different terms of {num_nodes} pages is in so "
            "many of them; choose a smaller one (`--min-df 1` keeps them all)"
        )
    table = pq.read_table(merged.path / "terms.parquet", columns=["df", "cf"])
    df, cf = table["df"].to_numpy(), table["cf"].to_numpy()
    order = rank_terms(df)
    present = num_nodes - len(_missing(text, 0, num_nodes))
    return order, classify_terms(df[order], cf[order], present)


def _merge_runs(item: tuple[tuple[str, ...], int, int], folder: Path, task: Task) -> Mapping[str, int]:
    paths, min_df, memory = item
    runs = [Path(path) for path in paths]
    kept, seen = merge_vocabularies(runs, folder, min_df=min_df, memory=memory, advance=task.advance)
    return {"kept": kept, "seen": seen}


def _first_runs(counted: Sequence[shards.DoneShard]) -> list[int]:
    """The number of the first run of each shard."""
    return list(itertools.accumulate((shard.counts["runs"] for shard in counted[:-1]), initial=0))


def _missing(text: Text, start: int, stop: int) -> npt.NDArray[np.int64]:
    """Nodes of a range whose pages could not be read."""
    charsets = text.columns("charset")["charset"].slice(start, stop - start)
    return np.flatnonzero(charsets.is_null().to_numpy()) + start


# ---- 3: ranks, references, frequencies


@dataclass(frozen=True)
class _Measuring:
    texts: str
    runs: str
    merged: str
    first_run: int
    settings: SummariesSettings


def _measure(item: tuple[int, int, _Measuring], folder: Path, task: Task) -> Mapping[str, int]:
    start, stop, given = item
    work = Path(given.merged).parent.parent
    order, classes = np.load(work / "order.npy"), np.load(work / "classes.npy")
    coder = Coder(given.settings, classes)
    ranks = np.append(invert(order), DROPPED)
    missing = _missing(Text(Path(given.texts)), start, stop)
    tally = no_tally()

    def ranked() -> Iterator[SummaryRows]:
        for nth, path in enumerate(sorted(Path(given.runs).glob("run-*"))):
            numbers = np.fromfile(Path(given.merged) / f"numbers-{given.first_run + nth}.u32", "<u4")
            # what has no number is behind the last one
            to_rank = ranks[np.minimum(numbers, len(order))]
            rows = load_rows(path / "rows")
            for begin in range(0, rows.num_rows, CHUNK):
                yield renumber(rows.cut(begin, min(begin + CHUNK, rows.num_rows)), to_rank)

    for nth, rows in enumerate(regroup(ranked(), CHUNK)):
        begin = start + nth * CHUNK
        gone = missing[(missing >= begin) & (missing < begin + CHUNK)] - begin
        kept = without(rows, gone)
        distances, counted = coder.prepare(kept)
        tally += counted
        save_rows(folder / f"chunk-{nth:06}", kept)
        with open_writer(folder / f"chunk-{nth:06}.references.npy") as stream:
            np.save(stream, distances)
        task.advance(rows.num_rows)
    with open_writer(folder / "tally.npz") as stream:
        np.savez(stream, symbols=tally.symbols, flags=tally.flags)
    return {"chunks": nth + 1 if stop > start else 0}


# ---- 4: coding


@dataclass(frozen=True)
class _Coding:
    chunks: str
    merged: str
    num_terms: int
    settings: SummariesSettings


def _code(item: tuple[int, int, _Coding], folder: Path, task: Task) -> Mapping[str, int]:
    _, _, given = item
    work = Path(given.merged).parent.parent
    coder = Coder(given.settings, np.load(work / "classes.npy"))
    if given.settings.coding == "contexts":
        coder.model = Model.read(work / "model.zst", given.num_terms)
    chunks = sorted(Path(given.chunks).glob("*.references.npy"))
    for path in chunks:
        name = path.name.partition(".")[0]
        rows = load_rows(path.with_name(name))
        piece = coder.encode(rows, np.load(path))
        with open_writer(folder / f"{name}.npz") as stream:
            np.savez(stream, data=piece.data, ends=piece.ends, postings=piece.num_postings)
        task.advance(rows.num_rows)
    return {"chunks": len(chunks)}


def _combine(
    build: Build,
    coded: Sequence[shards.DoneShard],
    settings: SummariesSettings,
    order: npt.NDArray[np.uint32],
    model: Model | None,
    text: Text,
) -> None:
    with open_writer(build.path / "summaries.stream") as stream:
        writer = ArchiveWriter(stream)
        for shard in coded:
            for path in sorted(shard.path.glob("chunk-*.npz")):
                found = np.load(path)
                writer.append(Piece(found["data"], found["ends"], int(found["postings"])))
        if settings.coding == "codes":
            writer.end()
    missing = _missing(text, 0, len(text))
    finish_archive(
        build.path,
        writer,
        settings,
        missing=missing,
        order=order,
        model=model,
        stemmer=settings.stemmer,
    )
    terms = build.folder / "shards" / "terms" / "terms.parquet"
    with open_writer(build.path / "terms.parquet") as stream, terms.open("rb") as source:
        while block := source.read(1 << 20):
            stream.write(block)
    build.count(
        nodes=len(text),
        summaries=len(text) - len(missing),
        terms=len(order),
        postings=writer.num_postings,
        bytes=sum(path.stat().st_size for path in build.path.iterdir()),
    )
