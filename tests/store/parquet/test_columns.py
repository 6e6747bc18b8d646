"""Batches of texts have a bounded size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.parquet import columns
from webstrata.store.parquet.columns import fill_batches
from webstrata.store.text import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence


def make_batch(texts: Sequence[str]) -> pa.RecordBatch:
    rows = [
        {
            "title": text[:9],
            "headings": [{"level": 1, "text": text[:3]}],
            "text": text,
            "main": [0, len(text.encode())],
            "fallback": False,
        }
        for text in texts
    ]
    return pa.RecordBatch.from_pylist(rows, schema=TEXT)


@given(st.lists(st.lists(st.text("aé", max_size=40), min_size=1, max_size=9), max_size=9))
def test_texts_that_fit_are_not_changed(pieces: list[list[str]]) -> None:
    found = list(fill_batches(make_batch(piece) for piece in pieces))
    assert [len(batch) for batch in found[:-1]] == [64] * (len(found) - 1)
    rows = [row for batch in found for row in batch.to_pylist()]
    assert rows == [row for piece in pieces for row in make_batch(piece).to_pylist()]


@given(
    st.lists(st.text("aé", max_size=90), min_size=1, max_size=64),
    st.integers(1, 9),
    st.integers(64, 999),
)
def test_the_longest_texts_are_cut_in_whatever_pieces_they_come(
    texts: list[str], size: int, total: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "MAX_BATCH", total)
        patch.setattr(columns, "MAX_TEXT", 60)
        pieces = [make_batch(texts[start : start + size]) for start in range(0, len(texts), size)]
        [found] = fill_batches(pieces)
    kept = found["text"].to_pylist()
    lengths = [len(text.encode()) for text in texts]
    level = max(
        level for level in range(61) if sum(min(length, level) for length in lengths) <= total or level == 0
    )
    # a letter of two bytes is kept or left out as a whole
    assert kept == [text.encode()[:level].decode(errors="ignore") for text in texts]
    assert all(
        row["main"] in ([], [0, len(row["text"].encode())]) and len(row["title"].encode()) <= level
        for row in found.to_pylist()
    )
