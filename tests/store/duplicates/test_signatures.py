"""Signatures: what is kept of a snapshot to find its near-duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import webstrata as ws
from webstrata.store.duplicates.near import fingerprints
from webstrata.store.duplicates.signatures import (
    SignatureSelection,
    iter_signatures,
    open_signatures,
    sign,
    to_buffers,
)
from webstrata.store.text import COLUMNS, TEXT, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


def give_text(snapshot: Snapshot, pages: list[str]) -> None:
    rows = [{"title": "", "headings": [], "text": page} for page in pages]
    with snapshot.write_part("text") as build:
        batches = [
            pa.RecordBatch.from_pylist(rows[at : at + 64], schema=TEXT) for at in range(0, len(rows), 64)
        ]
        write_text(build.path, batches, pa.Table.from_pylist([{"simhash": 0}] * len(rows), schema=COLUMNS))


PAGES = [f"page {number} of a snapshot " * (number % 4) for number in range(100)]


def test_signatures_are_made_once_and_again_when_the_text_or_the_selection_changes(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    give_text(snapshot, PAGES)
    first = open_signatures(snapshot)
    assert len(first) == 100
    for number in (0, 1, 63, 64, 99):
        assert first[number].tolist() == fingerprints(PAGES[number]).tolist()
    record = snapshot.parts.record("signatures")
    open_signatures(ws.open(tmp_path / "uk")["2026-06"])
    assert snapshot.parts.record("signatures") == record
    assert len(open_signatures(snapshot, SignatureSelection(p=1)).fingerprints) > len(first.fingerprints)
    give_text(snapshot, PAGES[:3])
    again = ws.open(tmp_path / "uk")["2026-06"]
    assert open_signatures(again).words.tolist() == [0, 5, 10]
    assert not ws.open(tmp_path / "uk").states()["2026-06/signatures"].stale


def test_a_snapshot_without_pages_has_no_signatures(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    give_text(snapshot, [])
    found = open_signatures(snapshot)
    assert (len(found), found.offsets.tolist(), len(found.fingerprints)) == (0, [0], 0)


def test_texts_are_signed_the_same_however_they_are_cut() -> None:
    whole = sign([pa.array(PAGES * 50)])
    pieces = sign([pa.array(PAGES)] * 50)
    assert np.array_equal(whole.offsets, pieces.offsets)
    assert np.array_equal(whole.fingerprints, pieces.fingerprints)
    assert len(list(iter_signatures([pa.array(PAGES * 50)]))) == 2
    assert sign([pa.array(PAGES).slice(7, 2)])[0].tolist() == whole[7].tolist()


def test_nothing_and_null_are_texts_without_words() -> None:
    assert sign([pa.array([None, "", "fish"], pa.string())]).words.tolist() == [0, 0, 1]
    offsets, data = to_buffers(pa.array([], pa.large_string()))
    assert (offsets.tolist(), len(data)) == ([0], 0)


def test_a_selection_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 1 or more"):
        SignatureSelection(p=0)
