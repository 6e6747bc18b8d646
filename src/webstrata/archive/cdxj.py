"""CDXJ, the index of captures that replay tools read, block-compressed as ZipNum.

A line is ``surt timestamp {json}``: the key under which pywb looks for the URL (`surt`), fourteen digits of
UTC, and an object of strings, ``url mime status digest length offset filename`` and, where they apply, ours:

=================  ====================================================================================
``fingerprint-2``  64 bits of the page's structure and text, 16 hexadecimal digits; absent where the page
                   has little text
``duplicate-of``   the URL of an earlier capture with the same digest or fingerprint
``redirect``       where a 3xx leads
``robots``         ``noindex``, ``nofollow``, ``soft-404``
``truncated``      ``length``, ``time``, ``disconnect``, ``unspecified``
``method``         the method of the request, where it is not GET; the key has it too
``requestBody``    the body of such a request as a query (see `webstrata.archive.request_body`)
``signals``        what was said about uses of the page, of crawls (see *Politeness* in the docs)
``fixity``         which declared digests do not hold: ``block``, ``payload`` (`webstrata.archive.fixity`)
=================  ====================================================================================

Lines of webstrata 0.1.0 have ``fingerprint``, a hash that ignores digits (`webstrata.web.fingerprint`). It
stays in the lines, is not read, and is never compared with the other.

Lines are sorted by their bytes. ``index.cdxj.gz`` has 300 of them to a gzip member, ``index.idx`` a line a
member (first key and timestamp, shard, offset, length, number; tabs between), ``index.loc`` the file of the
shard. A lookup bisects the ``.idx`` and unpacks one member.

**Lines are added** without sorting the others again (`build_cdxj` with a `base`): only the new ones are
sorted, members into whose range none of them falls are copied as they are, the others are merged with them
and cut anew, into members of 150 to 450 lines. **Memory** is the same for any number of lines
(`webstrata.archive.sorted_lines`).
"""

from __future__ import annotations

import datetime as dt
import gzip
import heapq
import json
import mmap
import zlib
from bisect import bisect_left
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from webstrata._core import archive as core
from webstrata.archive.request_body import Request, amend
from webstrata.archive.sorted_lines import MEMORY, sort_lines
from webstrata.collection.dates import to_digits
from webstrata.collection.files import explained, open_writer, replace_file
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError
from webstrata.web.url import normalize_any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType
    from typing import Self

BLOCK_LINES = 300
"""Lines in a gzip member: with the 3000 of Common Crawl a lookup takes 9 times as long; it saves 1%."""


def surt(url: str) -> str:
    """The key of a normalized URL in the index, as pywb and the package `surt` compute it.

    It has no ``www.``, no letter in upper case and no session identifier; parameters are sorted. So several
    URLs may share a key, other than a row key.

    Examples
    --------
    >>> surt("https://www2.example.org:8080/A%20B/?z=1&sid=0123456789abcdef0123456789abcdef&a=2")
    'org,example:8080)/a%20b?a=2&z=1'
    """
    return core.surts([url])[0]


@dataclass(frozen=True, kw_only=True)
class Line:
    """What a line says, as the core writes it.

    Examples
    --------
    >>> line = Line(
    ...     url="http://example.org/", date=10**18, mime="text/html", status=200, digest=bytes(20),
    ...     length=10, offset=0, filename="a.warc.gz", fingerprint=255)
    >>> print(line.to_bytes().decode().strip())
    org,example)/ 20010909014640 {"url": "http://example.org/", "mime": "text/html", "status": "200",
    "digest": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "length": "10", "offset": "0", "filename": "a.warc.gz",
    "fingerprint-2": "00000000000000ff"}
    """

    url: str
    date: int
    """Nanoseconds since 1970."""
    mime: str
    status: int
    """0 where it is not known, which the line tells as ``-``."""
    digest: bytes | None
    """None where it is not known, which the line tells as ``-``."""
    length: int
    offset: int
    filename: str
    fingerprint: int | None = None
    duplicate_of: str | None = None
    redirect: str | None = None
    robots: str | None = None
    truncated: str | None = None
    request: Request | None = None
    """Where its method is not GET."""
    fixity: str | None = None
    """Which declared digests do not hold: ``block``, ``payload`` or ``block,payload``."""

    def to_bytes(self) -> bytes:
        """The line with its end."""
        return amend(core.cdxj_line(self), self.url, self.request, surt)


