"""Sizes of pages without compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

import webstrata as ws
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.store.record_sizes import measure_records, read_frame_size

if TYPE_CHECKING:
    from pathlib import Path


def make(folder: Path, compression: Literal["none", "gzip"]) -> ws.Snapshot:
    with WarcWriter(folder / "in", "in", compression=compression) as writer:
        for number in range(5):
            body = f"<html><p>{number} {'word ' * 500}".encode()
            writer.write(
                Capture(url=f"http://a.uk/{number}", date=10**18, head=b"HTTP/1.1 200 OK", body=body)
            )
    uk = ws.create(folder / f"uk-{compression}")
    uk.add("2026-06").ingest(folder / "in")
    return uk["2026-06"]


def test_packed_records_have_the_size_of_plain_ones(tmp_path: Path) -> None:
    for folder in ("plain", "packed"):
        (tmp_path / folder / "in").mkdir(parents=True)
    plain = measure_records(make(tmp_path / "plain", "none"))
    packed = measure_records(make(tmp_path / "packed", "gzip"))
    assert plain is not None
    # identifiers of records differ, and are equally long
    assert packed == plain
    assert plain > 5 * 2500


@pytest.mark.parametrize(
    ("descriptor", "rest", "size"),
    [
        (0b00_1_00000, "05", 5),  # one segment, a byte
        (0b01_0_00000, "58 2c00", 300),  # a window, two bytes, which count from 256
        (0b10_0_00001, "58 07 70110100", 70_000),  # a dictionary of one byte, four bytes
        (0b11_1_00000, "0100000001000000", (1 << 32) + 1),
        (0b00_0_00000, "58", None),  # a window and no size
        (0b10_0_00000, "58 70", None),  # cut off
    ],
)
def test_a_frame_of_zstd_may_tell_its_size(descriptor: int, rest: str, size: int | None) -> None:
    assert read_frame_size(bytes.fromhex("28b52ffd") + bytes([descriptor]) + bytes.fromhex(rest)) == size
