"""Files of a dump, packed by gzip or bzip2 or not at all, read from their beginning to their end.

A dump is one file of one writer: where it is cut off or damaged, what is missing cannot be told from what
never was there, and a graph without it is another graph. So, other than with archives of pages, nothing is
passed over: the file is refused, with the place up to which it can be read.
"""

from __future__ import annotations

import bz2
import gzip
import zlib
from typing import TYPE_CHECKING, BinaryIO, cast

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Iterator
    from pathlib import Path

BLOCK = 4 << 20
"""Bytes that are unpacked at a time."""
_SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c"


def scan_blocks(
    path: Path, *, size: int = BLOCK, advance: Callable[[int], object] | None = None
) -> Iterator[bytes]:
    """The unpacked bytes of a file, in blocks of no certain size; `advance` is told of bytes of the file.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a.gz"
    >>> _ = path.write_bytes(gzip.compress(b"abc"))
    >>> list(scan_blocks(path)), list(scan_blocks(path, advance=print))
    23
    ([b'abc'], [b'abc'])
    >>> _ = path.write_bytes(gzip.compress(b"abc")[:-9])
    >>> list(scan_blocks(path))
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...a.gz: the file is cut off or damaged behind byte 0 of its content (...);
    fetch it again
    """
    done = seen = 0
    with explained(path, "read"), path.open("rb") as file:
        stream = _unpack(path, file)
        while True:
            try:
                block = stream.read(size)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise FormatError(_cut_off(path, done, str(error))) from None
            except OSError as error:
                if error.errno is None:  # what bz2 says of a damaged file is no matter of the disk
                    raise FormatError(_cut_off(path, done, str(error))) from None
                raise
            if advance is not None and file.tell() > seen:
                advance(file.tell() - seen)
                seen = file.tell()
            if not block:
                return
            done += len(block)
            yield block


def _unpack(path: Path, file: io.BufferedReader) -> BinaryIO:
    start = file.peek(6)[:6]
    if start.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    if start.startswith(b"BZh"):
        return cast("BinaryIO", bz2.BZ2File(file))
    if start == _SEVEN_ZIP:
        raise FormatError(f"{path}: 7z files are not read; unpack it, or fetch the one that ends in .bz2")
    return file


def _cut_off(path: Path, done: int, why: str) -> str:
    return f"{path}: the file is cut off or damaged behind byte {done} of its content ({why}); fetch it again"
