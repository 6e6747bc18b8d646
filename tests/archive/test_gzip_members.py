"""Packed files taken apart, damaged ones too."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.archive.gzip_members import iter_members
from webstrata.archive.tally import Tally
from webstrata.archive.warc import stream_io

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path, *, size: int = -1) -> tuple[list[tuple[int, bytes]], Tally]:
    tally = Tally()
    return [(member.offset, member.stream.read(size)) for member in iter_members(path, tally)], tally


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=6), st.integers(-1, 10))
def test_every_member_is_found_whatever_was_read_of_the_one_before(
    tmp_path: Path, texts: list[bytes], size: int
) -> None:
    packed = [gzip.compress(text) for text in texts]
    path = tmp_path / "a.gz"
    path.write_bytes(b"".join(packed))
    found, tally = read(path, size=size)
    assert [offset for offset, _ in found] == [sum(map(len, packed[:place])) for place in range(len(packed))]
    assert [text for _, text in found] == [text if size < 0 else text[:size] for text in texts]
    assert tally.num_damaged == 0


def test_a_damaged_member_ends_and_the_next_is_read(tmp_path: Path) -> None:
    packed = [gzip.compress(bytes([65 + n]) * 50_000, mtime=0) for n in range(3)]
    torn = bytearray(packed[1])
    torn[12:20] = b"\xff" * 8
    path = tmp_path / "a.gz"
    path.write_bytes(packed[0] + torn + packed[2])
    found, tally = read(path)
    assert [text[:1] for _, text in found] == [b"A", b"", b"C"]
    assert [(damage.file, damage.offset) for damage in tally.damage] == [(str(path), len(packed[0]))]


def test_of_a_member_that_is_cut_off_the_beginning_is_read(tmp_path: Path) -> None:
    text = bytes(range(256)) * 4000
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(text)[:-100])
    found, tally = read(path)
    assert len(found[0][1]) > 0
    assert text.startswith(found[0][1])
    assert tally.damage[0].what == "the member is cut off"


def test_zeros_behind_the_last_member_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one") + bytes(5000))
    found, tally = read(path)
    assert found == [(0, b"one")]
    assert tally.num_damaged == 0


def test_a_bomb_is_unpacked_no_further_than_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes(200 << 20), 9))
    members = iter_members(path, Tally())
    member = next(members)
    assert member.stream.read(10) == bytes(10)
    assert member.stream.raw._unpacker.unconsumed_tail  # type: ignore[attr-defined]
    members.close()


@pytest.mark.parametrize("writer", [stream_io.ZstdWriter, stream_io.Lz4Writer])
def test_zstd_and_lz4_are_one_member(tmp_path: Path, writer: type) -> None:
    out = io.BytesIO()
    packing = writer(out)
    packing.write(b"text" * 1000)
    packing.finish()
    packing.close()
    path = tmp_path / "a"
    path.write_bytes(out.getvalue())
    assert read(path)[0] == [(0, b"text" * 1000)]
    path.write_bytes(out.getvalue()[:-9])
    found, tally = read(path)
    assert found[0][1] == b"text" * 1000 or tally.num_damaged == 1


def test_a_plain_file_is_one_member_and_an_empty_one_too(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"plain")
    assert read(path)[0] == [(0, b"plain")]
    path.write_bytes(b"")
    assert read(path)[0] == [(0, b"")]
