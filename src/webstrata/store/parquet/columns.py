"""What the core found in pages, as columns of Arrow, and batches of texts of bounded size.

A batch has `BATCH` rows, and whoever reads one of its texts holds all of them in memory. So the texts of a
batch have at most `MAX_BATCH` bytes: where there are more, the longest are cut to one length, the largest
that fits. No page of less than ``MAX_BATCH / BATCH`` bytes (1 MiB) is ever cut. Titles and the texts of
headings have the same limit per page.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.store.links import LINKS
from webstrata.store.text import BATCH, COLUMNS, TEXT
from webstrata.web import html, language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_log = logging.getLogger(__name__)

MAX_BATCH = BATCH << 20
"""Bytes of the texts of a batch."""
MAX_TEXT = 16 << 20
"""Bytes of one text."""
KINDS = [str(kind) for kind in html.Kind]
"""As the core numbers them."""


def text_batches(found: Mapping[str, Any], size: int) -> Iterator[pa.RecordBatch]:
    """The texts of `size` pages, `BATCH` to a batch.

    Examples
    --------
    >>> from webstrata._core.store import Contents
    >>> from webstrata.web.words import load_core
    >>> kernel = Contents(load_core(), 1, 2048)
    >>> kernel.parse(0, b"<title>A</title><p>fish", "http://a.uk/", None, "")
    >>> [batch["text"].to_pylist() for batch in text_batches(kernel.finish(), 1)]
    [['fish']]
    """
    levels, counts = found["heading_level"], np.concatenate([[0], np.cumsum(found["num_headings"])])
    ends = np.concatenate([[0], np.cumsum(found["num_main"])]).astype(np.int32)
    main = pa.ListArray.from_arrays(pa.array(ends), pa.array(found["main"]))
    for start in range(0, size, BATCH):
        stop = min(start + BATCH, size)
        first, last = int(counts[start]), int(counts[stop])
        headings = pa.StructArray.from_arrays(
            [pa.array(levels[first:last]), strings(found["heading"], first, last)],
            fields=list(TEXT.field("headings").type.value_type),
        )
        places = pa.array((counts[start : stop + 1] - first).astype(np.int32))
        columns = [
            strings(found["title"], start, stop),
            pa.ListArray.from_arrays(places, headings),
            strings(found["text"], start, stop),
            main.slice(start, stop - start),
            pa.array(found["fallback"][start:stop]),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=TEXT)


def text_columns(found: Mapping[str, Any]) -> pa.Table:
    """Number of words, language, charset and simhash of each page.

    Examples
    --------
    >>> from webstrata._core.store import Contents
    >>> from webstrata.web.words import load_core
    >>> kernel = Contents(load_core(), 1, 2048)
    >>> kernel.parse(0, b"<p>big fish", "http://a.uk/", "utf-8", "")
    >>> text_columns(kernel.finish())["words"].to_pylist()
    [2]
    """
    columns = {name: list(found[name]) for name in ("words", "charset", "simhash")}
    columns["language"] = [
        (language.to_short_code(code) if code else None) or read_declared(declared)
        for code, declared in zip(found["spoken"], found["declared"], strict=True)
    ]
    return pa.table({name: columns[name] for name in COLUMNS.names}, schema=COLUMNS)


def strings(column: tuple[Any, Any], start: int, stop: int) -> pa.Array:
    """Some of the texts that the core gave as one, with the places where they end.

    Examples
    --------
    >>> strings((np.array([0, 1, 3]), np.frombuffer(b"abb", np.uint8)), 0, 2).to_pylist()
    ['a', 'bb']
    """
    ends, data = column
    begin, end = int(ends[start]), int(ends[stop])
    places = (ends[start : stop + 1] - begin).astype(np.int32)
    return pa.StringArray.from_buffers(
        stop - start, pa.py_buffer(places), pa.py_buffer(np.ascontiguousarray(data[begin:end]))
    )


def links_table(start: int, found: Mapping[str, Any]) -> tuple[pa.Table, pa.Array]:
    """The links of pages, the first of which is node `start`: a target is a place in the row keys given next.

    Examples
    --------
    >>> from webstrata._core.store import Contents
    >>> from webstrata.web.words import load_core
    >>> kernel = Contents(load_core(), 1, 2048)
    >>> kernel.parse(0, b"<a href=/b>B</a>", "http://a.uk/", None, "")
    >>> table, targets = links_table(7, kernel.finish())
    >>> table["source"].to_pylist(), table["target"].to_pylist(), targets.to_pylist()
    ([7], [0], ['uk,a)/b'])
    """
    sizes = found["num_links"]
    kinds = pa.DictionaryArray.from_arrays(pa.array(found["kind"]), pa.array(KINDS, pa.string()))
    table = pa.table(
        {
            "source": np.repeat(np.arange(start, start + len(sizes), dtype=np.uint32), sizes),
            "target": found["target"],
            "kind": kinds.cast(pa.string()),
            "rel": found["rel"],
            "anchor": strings(found["anchor"], 0, len(found["target"])),
        },
        schema=LINKS,
    )
    ends, data = found["row_key"]
    return table, pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(data))


def read_declared(text: str) -> str | None:
    """What a page says of its language, where that is a code.

    Examples
    --------
    >>> read_declared("en-GB"), read_declared("English")
    ('en', None)
    """
    declared = text.partition("-")[0].lower()
    return declared if re.fullmatch("[a-z]{2}", declared) else None


def fill_batches(batches: Iterable[pa.RecordBatch], *, first: int = 0) -> Iterator[pa.RecordBatch]:
    """The same rows, `BATCH` to a batch, with the longest texts cut where a batch is too large.

    `first` is the node of the first row, for the log.

    Examples
    --------
    >>> row = {"title": "", "headings": [], "text": "fish", "main": [0, 4], "fallback": False}
    >>> batch = pa.RecordBatch.from_pylist([row], schema=TEXT)
    >>> [len(batch) for batch in fill_batches([batch] * 65)]
    [64, 1]
    """
    waiting: list[pa.RecordBatch] = []
    sizes = np.zeros(0, np.int64)  # before anything was cut, so that pieces make no difference
    is_cut = False
    for given in batches:
        rest = given
        while len(rest):
            room = BATCH - sum(map(len, waiting))
            # cut as they come: the length that all texts of a batch have room for only gets less
            waiting = [*waiting, rest.slice(0, room)]
            sizes = np.concatenate([sizes, _measure(waiting[-1])])
            if len(waiting) > 1 or waiting[0].nbytes > MAX_TEXT:
                joined = _join(waiting)
                waiting = [_cut_texts(joined, sizes)]
                is_cut |= waiting[0] is not joined
            rest = rest.slice(room)
            if len(sizes) == BATCH:
                _report(first, is_cut=is_cut)
                yield waiting.pop()
                first, is_cut, sizes = first + BATCH, False, sizes[:0]
    _report(first, is_cut=is_cut)
    yield from waiting


def _report(first: int, *, is_cut: bool) -> None:
    if is_cut:
        _log.warning(
            "the longest texts of nodes %d to %d are cut: they have more than %d MiB together",
            first, first + BATCH - 1, MAX_BATCH >> 20,
        )  # fmt: skip


def _join(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    [joined] = pa.Table.from_batches(batches).combine_chunks().to_batches() or batches[:1]
    return joined


def _cut_texts(batch: pa.RecordBatch, sizes: np.ndarray[Any, np.dtype[np.int64]]) -> pa.RecordBatch:
    """A batch with its longest texts cut, if they have, or had, more than `MAX_BATCH` bytes."""
    level = min(_find_level(sizes, MAX_BATCH), MAX_TEXT)
    rows = np.flatnonzero(_measure(batch) > level).tolist()
    if not rows:
        return batch
    pieces, done = [], 0
    for row in rows:
        pieces.append(batch.slice(done, row - done))
        pieces.append(_cut_row(batch.slice(row, 1), level))
        done = row + 1
    return _join([*pieces, batch.slice(done)])


def _measure(batch: pa.RecordBatch) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Bytes of the longest of title, text and headings of each row."""
    own = [pc.binary_length(batch[name]).to_numpy(zero_copy_only=False) for name in ("title", "text")]
    offsets = batch["headings"].offsets.to_numpy()
    lengths = pc.binary_length(batch["headings"].values.field("text")).to_numpy(zero_copy_only=False)
    sums = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    columns = [*(column.astype(np.int64) for column in own), np.diff(sums[offsets])]
    longest: np.ndarray[Any, np.dtype[np.int64]] = np.maximum.reduce(columns)
    return longest


