r"""A zip file whose members are stored, not compressed, written front to back (APPNOTE 6.3.10: 4.3, 4.5.3).

Size and CRC-32 of a member are known before it is written, so its local header has them: there are no data
descriptors, the stream is never sought, and programs that read only local headers work as well as those that
read only the central directory.

ZIP64 is used per member and only where it is needed:

====================================  ==================================================================
size of a member ≥ 0xFFFFFFFF         both headers have 0xFFFFFFFF as sizes, and the extra field 1 with both
offset of a member ≥ 0xFFFFFFFF       the central header has 0xFFFFFFFF as offset, and it in the extra field 1
offset or size of the directory, or   the ZIP64 end record and its locator before the end record
65,535 members or more
====================================  ==================================================================

So a local header has an extra field only if the central header has one. Readers depend on that: wabac.js
(ReplayWeb.page) takes the length of the local header from the central one where that has no extra field.
All times are 1980-01-01, the first that the format can express, so that equal members give equal bytes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

LIMIT = 0xFFFFFFFF
"""Sizes and offsets from here on need ZIP64."""
_MAX_MEMBERS = 0xFFFF
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_END = struct.Struct("<4s4H2LH")
_DATE = 1 << 5 | 1
_PLAIN_VERSION, _ZIP64_VERSION = 20, 45
_UNIX, _REGULAR_FILE = 3, 0o100644 << 16
_UTF8 = 0x800


class _Member(NamedTuple):
    name: bytes
    flags: int
    crc: int
    size: int
    offset: int


class StoredZip:
    """Writes a zip file into a stream that is only appended to.

    Examples
    --------
    >>> import io, zipfile, zlib
    >>> stream = io.BytesIO()
    >>> archive = StoredZip(stream)
    >>> archive.add("a.txt", 5, zlib.crc32(b"hello"), [b"he", b"llo"])
    >>> archive.close()
    >>> zipfile.ZipFile(stream).read("a.txt")
    b'hello'
    """

    def __init__(self, stream: BinaryIO, *, limit: int = LIMIT) -> None:
        self._stream, self._limit = stream, limit
        self._offset = 0
        self._members: list[_Member] = []

    def add(self, name: str, size: int, crc: int, pieces: Iterable[bytes]) -> None:
        """Add a member of which size and CRC-32 are known.

        Raises `ValueError` if `pieces` have another length: the source changed while it was read.
        """
        encoded = name.encode()
        member = _Member(encoded, 0 if name.isascii() else _UTF8, crc, size, self._offset)
        self._members.append(member)
        is_large = size >= self._limit
        extra = struct.pack("<2H2Q", 1, 16, size, size) if is_large else b""
        shown = LIMIT if is_large else size
        version = _ZIP64_VERSION if is_large else _PLAIN_VERSION
        self._write(
            _LOCAL.pack(
                b"PK\3\4", version, member.flags, 0, 0, _DATE, crc, shown, shown, len(encoded), len(extra)
            )
        )
        self._write(encoded + extra)
        start = self._offset
        for piece in pieces:
            self._write(piece)
        if self._offset - start != size:
            raise ValueError(f"{name}: {self._offset - start} bytes were written where {size} were announced")

    def close(self) -> None:
        """Write the central directory; the stream stays open."""
        start = self._offset
        for member in self._members:
            self._write(self._describe(member))
        size, number = self._offset - start, len(self._members)
        if start >= self._limit or size >= self._limit or number >= _MAX_MEMBERS:
            place = self._offset
            versions = (_UNIX << 8 | _ZIP64_VERSION, _ZIP64_VERSION)
            length = _END64.size - 12  # without signature and this field
            self._write(_END64.pack(b"PK\6\6", length, *versions, 0, 0, number, number, size, start))
            self._write(_LOCATOR.pack(b"PK\6\7", 0, place, 1))
            start = LIMIT if start >= self._limit else start
            size = LIMIT if size >= self._limit else size
            number = min(number, _MAX_MEMBERS)
        self._write(_END.pack(b"PK\5\6", 0, 0, number, number, size, start, 0))

    def _describe(self, member: _Member) -> bytes:
        """The central header of a member."""
        numbers, size, offset = [], member.size, member.offset
        if size >= self._limit:
            numbers += [size, size]
            size = LIMIT
        if offset >= self._limit:
            numbers.append(offset)
            offset = LIMIT
        extra = struct.pack(f"<2H{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
        version = _ZIP64_VERSION if numbers else _PLAIN_VERSION
        head = _CENTRAL.pack(
            b"PK\1\2",
            _UNIX << 8 | version,
            version,
            member.flags,
            0,
            0,
            _DATE,
            member.crc,
            size,
            size,
            len(member.name),
            len(extra),
            0,
            0,
            0,
            _REGULAR_FILE,
            offset,
        )
        return head + member.name + extra

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._offset += len(data)
