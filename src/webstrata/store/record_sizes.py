"""How large the pages of a snapshot are without compression, read from the ends of their records.

A WARC record packed by gzip is a member of its own, which ends with the size of its content (RFC 1952, ISIZE:
modulo 2³², which no record reaches); a frame of zstd may begin with it (RFC 8878, 3.1.1.1). So a few bytes
per page are read, and nothing is decompressed. The size is that of the record, with its headers.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.store.warc_files import WarcFiles

if TYPE_CHECKING:
    from webstrata.collection import Snapshot

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_COLUMNS = ("warc_filename", "warc_record_offset", "warc_record_length")


def measure_records(snapshot: Snapshot) -> int | None:
    """Bytes of the records of all pages without compression; None where a record does not say.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> measure_records(june) > sum(june.pages.table("warc_record_length")["warc_record_length"].to_pylist())
    True
    """
    from webstrata.store.part import open_pages

    if not {"pages", "warc"} <= set(snapshot.parts.names):
        return None
    table = open_pages(snapshot).table(*_COLUMNS).sort_by([(name, "ascending") for name in _COLUMNS[:2]])
    total, opened, file = 0, "", -1
    with WarcFiles(snapshot) as files:
        try:
            for name, offset, length in zip(*(table[column].to_pylist() for column in _COLUMNS), strict=True):
                if name != opened:
                    if file >= 0:
                        os.close(file)
                    path = files.find(name)
                    with explained(path, "read"):
                        file = os.open(path, os.O_RDONLY)
                    opened = name
                size = _read_size(file, offset, length)
                if size is None:
                    return None
                total += size
        finally:
            if file >= 0:
                os.close(file)
    return total


def _read_size(file: int, offset: int, length: int) -> int | None:
    """The size of a record's content, None where it is not told."""
    head = os.pread(file, 18, offset)
    if head.startswith(_GZIP):
        return int.from_bytes(os.pread(file, 4, offset + length - 4), "little")
    if head.startswith(_ZSTD):
        return read_frame_size(head)
    return length


def read_frame_size(head: bytes) -> int | None:
    """The size of content that the first 18 bytes of a frame of zstd tell, or None.

    Examples
    --------
    >>> read_frame_size(bytes.fromhex("28b52ffd2005")), read_frame_size(bytes.fromhex("28b52ffd0058"))
    (5, None)
    """
    descriptor = head[4]
    flag, is_single, dictionary = descriptor >> 6, descriptor >> 5 & 1, descriptor & 3
    width = (1 if is_single else 0, 2, 4, 8)[flag]
    start = 5 + (0 if is_single else 1) + (0, 1, 2, 4)[dictionary]
    if width == 0 or len(head) < start + width:
        return None
    return int.from_bytes(head[start : start + width], "little") + (256 if width == 2 else 0)
