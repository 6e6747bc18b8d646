"""WARC files: written as WARC/1.1 by the core, read by it and by FastWARC, every version from 0.17 to 1.1.

A capture becomes up to three records, each its own gzip member or zstd frame and all with one ``WARC-Date``:

=============  ========================================================================================
``response``   the HTTP head, cleaned, and the payload: no transfer coding, no content coding
``revisit``    in place of it where the payload is stored already: the head alone, and what it refers to
``request``    as it was sent
``metadata``   ``name: value`` lines: ``via``, ``hopsFromSeed``, ``duplicate-of`` …
=============  ========================================================================================

Headers that would describe the payload otherwise are renamed ``X-Crawl-Content-Encoding``,
``X-Crawl-Transfer-Encoding`` and ``X-Crawl-Content-Length``, and the true ``Content-Length`` stands in the
head. Each file begins with ``warcinfo``; before that, a ``.warc.zst`` with a dictionary has it in a skippable
frame of magic ``0x184D2A5D``. A file's name ends in ``.open`` until it is closed. All of it is in
``docs/formats/warc.md``.
"""

from __future__ import annotations

import hashlib
import io
import logging
import mmap
import os
import re
import warnings
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from webstrata._core import archive as core
from webstrata.archive.record import Record as Record
from webstrata.collection.files import explained
from webstrata.errors import FormatError, UsageError

with warnings.catch_warnings():
    # FastWARC 1.1 derives from classes of its own that it calls deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc import stream_io as stream_io
    from fastwarc.warc import ArchiveIterator, WarcRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Self

_log = logging.getLogger(__name__)

LEVELS = {"none": range(1), "gzip": range(1, 13), "zstd": range(1, 23)}
"""Levels of each compression; gzip by libdeflate, whose 12 is the smallest."""

_DICTIONARY_MAGIC = (0x184D2A5D).to_bytes(4, "little")
_WINDOW = 1 << 17
"""Bytes that the core is given at a time, unless a record is longer."""
MAX_BLOCK = 1 << 30
"""Bytes of the longest block that is read; a file may declare any length."""
_LARGE, _MAX_RATIO = 64 << 20, 200
"""A block of more bytes that is packed more than so many times as small is a bomb, and is not unpacked."""
_STARTS = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|WARC/[01]\.\d")
"""What a record that can be read may begin with."""
_FRAMES = {
    b"\x28\xb5\x2f\xfd": re.compile(rb"\x28\xb5\x2f\xfd"),
    _DICTIONARY_MAGIC: re.compile(rb"\x28\xb5\x2f\xfd"),
    b"\x04\x22\x4d\x18": re.compile(rb"\x04\x22\x4d\x18"),
}
"""The same for files that begin so: what zstd and lz4 have packed may show a version line as it is."""


class Revisit(NamedTuple):
    """What a capture has in place of a payload of its own."""

    profile: Literal["identical-digest", "not-modified", "duplicate"]
    url: str
    date: int = 0


@dataclass(frozen=True, kw_only=True)
class Capture:
    """One request and its answer, as they are to be stored.

    Examples
    --------
    >>> Capture(url="http://example.org/", date=0, head=b"HTTP/1.1 200 OK", body=b"abc").digest.hex()
    'a9993e364706816aba3e25717850c26c9cd0d89d'
    """

    url: str
    date: int
    """Nanoseconds since 1970; records tell microseconds."""
    head: bytes
    """Status line and headers as received."""
    body: bytes
    """The payload, without transfer coding, and without content coding if it was `decoded`."""
    request: bytes = b""
    decoded: bool = False
    ip: str | None = None
    truncated: Literal["length", "time", "disconnect", "unspecified"] | None = None
    digest: bytes = b""
    """SHA-1 of the payload; computed where none is given."""
    identified_type: str | None = None
    protocols: Sequence[str] = ()
    cipher: str | None = None
    metadata: Sequence[tuple[str, str]] = ()
    revisit: Revisit | None = None

    def __post_init__(self) -> None:
        if not self.digest:
            object.__setattr__(self, "digest", hashlib.sha1(self.body, usedforsecurity=False).digest())


class Place(NamedTuple):
    """Where a record lies: what an index line says of it."""

    filename: str
    offset: int
    length: int


