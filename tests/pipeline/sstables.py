"""Reads the blocks of a RocksDB table file, decompressed: also what was deleted and is still in the file.

A file is ``block, type (1 byte), checksum (4 bytes)`` again and again, then a footer of 53 bytes. Blocks are
found through the index block, whose place is in the footer (up to version 5 of the format), or in the
metaindex block before the footer (version 6). A block has ``shared, unshared[, value length]`` as varints,
the rest of the key and the value, entry by entry, then the places of restarts and their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAGIC = bytes.fromhex("f7cff485b741e288")
FOOTER = 53
TRAILER = 5
CODECS = {1: "snappy", 4: "lz4_raw", 5: "lz4_raw", 7: "zstd"}


def read_blocks(path: Path) -> Iterator[bytes]:
    """The data blocks of a table file, decompressed."""
    data = path.read_bytes()
    assert data[-8:] == MAGIC, path
    footer, version = data[-FOOTER:], int.from_bytes(data[-12:-8], "little")
    if version >= 6:
        size = int.from_bytes(footer[13:17], "little")
        metaindex = _read_block(data, len(data) - FOOTER - size - TRAILER, size)
        offset, size = dict(_read_handles(metaindex, has_lengths=True))[b"rocksdb.index"]
    else:
        place = 1
        for _ in range(2):  # that of the metaindex block comes first
            offset, place = _read_varint(footer, place)
            size, place = _read_varint(footer, place)
    for _, (start, length) in _read_handles(_read_block(data, offset, size), has_lengths=version < 4):
        yield _read_block(data, start, length)


def _read_block(data: bytes, offset: int, size: int) -> bytes:
    block, kind = data[offset : offset + size], data[offset + size]
    if not kind:
        return block
    length, place = _read_varint(block, 0)
    found: bytes = pa.Codec(CODECS[kind]).decompress(block[place:], length, asbytes=True)
    return found


def _read_handles(block: bytes, *, has_lengths: bool) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Keys and places of blocks; entries of an index block are restarts, each with its whole key."""
    end = len(block) - 4 - 4 * (int.from_bytes(block[-4:], "little") & 0x7FFFFFFF)
    place, key = 0, b""
    while place < end:
        shared, place = _read_varint(block, place)
        unshared, place = _read_varint(block, place)
        if has_lengths:
            _, place = _read_varint(block, place)
        key = key[:shared] + block[place : place + unshared]
        place += unshared
        offset, place = _read_varint(block, place)
        size, place = _read_varint(block, place)
        yield key, (offset, size)


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        shift, place = shift + 7, place + 1
        if byte < 128:
            return value, place
