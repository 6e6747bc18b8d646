"""A snapshot of texts that a test gives, without a crawl, and rows that tests draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from hypothesis import strategies as st

import webstrata as ws
from webstrata.store.text import BATCH, COLUMNS, TEXT, write_text
from webstrata.store.urls import write_urls
from webstrata.summaries.rows import SummaryRows, make_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def write_snapshot(folder: Path, texts: Sequence[str | None], label: str = "2026-06") -> ws.Snapshot:
    """A snapshot of pages ``http://test/00000``, … with these texts; None for one that cannot be read."""
    try:
        collection = ws.open(folder)
    except ws.errors.MissingError:
        collection = ws.create(folder)
    snapshot = collection.add(label)
    with snapshot.write_part("urls") as build:
        none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
        write_urls(
            build.path, pa.array([f"test)/{page:05}" for page in range(len(texts))], pa.string()), none
        )
    rows = [{"title": "", "headings": [], "text": text or "", "main": []} for text in texts]
    columns = {
        "words": [0] * len(texts),
        "language": [None] * len(texts),
        "charset": [None if text is None else "UTF-8" for text in texts],
        "simhash": [0] * len(texts),
    }
    batches = [
        pa.RecordBatch.from_pylist(rows[start : start + BATCH], schema=TEXT)
        for start in range(0, len(rows), BATCH)
    ]
    with snapshot.write_part("text") as build:
        write_text(build.path, batches, pa.table(columns, schema=COLUMNS))
    return snapshot


def drawn_rows(*, max_pages: int = 40, max_terms: int = 60) -> st.SearchStrategy[SummaryRows]:
    """Rows of pages that have much in common, as pages of a site have, and some odd ones."""
    count = st.one_of(st.integers(1, 4), st.integers(1, 300), st.just(2**32 - 1))
    page = st.tuples(
        st.one_of(st.integers(0, 2000), st.integers(0, 2**32 - 1)),
        st.dictionaries(st.integers(0, max_terms - 1), count, max_size=30),
    )
    return st.lists(page, max_size=max_pages).map(
        lambda pages: make_rows(
            [
                (length, {**(pages[nth - 1][1] if nth % 3 else {}), **counts})
                for nth, (length, counts) in enumerate(pages)
            ]
        )
    )