class WarcWriter:
    """Writes captures into files of a folder, ``<prefix>-00000.warc.gz`` and so on.

    Parameters
    ----------
    folder, prefix
        Where the files go and how their names begin; numbers go on behind those that are there.
    compression, level
        ``gzip``, ``zstd`` or ``none``; see `LEVELS`.
    dictionary
        For ``zstd``, see `train_dictionary`.
    max_bytes
        Another file is begun where a capture would make one longer than this.
    fields
        Lines of the ``warcinfo`` record of each file.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> capture = Capture(url="http://example.org/", date=0, head=b"HTTP/1.1 200 OK", body=b"Hello")
    >>> with WarcWriter(folder, "test", compression="none") as writer:
    ...     place = writer.write(capture)
    >>> place.filename
    'test-00000.warc'
    >>> read_record(folder / place.filename, place.offset).payload
    b'Hello'
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        prefix: str,
        *,
        compression: Literal["none", "gzip", "zstd"] = "gzip",
        level: int = 6,
        dictionary: bytes | None = None,
        max_bytes: int = 1 << 30,
        fields: Mapping[str, str] | None = None,
    ) -> None:
        if compression not in LEVELS:
            raise UsageError(f"compression {compression!r} is not known; choose one of {', '.join(LEVELS)}")
        if compression != "none" and level not in LEVELS[compression]:
            raise UsageError(
                f"{compression} has no level {level}; choose one from {LEVELS[compression][0]} to "
                f"{LEVELS[compression][-1]}"
            )
        if dictionary is not None and compression != "zstd":
            raise UsageError(f"{compression} takes no dictionary; leave it out, or choose zstd")
        lines = {"format": "WARC File Format 1.1", **(fields or {})}
        self._files = core.WarcFiles(
            folder, prefix, max_bytes, compression, level, dictionary, list(lines.items())
        )

    def write(self, capture: Capture) -> Place:
        """Store a capture; the place of its ``response`` or ``revisit`` record."""
        return Place(*self._files.write(capture))

    def write_record(self, headers: Sequence[tuple[str, str]], block: bytes, date: int = 0) -> Place:
        """Store a record with these headers, but for ``Content-Length``, which is computed."""
        return Place(*self._files.write_record(headers, block, date))

    def copy(self, batch: core.ResponseBatch, places: Sequence[int], label: str) -> tuple[bytes, int]:
        """Store captures of another file as they are packed there.

        Their index lines come back, and how many of these are of another time than `label`, digits that a
        timestamp begins with.
        """
        return self._files.copy(batch, places, label)

    def resume(self, name: str, length: int) -> None:
        """Go on where `position` was: `length` bytes of that file count, and nothing behind them."""
        self._files.resume(name, length)

    @property
    def position(self) -> tuple[str, int] | None:
        """The name (without ``.open``) and the length of the last file; None before the first capture."""
        return self._files.position()

    def sync(self) -> None:
        """Return when everything written would survive a power cut."""
        self._files.sync()

    def close(self) -> None:
        """Give the open file its name."""
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()  # what a failure leaves behind keeps its .open, and can be resumed


def train_dictionary(samples: Sequence[bytes], size: int = 110 << 10) -> bytes:
    """A zstd dictionary for payloads like `samples`, of which a hundred times `size` are best.

    Examples
    --------
    >>> pages = [b"<html><head><title>Page %d</title></head><body>%d" % (i, i * i) for i in range(2000)]
    >>> len(train_dictionary(pages, 4096)) <= 4096
    True
    """
    return core.train_dictionary(samples, size)


# ---- reading


def read_records(
    path: str | PathLike[str],
    *,
    kinds: Collection[str] = (),
    report: Callable[[Problem], None] | None = None,
    max_block: int = MAX_BLOCK,
    start: int = 0,
    blocks: bool = True,
) -> Iterator[Record]:
    """The records of a file: gzip, zstd, lz4 or plain, WARC 0.17 to 1.1; all kinds unless told.

    Reading begins at `start`, where a record must; without `blocks` they are left empty. The core reads as
    long as records are in order (``rust/src/store/warc/records.rs``), FastWARC from the first that is not.
    What cannot be read is passed over up to the next member, frame or version line that can, and reported, or
    logged where nobody asked. Those who ask for reports get what there is of a last record that is cut off.

    Examples
    --------
    >>> from webstrata import testing
    >>> [(record.kind, record.url) for record in read_records(testing.warc())][:2]
    [('warcinfo', None), ('response', 'http://reef.example/')]
    """
    path = Path(path)

    def tell(problem: Problem) -> None:
        if report is not None:
            report(problem)
        else:
            _log.warning("%s, byte %d: %s; reading goes on behind it", path, problem.offset, problem.what)

    with explained(path, "read"), path.open("rb") as stream:
        if path.stat().st_size == 0:
            return
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            dictionary, strict, known = _read_dictionary(data), True, -1
            if max_block == MAX_BLOCK:
                start, known = yield from _read_in_order(data, start, list(kinds), blocks=blocks)
            starts = _FRAMES.get(data[:4], _STARTS)
            held: Problem | None = None  # one that is told unless a better place for it is found
            while start < len(data):
                begun, base, is_read, is_whole = start, start, False, False
                try:
                    for record in _iterate(data, base, dictionary, strict=strict):
                        begun, is_whole = base + record.stream_pos, False
                        _refuse_bomb(record, data, begun)
                        made = _make(record, begun, max_block)
                        if "\n" in made.kind:
                            raise ValueError("lines of the head end in LF alone")
                        if held is not None:
                            tell(held)
                        held, is_read, is_whole = None, True, True
                        if begun != known and (not kinds or made.kind in kinds):
                            yield made if blocks else replace(made, block=b"")
                    break
                except (OSError, ValueError, EOFError, stream_io.FastWARCError) as error:
                    if strict and start == 0 and not is_read:
                        strict = False  # the writer of this file had ways of its own
                        continue
                    found = starts.search(data, _find_end(data, begun) if is_whole else begun + 1)
                    start = found.start() if found else len(data)
                    cut = error.record if isinstance(error, _CutOff) and found is None else None
                    held = Problem(begun, cut.url if cut else None, str(error))
                    # what comes behind a whole record is damaged: if it has a beginning, that is its place
                    if not (is_whole and found):
                        tell(held)
                        held = None
                    if cut and report is not None and (not kinds or cut.kind in kinds):
                        yield cut
            if held is not None:
                tell(held)


def find_end(path: str | PathLike[str], offset: int) -> int:
    r"""Where the gzip member ends that begins at `offset`; the next byte where there is none.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.gz").write_bytes(gzip.compress(b"one", mtime=0) + gzip.compress(b"two"))
    ...     find_end(Path(folder, "a.gz"), 0) == len(gzip.compress(b"one", mtime=0))
    True
    """
    path = Path(path)
    with (
        explained(path, "read"),
        path.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        return _find_end(data, offset)


def _find_end(data: mmap.mmap, begun: int) -> int:
    """Where a whole gzip member ends, in which another may seem to begin; else the byte behind `begun`."""
    unpacker, place = zlib.decompressobj(wbits=31), begun
    try:
        while not unpacker.eof and (place < len(data) or unpacker.unconsumed_tail):
            piece = unpacker.unconsumed_tail or data[place : place + (1 << 16)]
            place += 0 if unpacker.unconsumed_tail else len(piece)
            unpacker.decompress(piece, 1 << 20)  # bounded, for a member may be a bomb
    except zlib.error:
        return begun + 1
    return place - len(unpacker.unused_data) if unpacker.eof else begun + 1


def _read_in_order(
    data: mmap.mmap, start: int, kinds: list[str], *, blocks: bool
) -> Generator[Record, None, tuple[int, int]]:
    """The records that the core reads; where others go on: at the last whole one, as if they had read all."""
    size, known = _WINDOW, -1
    while start < len(data):
        window = data[start : start + size]
        is_last = start + len(window) == len(data)
        found, following, last, is_odd = core.read_records(window, start, is_last, kinds, blocks)
        for kind, headers, block, offset in found:
            yield Record(kind, headers, block, offset)
        known = known if last is None else last
        if is_odd or (following == start and (is_last or size >= MAX_BLOCK)):
            return (start if known < 0 else known), known
        size = size * 4 if following == start else _WINDOW
        start = following
    return start, known


def read_record(path: str | PathLike[str], offset: int, length: int = 0) -> Record:
    """The record that begins at `offset`, or `FormatError`; one read of its `length` bytes, if that is known.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with WarcWriter(folder, "test", compression="zstd", level=3) as writer:
    ...     place = writer.write(Capture(url="http://a.org/", date=0, head=b"HTTP/1.1 200 OK", body=b"!"))
    >>> read_record(folder / place.filename, place.offset).payload
    b'!'
    """
    path = Path(path)
    with explained(path, "read"), path.open("rb", buffering=0) as stream:
        window = os.pread(stream.fileno(), length, offset) if 0 < length <= MAX_BLOCK else b""
        found, _, _, is_odd = core.read_records(window, offset, True, [], True)
        if len(found) == 1 and not is_odd:
            return Record(*found[0])
        try:
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                record = next(iter(_iterate(data, offset, _read_dictionary(data))))
                _refuse_bomb(record, data, offset)
                return _make(record, offset, MAX_BLOCK)
        except (ValueError, EOFError, StopIteration, OSError, stream_io.FastWARCError) as error:
            raise FormatError(
                f"{path}, byte {offset}: no record begins here ({error}); the file is damaged, or the index "
                f"that led here belongs to another one"
            ) from error


class _Window:
    """The bytes of a file from `start` on, as FastWARC reads them."""

    def __init__(self, data: mmap.mmap, start: int) -> None:
        self._data, self._start, self._at = data, start, start

    def read(self, size: int = -1) -> bytes:
        end = len(self._data) if size < 0 else min(self._at + size, len(self._data))
        piece = self._data[self._at : end]
        self._at = end
        return piece

    def tell(self) -> int:
        return self._at - self._start

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = (self._start, self._at, len(self._data))[whence] + offset
        return self.tell()

    def close(self) -> None:
        pass


def _iterate(
    data: mmap.mmap, start: int, dictionary: bytes | None, *, strict: bool = False
) -> ArchiveIterator:
    window = _Window(data, start)
    reader = stream_io.ZstdReader(window, dictionary=dictionary) if dictionary and start else window
    return ArchiveIterator(reader, parse_http=False, quirks_mode=not strict)


class _CutOff(EOFError):
    """A file ended before its last record did; `record` is what there is of it."""

    def __init__(self, record: Record, length: int) -> None:
        super().__init__(f"the record has {len(record.block)} bytes of {length}")
        self.record = record


def _refuse_bomb(record: WarcRecord, data: mmap.mmap, offset: int) -> None:
    """Raise `ValueError` for a record that would take much more memory than its file takes space."""
    length = record.content_length
    if not _LARGE < length <= MAX_BLOCK or data[offset : offset + 5] == b"WARC/":
        return
    packed = len(data)
    if data[offset : offset + 2] == b"\x1f\x8b":
        packed = _find_end(data, offset) - offset
    if length > _MAX_RATIO * packed:
        raise ValueError(f"{packed} packed bytes would become a record of {length}")


def _make(record: WarcRecord, offset: int, max_block: int) -> Record:
    if record.content_length > max_block:
        raise ValueError(f"the record declares {record.content_length} bytes, and {max_block} are admitted")
    block = record.reader.read()
    kind = record.headers.get("WARC-Type") or "unknown"
    if len(block) < record.content_length:
        cut = Record(kind, tuple(record.headers.items()), block, offset, is_cut=True)
        raise _CutOff(cut, record.content_length)
    return Record(kind, tuple(record.headers.items()), block, offset)


def _read_dictionary(data: mmap.mmap) -> bytes | None:
    """The dictionary of a .warc.zst, if it begins with one; it may be packed itself."""
    if data[:4] != _DICTIONARY_MAGIC:
        return None
    dictionary = data[8 : 8 + int.from_bytes(data[4:8], "little")]
    if not dictionary.startswith(b"\x28\xb5\x2f\xfd"):
        return dictionary
    try:
        return stream_io.ZstdReader(io.BytesIO(dictionary)).read()
    except OSError:
        return None  # then the records cannot be read either, and it is said of them


# ---- checking


class Problem(NamedTuple):
    """Something wrong with a record."""

    offset: int
    url: str | None
    what: str


def check(path: str | PathLike[str]) -> Iterator[Problem]:
    """What is wrong with a file: digests that do not hold (`webstrata.archive.fixity`), missing headers.

    Examples
    --------
    >>> import tempfile
    >>> capture = Capture(url="http://a.org/", date=0, head=b"HTTP/1.1 200 OK", body=b"ab")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with WarcWriter(folder, "test", compression="none") as writer:
    ...         path = Path(folder, writer.write(capture).filename)
    ...     before = list(check(path))
    ...     _ = path.write_bytes(path.read_bytes().replace(b"ab", b"ac"))
    ...     after = [problem.what for problem in check(path)]
    >>> before, after
    ([], ['WARC-Block-Digest does not hold', 'WARC-Payload-Digest does not hold'])
    """
    end = 0
    for record in read_records(path):
        end += 1
        for name in ("WARC-Record-ID", "WARC-Date", "Content-Length"):
            if record.get(name) is None:
                yield Problem(record.offset, record.url, f"{name} is missing")
        for name, _, _ in core.verify_record(list(record.headers), record.block)[2]:
            yield Problem(record.offset, record.url, f"{name} does not hold")
    if end == 0:
        yield Problem(0, None, "there is no record")
