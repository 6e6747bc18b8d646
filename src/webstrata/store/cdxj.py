"""CDXJ, the index of captures that replay tools read, block-compressed as ZipNum.

A line is ``surt timestamp {json}``: the key under which pywb looks for the URL (`surt`), fourteen digits of
UTC, and an object of strings, ``url mime status digest length offset filename`` and, where they apply, ours:

================  =====================================================================================
``fingerprint``   64 bits of the page's structure and text, 16 hexadecimal digits
``duplicate-of``  the URL of an earlier capture with the same digest or fingerprint
``redirect``      where a 3xx leads
``robots``        ``noindex``, ``nofollow``, ``soft-404``
``truncated``     ``length``, ``time``, ``disconnect``, ``unspecified``
``signals``       what was said about uses of the page, of crawls (see *Politeness* in the docs)
================  =====================================================================================

Lines are sorted by their bytes. ``index.cdxj.gz`` has 300 of them to a gzip member, ``index.idx`` a line a
member (first key and timestamp, shard, offset, length, number; tabs between), ``index.loc`` the file of the
shard. A lookup bisects the ``.idx`` and unpacks one member.
"""

from __future__ import annotations

import datetime as dt
import gzip
import heapq
import json
import mmap
import re
import zlib
from bisect import bisect_left
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from webstrata._core import store as core
from webstrata.collection.files import explained, open_writer, replace_file
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, UsageError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

BLOCK_LINES = 300
"""Lines in a gzip member: with the 3000 of Common Crawl a lookup takes 9 times as long; it saves 1%."""

_MEMORY = 16 << 20
"""Bytes of lines that are sorted at a time."""


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
    "fingerprint": "00000000000000ff"}
    """

    url: str
    date: int
    """Nanoseconds since 1970."""
    mime: str
    status: int
    digest: bytes
    length: int
    offset: int
    filename: str
    fingerprint: int | None = None
    duplicate_of: str | None = None
    redirect: str | None = None
    robots: str | None = None
    truncated: str | None = None

    def to_bytes(self) -> bytes:
        """The line with its end."""
        return core.cdxj_line(self)


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
    def time(self) -> dt.datetime:
        """When it was captured."""
        return dt.datetime.strptime(self.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=dt.UTC)


# ---- building


def sort_lines(source: Path, scratch: Path, *, memory: int = _MEMORY) -> Iterator[bytes]:
    r"""The lines of a file in the order of their bytes, each with its end; runs on disk where memory ends.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "a").write_bytes(b"b\nc\na\n")
    >>> list(sort_lines(folder / "a", folder, memory=4))
    [b'a\n', b'b\n', b'c\n']
    """
    with ExitStack() as stack:
        runs: list[Iterable[bytes]] = []
        stream = stack.enter_context(source.open("rb"))
        while lines := stream.readlines(memory):
            if not lines[-1].endswith(b"\n"):
                lines[-1] += b"\n"
            lines.sort()
            if not runs and not stream.peek(1):
                yield from lines
                return
            path = scratch / f"run-{len(runs)}"
            stack.callback(path.unlink)
            with explained(path, "write"), path.open("wb") as out:  # it need not outlive a crash
                out.writelines(lines)
            runs.append(stack.enter_context(path.open("rb")))
            del lines
        yield from heapq.merge(*runs)


def build_index(
    source: Path,
    folder: Path,
    *,
    block_lines: int = BLOCK_LINES,
    memory: int = _MEMORY,
    progress: Progress | None = None,
) -> int:
    """Write the lines of `source`, in any order, as a ZipNum index into `folder`; how many there are.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> line = Line(
    ...     url="http://example.org/", date=10**18, mime="text/html", status=200, digest=bytes(20),
    ...     length=10, offset=0, filename="a.warc.gz")
    >>> _ = (folder / "captures.cdxj").write_bytes(line.to_bytes())
    >>> build_index(folder / "captures.cdxj", folder)
    1
    >>> sorted(path.name for path in folder.glob("index.*"))
    ['index.cdxj.gz', 'index.idx', 'index.loc']
    """
    progress = progress or Progress()
    with explained(source, "read"):
        total = source.stat().st_size
    count = 0
    with (
        explained(source, "read"),
        progress.task("index", total=total, unit="bytes") as task,
        open_writer(folder / "index.cdxj.gz") as blocks,
        open_writer(folder / "index.idx") as summary,
    ):
        lines, offset = sort_lines(source, folder, memory=memory), 0
        while block := list(islice(lines, block_lines)):
            text = b"".join(block)
            packed = gzip.compress(text, 6, mtime=0)
            blocks.write(packed)
            first = b" ".join(block[0].split(b" ", 2)[:2])
            number = count // block_lines + 1
            summary.write(first + f"\tindex\t{offset}\t{len(packed)}\t{number}\n".encode())
            offset += len(packed)
            count += len(block)
            task.advance(len(text))
    replace_file(folder / "index.loc", b"index\tindex.cdxj.gz\n")
    return count


# ---- looking up


class Index:
    """An index, mapped: opening it takes no time, a lookup unpacks the blocks that hold its key.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> with (folder / "captures.cdxj").open("wb") as stream:
    ...     for day in range(3):
    ...         line = Line(
    ...             url="http://example.org/", date=10**18 + day * 86400 * 10**9, mime="text/html",
    ...             status=200, digest=bytes(20), length=10, offset=day, filename="a.warc.gz")
    ...         _ = stream.write(line.to_bytes())
    >>> _ = build_index(folder / "captures.cdxj", folder)
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
        url = normalize(url)
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
        summary, blocks = self._maps
        position = _find_line(summary, low)
        while position < len(summary):
            end = summary.find(b"\n", position)
            first, _, offset, length, _ = summary[position:end].split(b"\t")
            if first >= high:
                return
            packed = blocks[int(offset) : int(offset) + int(length)]
            try:
                yield gzip.decompress(packed)
            except (OSError, EOFError, zlib.error) as error:
                raise FormatError(
                    f"{self.path / 'index.cdxj.gz'}, byte {offset.decode()}: this block cannot be unpacked "
                    f"({error}); build the index again"
                ) from error
            position = end + 1


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
    digits = re.sub(r"[-:TZ ]", "", at)
    if not re.fullmatch(r"\d{4,14}", digits, re.ASCII):
        raise UsageError(f"{at!r} is no time; write it as 2026, 2026-06, 2026-06-12 or 20260612183000")
    return digits
