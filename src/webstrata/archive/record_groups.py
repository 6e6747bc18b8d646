"""The records of a WARC file by captures, looked at by the core a batch at a time, on several cores.

What an index tells of a capture is found in the core where its records are in order (`Facts`), and they can
be stored as they are: one gzip member each, the response first, digests that hold, a payload without
codings, a head that our own writer would write so. Of all others the records are given, for
`webstrata.archive.responses`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from webstrata._core import archive as core
from webstrata.archive.gzip_members import GZIP
from webstrata.archive.warc import Record, read_record
from webstrata.collection.files import explained
from webstrata.web.html import Directives

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Facts(NamedTuple):
    """What the index tells of a capture."""

    url: str
    date: int
    status: int
    mime: str
    digest: bytes
    is_empty: bool
    fingerprint: int | None
    redirect: str | None
    header_robots: Directives
    page_robots: Directives
    duplicate_of: str | None
    offsets: list[int]
    """Where its records begin, that of the response first."""
    length: int
    """Bytes of the response."""
    span: int
    """Bytes of all its records."""


class PlainRecord(NamedTuple):
    """What decides whether a capture is copied; the core gives these as plain tuples."""

    identity: bytes
    """As of `webstrata.store.ingest.journal.identify`."""
    digest: bytes | None
    """Of a payload that other captures may have too."""
    url: str
    date: int
    fingerprint: int | None
    page_robots: int


class GroupBatch:
    """Some groups in their order: the records of a capture each, or one record that belongs to none."""

    def __init__(self, path: Path, found: core.ResponseBatch) -> None:
        self.path, self.found = path, found
        self.num_records = found.num_records
        self.next = found.next
        """Where the file goes on."""
        self.is_odd = found.is_odd
        """Whether what comes there is damaged, or of a kind that the core does not read."""

    def plain(self) -> list[tuple[bytes, bytes | None, str, int, int | None, int] | None]:
        """`PlainRecord` of each group that can be copied, and None for each other."""
        return self.found.plain()

    def facts(self, place: int) -> Facts | None:
        """What the index tells of a group that can be copied."""
        facts = self.found.facts(place)
        if facts is None:
            return None
        robots = {name: Directives(facts[name]) for name in ("header_robots", "page_robots")}
        return Facts(**facts | robots)

    def records(self, place: int) -> list[Record]:
        """The records of a group."""
        return [
            read_record(self.path, offset) if is_head else Record(kind, tuple(headers), block, offset)
            for kind, headers, block, offset, is_head in self.found.records(place)
        ]

    def heads(self, place: int) -> list[Record]:
        """The same of a group that can be copied, the response without its payload; nothing is read again."""
        return [
            Record(kind, tuple(headers), block, offset)
            for kind, headers, block, offset, _ in self.found.records(place)
        ]


def read_groups(path: Path, *, workers: int = 1) -> Iterator[GroupBatch]:
    r"""The captures of a file, batch by batch; while one is looked at, the next is read.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> folder = testing.scratch()
    >>> head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html"
    >>> with WarcWriter(folder, "a") as writer:
    ...     _ = writer.write(Capture(url="http://a.uk/", date=0, head=head, body=b"<p>Hi"))
    >>> [batch] = read_groups(folder / "a-00000.warc.gz")
    >>> [plain and PlainRecord(*plain).url for plain in batch.plain()]
    [None, 'http://a.uk/']
    """
    reader = core.ResponseReader(path, workers)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(reader.read, 0)
        while True:
            found = waiting.result()
            is_last = found.is_end or found.is_odd
            if not is_last:
                waiting = thread.submit(reader.read, found.next)
            yield GroupBatch(path, found)
            if is_last:
                return


def is_gzip(path: Path) -> bool:
    """Whether a file begins as gzip does, so that `read_groups` can read it.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a"
    >>> _ = path.write_bytes(b"WARC/1.0")
    >>> is_gzip(path)
    False
    """
    with explained(path, "read"), path.open("rb") as stream:
        return stream.read(len(GZIP)) == GZIP
