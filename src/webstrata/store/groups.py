"""The records of a WARC file by captures, looked at by the core a batch at a time, on several cores.

What an index tells of a capture is found in the core where its records are in order (`Facts`), and they can
be stored as they are: one gzip member each, the response first, digests that hold, a payload without
codings, a head that our own writer would write so. Of all others the records are given, for
`webstrata.store.answers`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from webstrata._core import store as core
from webstrata.collection.files import explained
from webstrata.store.members import GZIP
from webstrata.store.warc import Record, read_record
from webstrata.web.html import Directives

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_DIRECTIVES = [Directives(bits) for bits in range(8)]
"""By number: to make one takes as long as the rest of a capture."""


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


class Group(NamedTuple):
    """The records of a capture, or one that belongs to none."""

    facts: Facts | None
    records: list[Record]
    """Empty where there are facts."""


class Batch(NamedTuple):
    """Some groups in their order."""

    groups: list[Group]
    num_records: int
    next: int
    """Where the file goes on."""
    is_odd: bool
    """Whether what comes there is damaged, or of a kind that the core does not read."""


def read_groups(path: Path, *, workers: int = 1) -> Iterator[Batch]:
    r"""The captures of a file, batch by batch; while one is looked at, the next is read.

    Examples
    --------
    >>> from webstrata.store.warc import Capture, WarcWriter
    >>> folder = getfixture("tmp_path")
    >>> head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html"
    >>> with WarcWriter(folder, "a") as writer:
    ...     _ = writer.write(Capture(url="http://a.uk/", date=0, head=head, body=b"<p>Hi"))
    >>> [batch] = read_groups(folder / "a-00000.warc.gz")
    >>> [(group.facts.url if group.facts else None, len(group.records)) for group in batch.groups]
    [(None, 1), ('http://a.uk/', 0)]
    """
    reader = core.AnswerReader(path, workers)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(reader.read, 0)
        while True:
            groups, num_records, following, is_end, is_odd = waiting.result()
            if not (is_end or is_odd):
                waiting = thread.submit(reader.read, following)
            yield Batch([_to_group(path, *group) for group in groups], num_records, following, is_odd)
            if is_end or is_odd:
                return


def is_gzip(path: Path) -> bool:
    """Whether a file begins as gzip does, so that `read_groups` can read it.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "a"
    >>> _ = path.write_bytes(b"WARC/1.0")
    >>> is_gzip(path)
    False
    """
    with explained(path, "read"), path.open("rb") as stream:
        return stream.read(len(GZIP)) == GZIP


def _to_group(
    path: Path,
    facts: dict[str, object] | None,
    records: list[tuple[str, list[tuple[str, str]], bytes | None, int]],
) -> Group:
    if facts is not None:
        for name in ("header_robots", "page_robots"):
            facts[name] = _DIRECTIVES[facts[name]]  # type: ignore[call-overload]
        return Group(Facts(**facts), [])  # type: ignore[arg-type]
    # of a response that was in order the core did not keep the block, and its neighbours made it matter
    return Group(
        None,
        [
            read_record(path, offset) if block is None else Record(kind, tuple(headers), block, offset)
            for kind, headers, block, offset in records
        ],
    )