def _find_level(sizes: np.ndarray[Any, np.dtype[np.int64]], total: int) -> int:
    """The largest L such that the sum of min(size, L) is at most `total`; the largest size if all fit."""
    ordered = np.sort(sizes)
    below = np.concatenate([[0], np.cumsum(ordered)[:-1]])
    left = np.arange(len(ordered), 0, -1)
    over = np.flatnonzero(below + ordered * left > total)
    if not len(over):
        return int(ordered[-1])
    return int((total - below[over[0]]) // left[over[0]])


def _cut_row(batch: pa.RecordBatch, level: int) -> pa.RecordBatch:
    [row] = batch.to_pylist()
    text = _cut(row["text"], level)
    size = len(text.encode())
    places = row["main"] or []
    kept = [(begin, min(end, size)) for begin, end in zip(places[::2], places[1::2], strict=True)]
    headings, room = [], level
    for heading in row["headings"]:
        room -= len(heading["text"].encode())
        if room < 0:
            break
        headings.append(heading)
    row |= {
        "title": _cut(row["title"], level),
        "text": text,
        "headings": headings,
        "main": [place for begin, end in kept if begin < end for place in (begin, end)],
    }
    return pa.RecordBatch.from_pylist([row], schema=batch.schema)


def _cut(text: str, level: int) -> str:
    return text.encode()[:level].decode(errors="ignore")
