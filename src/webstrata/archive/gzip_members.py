r"""Packed files taken apart: the gzip members of a file, one stream each, so that damage ends with them.

A file that is not packed is one member, and so is one packed by zstd or lz4. Of a gzip member that is damaged
or cut off its stream gives what comes before the damage, and ends; the next member is looked for by its first
three bytes, ``1f 8b 08``.
"""

from __future__ import annotations

import io
import mmap
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from webstrata.archive.warc import stream_io
from webstrata.collection.files import explained

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from os import PathLike

    from typing_extensions import Buffer

    from webstrata.archive.tally import Tally

GZIP = b"\x1f\x8b\x08"
ZSTD = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")
LZ4 = b"\x04\x22\x4d\x18"
_PIECE = 1 << 16


class Member(NamedTuple):
    """A piece of a file that was packed by itself."""

    offset: int
    is_packed: bool
    stream: BinaryIO

    def place(self, position: int) -> int:
        """Where in the file something at `position` of the stream is; packed, where the member begins."""
        return self.offset if self.is_packed else self.offset + position


def iter_members(path: str | PathLike[str], tally: Tally, *, name: str = "") -> Generator[Member, None, None]:
    """The members of a file in their order; each stream is good until the next one is asked for.

    Parameters
    ----------
    path, name
        The file, and what it is called where damage is told.
    tally
        Where damage is told.

    Examples
    --------
    >>> import gzip
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.gz"
    >>> _ = path.write_bytes(gzip.compress(b"one") + b"rubbish" + gzip.compress(b"two"))
    >>> tally = Tally()
    >>> [(member.offset, member.stream.read()) for member in iter_members(path, tally)]
    [(0, b'one'), (30, b'two')]
    >>> tally.damage[0].what
    'what is here is no gzip; reading goes on at byte 30'
    """
    path, name = Path(path), name or str(path)
    with explained(path, "read"), path.open("rb") as file:
        start = file.peek(4)[:4]
        if start.startswith(GZIP):
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                yield from _iter_gzip(data, name, tally)
        elif start.startswith((*ZSTD, LZ4)):
            reader = stream_io.Lz4Reader(file) if start == LZ4 else stream_io.ZstdReader(file)
            raw = _Tolerant(reader.read, lambda error: tally.damaged(name, 0, str(error)))
            yield Member(0, True, io.BufferedReader(raw, _PIECE))
        else:
            yield Member(0, False, file)


def _iter_gzip(data: mmap.mmap, name: str, tally: Tally) -> Iterator[Member]:
    position = 0
    while position < len(data):
        if data[position : position + 3] != GZIP:
            found = data.find(GZIP, position)
            rest = data[position : found if found >= 0 else len(data)]
            if rest.strip(b"\0"):  # tapes and some tools pad with zeros
                on = f"; reading goes on at byte {found}" if found >= 0 else ""
                tally.damaged(name, position, f"what is here is no gzip{on}")
            if found < 0:
                return
            position = found
        raw = _GzipMember(data, position, name, tally)
        stream = io.BufferedReader(raw, _PIECE)
        yield Member(position, True, stream)
        while not raw.is_over:  # what the caller left of it says where the next one begins
            raw.readall_piece()
        position = raw.end


class _GzipMember(io.RawIOBase):
    """One gzip member of a mapped file, unpacked as it is read."""

    def __init__(self, data: mmap.mmap, start: int, name: str, tally: Tally) -> None:
        super().__init__()
        self._data, self._start, self._name, self._tally = data, start, name, tally
        self._unpacker = zlib.decompressobj(31)
        self.end = start
        self.is_over = False

    def readable(self) -> bool:
        return True

    def readall_piece(self, size: int = _PIECE) -> bytes:
        """Some bytes; none at the end."""
        piece = b""
        while not piece and not self.is_over:
            packed = self._unpacker.unconsumed_tail
            if not packed:
                packed = self._data[self.end : self.end + _PIECE]
                self.end += len(packed)
                if not packed:
                    return self._give_up("the member is cut off", len(self._data))
            try:
                piece = self._unpacker.decompress(packed, size)
            except zlib.error as error:
                following = self._data.find(GZIP, self._start + 1)
                return self._give_up(str(error), following if following >= 0 else len(self._data))
            if self._unpacker.eof:
                self.is_over = True
                self.end -= len(self._unpacker.unused_data)
        return piece

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        piece = self.readall_piece(len(view))
        view[: len(piece)] = piece
        return len(piece)

    def _give_up(self, what: str, end: int) -> bytes:
        self._tally.damaged(self._name, self._start, what)
        self.is_over, self.end = True, end
        return b""


class _Tolerant(io.RawIOBase):
    """A stream that ends where another one fails."""

    def __init__(self, read: Callable[[int], bytes], told: Callable[[Exception], None]) -> None:
        super().__init__()
        self._read, self._told = read, told

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        try:
            piece = self._read(len(view))
        except (OSError, ValueError, EOFError, stream_io.FastWARCError) as error:
            self._told(error)
            return 0
        view[: len(piece)] = piece
        return len(piece)