class Entry(NamedTuple):
    """A line as it was read."""

    key: str
    timestamp: str
    fields: dict[str, str]

    @classmethod
    def parse(cls, line: bytes) -> Entry:
        """A line taken apart, or `FormatError`."""
        try:
            key, timestamp, fields = line.decode().split(" ", 2)
            return cls(key, timestamp, json.loads(fields))
        except ValueError as error:
            raise FormatError(
                f"{line[:80]!r}: this is no line of a CDXJ index ({error}); build the index again"
            ) from error

    @property
    def url(self) -> str:
        """The URL of the capture."""
        return self.fields["url"]

    @property
    def request(self) -> Request | None:
        """What was requested, where its method is not GET."""
        method = self.fields.get("method", "GET")
        return None if method == "GET" else Request(method, self.fields.get("requestBody", ""))

    @property
    def status(self) -> int:
        """The status of the response; 0 where it is not known."""
        text = self.fields["status"]
        return int(text) if text.isdigit() else 0

    @property
    def time(self) -> dt.datetime:
        """When it was captured."""
        return dt.datetime.strptime(self.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=dt.UTC)


# ---- building


def build_cdxj(
    source: Path,
    folder: Path,
    *,
    base: Path | None = None,
    scratch: Path | None = None,
    block_lines: int = BLOCK_LINES,
    memory: int = MEMORY,
    workers: int = 1,
    progress: Progress | None = None,
) -> int:
    """Write the lines of `source`, in any order, as a ZipNum index into `folder`; how many there are.

    Parameters
    ----------
    source
        The lines.
    folder
        Where the index goes.
    base
        The folder of an index whose lines are in the new one too; it stays as it is.
    scratch
        Where runs are sorted; `folder` where not given.
    block_lines
        Lines of a block.
    memory
        Bytes of lines that are sorted at a time.
    workers
        Threads that pack blocks.
    progress
        Where it is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> line = Line(
    ...     url="http://example.org/", date=10**18, mime="text/html", status=200, digest=bytes(20),
    ...     length=10, offset=0, filename="a.warc.gz")
    >>> _ = (folder / "captures.cdxj").write_bytes(line.to_bytes())
    >>> build_cdxj(folder / "captures.cdxj", folder)
    1
    >>> sorted(path.name for path in folder.glob("index.*"))
    ['index.cdxj.gz', 'index.idx', 'index.loc']
    """
    progress = progress or Progress()
    with explained(source, "read"):
        total = source.stat().st_size
    count = offset = 0
    with (
        explained(source, "read"),
        ExitStack() as stack,
        progress.task("index", total=total, unit="bytes") as task,
        open_writer(folder / "index.cdxj.gz") as out,
        open_writer(folder / "index.idx") as summary,
    ):

        def watch() -> Iterator[bytes]:
            nonlocal count
            for line in sort_lines(source, scratch or folder, memory=memory):
                count += 1
                task.advance(len(line))
                yield line

        lines = watch()
        blocks: Iterator[_Block]
        if base is None:
            blocks = (_Block(lines=block) for block in iter(lambda: list(islice(lines, block_lines)), []))
        else:
            blocks = _merge_blocks(stack.enter_context(Index(base)), lines, block_lines)
        for number, (first, packed) in enumerate(_pack_in_order(blocks, workers), 1):
            out.write(packed)
            summary.write(first + f"\tindex\t{offset}\t{len(packed)}\t{number}\n".encode())
            offset += len(packed)
    replace_file(folder / "index.loc", b"index\tindex.cdxj.gz\n")
    return count


class _Block(NamedTuple):
    """Lines to be packed, or a block that stays as it is."""

    lines: Sequence[bytes] = ()
    first: bytes = b""
    packed: bytes = b""

    def pack(self) -> tuple[bytes, bytes]:
        """Key and timestamp of the first line, and the gzip member."""
        if not self.lines:
            return self.first, self.packed
        first = b" ".join(self.lines[0].split(b" ", 2)[:2])
        return first, gzip.compress(b"".join(self.lines), 6, mtime=0)


