"""Pieces put one behind the other, in bits and in bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.collection.files import open_writer
from webstrata.summaries import SummariesSettings, make_rows, write
from webstrata.summaries.write import ArchiveWriter, Piece, write_archive

if TYPE_CHECKING:
    from pathlib import Path


@given(pieces=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 2**200 - 1)), max_size=8))
def test_bits_are_joined_without_a_gap(pieces: list[tuple[int, int]], tmp_path: Path) -> None:
    expected = position = 0
    with open_writer(tmp_path / "stream") as stream:
        writer = ArchiveWriter(stream)
        for bits, number in pieces:
            kept = number & (1 << bits) - 1
            words = np.frombuffer(kept.to_bytes(32, "little"), "<u8")
            writer.append(Piece(words, np.array([bits] if bits else [], np.uint64), 1))
            expected |= kept << position
            position += bits
        writer.end()
    data = (tmp_path / "stream").read_bytes()
    assert int.from_bytes(data, "little") == expected
    assert len(data) == 8 * ((position + 63) // 64)


@pytest.mark.parametrize("coding", ["contexts", "codes"])
def test_chunks_are_coded_apart_and_read_as_one(
    coding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = make_rows([(nth, {term: 1 + nth % 3 for term in range(nth % 20)}) for nth in range(100)])
    monkeypatch.setattr(write, "CHUNK", 7)
    archive = write_archive(tmp_path, rows, settings=SummariesSettings(coding=coding))
    found = archive.batch(np.arange(100))
    assert found.lengths.tolist() == rows.lengths.tolist()
    assert np.array_equal(np.sort(found.terms), np.sort(rows.terms))


def test_missing_nodes_with_terms_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="missing: expected nodes whose rows are empty"):
        write_archive(tmp_path, make_rows([(3, {0: 1})]), missing=[0])