def _pack_in_order(blocks: Iterable[_Block], workers: int) -> Iterator[tuple[bytes, bytes]]:
    """What `pack` gives for each block; some are packed while lines are merged for the next ones."""
    waiting: deque[Future[tuple[bytes, bytes]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for block in blocks:
            waiting.append(pool.submit(block.pack))
            if len(waiting) > 4 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _merge_blocks(base: Index, lines: Iterator[bytes], block_lines: int) -> Iterator[_Block]:
    """The blocks of an index with more lines among them, which are sorted."""
    feed = _Feed(lines)
    for block, following in base.blocks():
        bound = following.first if following else None
        # of lines with the same key and second as the next block begins with, that block's own line decides
        if bound is not None and feed.begins_with(bound + b" ") and following is not None:
            bound = base.unpack(following).partition(b"\n")[0]
        if feed.is_at(bound):
            yield _Block(first=block.first, packed=base.packed(block))
        else:
            old = base.unpack(block).splitlines(keepends=True)
            for piece in _cut(heapq.merge(old, feed.take_until(bound)), block_lines):
                yield _Block(lines=piece)
    for piece in _cut(feed.take_until(None), block_lines):  # where there was none at all
        yield _Block(lines=piece)


class _Feed:
    """Sorted lines with the next one in sight."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._next = next(lines, None)

    def begins_with(self, start: bytes) -> bool:
        return self._next is not None and self._next.startswith(start)

    def is_at(self, bound: bytes | None) -> bool:
        """Whether no line is left before a bound; none for the end."""
        return self._next is None or (bound is not None and self._next >= bound)

    def take_until(self, bound: bytes | None) -> Iterator[bytes]:
        while not self.is_at(bound) and self._next is not None:
            yield self._next
            self._next = next(self._lines, None)


def _cut(lines: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    """Lines by so many; what is left in the end is one piece, or two equal ones, of half as many at least."""
    held: list[bytes] = []
    for line in lines:
        held.append(line)
        if len(held) == 2 * size:
            yield held[:size]
            del held[:size]
    half = len(held) // 2 if 2 * len(held) > 3 * size else len(held)
    yield from (piece for piece in (held[:half], held[half:]) if piece)


# ---- looking up


class BlockPlace(NamedTuple):
    """Where a block lies, and the key and timestamp of its first line."""

    first: bytes
    offset: int
    length: int


class Index:
    """An index, mapped: opening it takes no time, a lookup unpacks the blocks that hold its key.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with (folder / "captures.cdxj").open("wb") as stream:
    ...     for day in range(3):
    ...         line = Line(
    ...             url="http://example.org/", date=10**18 + day * 86400 * 10**9, mime="text/html",
    ...             status=200, digest=bytes(20), length=10, offset=day, filename="a.warc.gz")
    ...         _ = stream.write(line.to_bytes())
    >>> _ = build_cdxj(folder / "captures.cdxj", folder)
    >>> with Index(folder) as index:
    ...     [entry.time.day for entry in index.captures("http://example.org/")]
    ...     index.lookup("http://example.org/", at="2001-09-10").fields["offset"]
    [9, 10, 11]
    '1'
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._maps = [_open_map(folder / name) for name in ("index.idx", "index.cdxj.gz")]

    def captures(self, url: str) -> Iterator[Entry]:
        """The captures of exactly this URL, oldest first."""
        url = normalize_any(url)
        return (entry for entry in self._between(f"{surt(url)} ", f"{surt(url)}!") if entry.url == url)

    def lookup(self, url: str, at: dt.datetime | str | None = None) -> Entry | None:
        """The last capture of a URL, of those at or before a time: a moment, or a date like ``2026-06``."""
        moment = parse_time(at) if at is not None else "9"
        found = None
        for entry in self.captures(url):
            if entry.timestamp[: len(moment)] > moment:
                break
            found = entry
        return found

    def scan(self, prefix: str) -> Iterator[Entry]:
        """The entries whose key begins so: ``org,example)`` is a host, ``org,example)/a/`` a folder."""
        if not prefix:
            return self._between("", "\U0010ffff")
        return self._between(prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))

    def scan_host(self, host: str) -> Iterator[Entry]:
        """The entries of a host; ``www.`` is no part of it in this index, a port makes another."""
        return self.scan(surt(f"http://{host}/")[:-1])

    def scan_domain(self, domain: str) -> Iterator[Entry]:
        """The entries of a domain and of all hosts below it."""
        key = surt(f"http://{domain}/").removesuffix(")/")
        # the order of bytes has `)` < `,` < `-` < `:`, and ports come behind names with a hyphen
        for entry in self._between(key + ")", key + ";"):
            if entry.key[len(key)] in "),:":
                yield entry

    def __iter__(self) -> Iterator[Entry]:
        return self.scan("")

    def close(self) -> None:
        """Let the files go."""
        for data in self._maps:
            if isinstance(data, mmap.mmap):
                data.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _between(self, start: str, end: str) -> Iterator[Entry]:
        """The entries whose lines are at or behind `start` and before `end`."""
        low, high = start.encode(), end.encode()
        for block in self._blocks(low, high):
            lines = block.splitlines()
            for line in lines[bisect_left(lines, low) :]:
                if line >= high:
                    return
                yield Entry.parse(line)

    def _blocks(self, low: bytes, high: bytes) -> Iterator[bytes]:
        """The unpacked blocks that may hold lines from `low` to `high`."""
        for place in self._places(_find_line(self._maps[0], low)):
            if place.first >= high:
                return
            yield self.unpack(place)

    def _places(self, position: int = 0) -> Iterator[BlockPlace]:
        while position < len(self.summary):
            yield self.parse_place(position)
            position = self.summary.find(b"\n", position) + 1

    @property
    def summary(self) -> mmap.mmap | bytes:
        """The lines of ``index.idx``."""
        return self._maps[0]

    def parse_place(self, position: int) -> BlockPlace:
        """The block whose line begins at this byte of the summary."""
        line = self.summary[position : self.summary.find(b"\n", position)]
        first, _, offset, length, _ = line.split(b"\t")
        return BlockPlace(first, int(offset), int(length))

    def blocks(self) -> Iterator[tuple[BlockPlace, BlockPlace | None]]:
        """All blocks in order, each with the next one."""
        before = None
        for place in chain(self._places(), [None]):
            if before is not None:
                yield before, place
            before = place

    def packed(self, place: BlockPlace) -> bytes:
        """A block as it is stored."""
        return self._maps[1][place.offset : place.offset + place.length]

    def unpack(self, place: BlockPlace) -> bytes:
        """The lines of a block, or `FormatError`."""
        try:
            return zlib.decompress(self.packed(place), wbits=31)
        except zlib.error as error:
            raise FormatError(
                f"{self.path / 'index.cdxj.gz'}, byte {place.offset}: this block cannot be unpacked "
                f"({error}); build the index again"
            ) from error


def _open_map(path: Path) -> mmap.mmap | bytes:
    with explained(path, "read"), path.open("rb") as stream:
        if path.stat().st_size == 0:
            return b""
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


def _find_line(text: mmap.mmap | bytes, key: bytes) -> int:
    """Where the last line below `key` begins, or 0: lines at or behind `key` begin there at the earliest."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        start = text.rfind(b"\n", low, middle) + 1 or low
        end = text.find(b"\n", start)
        if text[start:end] < key:
            low = end + 1
        else:
            high = start
    return text.rfind(b"\n", 0, low - 1) + 1 if low else 0


def parse_time(at: dt.datetime | str) -> str:
    """A moment, or a date that a user typed, as a prefix of a timestamp.

    Examples
    --------
    >>> parse_time("2026-06-12"), parse_time(dt.datetime(2026, 6, 12, 18, 30, tzinfo=dt.UTC))
    ('20260612', '20260612183000')
    """
    if isinstance(at, dt.datetime):
        return at.astimezone(dt.UTC).strftime("%Y%m%d%H%M%S")
    return to_digits(at)
