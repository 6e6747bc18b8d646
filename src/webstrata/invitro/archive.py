"""An archive as a web: what servers answered at one time is answered again, by host and target.

Of several captures of an address the last one at or before the time counts. Addresses that differ only in
scheme or port are one here, for a server has one port: of their captures one that is no redirect comes first,
or ``http://a/`` that led to ``https://a/`` would lead to itself. A revisit has the payload of the capture it
refers to, where that is in the archive.

Heads are sent as they were, without what described the connection or the coding of then
(``Connection``, ``Transfer-Encoding``, ``Content-Encoding`` …) and with the true ``Content-Length``: payloads
are sent as they are, without any coding. What is not in the archive is 404, on a host that is.
"""

from __future__ import annotations

import datetime as dt
import re
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from webstrata.archive.cdxj import parse_time
from webstrata.archive.codings import parse_headers
from webstrata.archive.responses import iter_answers
from webstrata.archive.tally import Tally
from webstrata.errors import FormatError
from webstrata.store.ingest.readers import read_archive
from webstrata.store.ingest.run import list_sources

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from webstrata.archive.responses import ReadResponse

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_DROPPED = {
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "content-encoding", "content-length",
    "te", "trailer", "upgrade", "alt-svc", "strict-transport-security",
}  # fmt: skip
_SECOND = 10**9


class _Place(NamedTuple):
    """Where the answer to an address lies, and what decides whether another takes its place."""

    rank: tuple[bool, int]
    url: str
    status: int
    offset: int
    head: int
    body: int


@dataclass(eq=False)
class ArchivedWeb:
    """Captures ready to be served; the file is there as long as this is."""

    path: Path
    captures: list[tuple[bytes, int, int, int, int]]
    """Host and target, status, and where head and body lie."""
    urls: list[str]
    """As they were captured, in the order of `captures`."""
    tally: Tally

    def __post_init__(self) -> None:
        weakref.finalize(self, shutil.rmtree, self.path.parent, ignore_errors=True)

    @property
    def hosts(self) -> list[str]:
        """Their names, in the order in which the server numbers them."""
        return list(dict.fromkeys(key.partition(b"/")[0].decode() for key, *_ in self.captures))

    def home_pages(self) -> list[str]:
        """The shortest address of each host that was answered with 200, to begin a crawl with."""
        found: dict[str, str] = {}
        for (key, status, *_), url in zip(self.captures, self.urls, strict=True):
            host, _, target = key.decode().partition("/")
            if status == 200 and target != "robots.txt" and len(url) < len(found.get(host, url + " ")):
                found[host] = url
        return list(found.values())


def read_archives(paths: Iterable[Path], at: dt.datetime | str | None = None) -> ArchivedWeb:
    """The captures in files of any format that `ingest` reads, or in folders of them, at one time.

    Parameters
    ----------
    paths
        The files.
    at
        A moment, or a date like ``2026-06``, which is over when June is; the last captures, if not told.

    Examples
    --------
    >>> from urllib.request import ProxyHandler, build_opener
    >>> from webstrata import testing
    >>> from webstrata.invitro.web import Web
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> folder = testing.scratch()
    >>> with WarcWriter(folder, "a") as writer:
    ...     _ = writer.write(Capture(url="http://a.uk/x", date=0, head=b"HTTP/1.1 200 OK", body=b"Hello"))
    >>> archive = read_archives([folder])
    >>> with Web("tiny").serve(archive=archive) as server:
    ...     build_opener(ProxyHandler({"http": server.proxy})).open("http://a.uk/x").read()
    b'Hello'
    """
    sources = list_sources(paths)
    tally = Tally()
    moment = parse_time(at) if at is not None else None
    held = ArchivedWeb(Path(tempfile.mkdtemp(prefix="webstrata-replay-"), "answers"), [], [], tally)
    with held.path.open("wb") as out:
        reader = _Reader(out, moment, tally)
        for source in sources:
            for answer in iter_answers(read_archive(source, tally), tally):
                if not answer.is_page:
                    continue
                reader.take(answer)
        reader.take_revisits()
    if not reader.places:
        when = f" at or before {at}" if at is not None else ""
        raise FormatError(
            f"{sources[0].path if len(sources) == 1 else f'{len(sources)} files'}: there is no capture of a "
            f"page{when} among {tally.records} records; name other files, or another time"
        )
    places = sorted(reader.places.items())
    held.captures += [(key, place.status, place.offset, place.head, place.body) for key, place in places]
    held.urls += [place.url for _, place in places]
    return held


class _Reader:
    """Chooses captures, and writes heads and bodies one behind the other."""

    def __init__(self, out: BinaryIO, moment: str | None, tally: Tally) -> None:
        self._out, self._moment, self._tally = out, moment, tally
        self.places: dict[bytes, _Place] = {}
        self._payloads: dict[str, tuple[int, int]] = {}
        """Where a payload lies, by the digest that its writer told."""
        self._revisits: list[ReadResponse] = []

    def take(self, answer: ReadResponse) -> None:
        if answer.revisit is not None:
            self._revisits.append(answer)
            return
        self._put(answer, answer.body)

    def take_revisits(self) -> None:
        for answer in self._revisits:
            told = answer.record.get("WARC-Payload-Digest") or ""
            named = self.places.get(_key(answer.revisit.url if answer.revisit else answer.url))
            found = self._payloads.get(told)
            if found is None and named is not None:
                found = (named.offset + named.head, named.body)
            if found is None:
                self._tally.leave_out("a revisit of a payload that is not here")
                continue
            self._out.flush()
            with Path(self._out.name).open("rb") as stream:
                stream.seek(found[0])
                body = stream.read(found[1])
            self._put(answer, body)

    def _put(self, answer: ReadResponse, body: bytes) -> None:
        date = answer.date or 0
        if self._moment is not None:
            stamp = _stamp(date)
            if stamp[: len(self._moment)] > self._moment:
                self._tally.leave_out("a capture of a later time")
                return
        key = _key(answer.url)
        rank = (not 300 <= answer.status < 400, date)
        known = self.places.get(key)
        # a redirect between the schemes of an address gives way; else the later capture counts
        is_same = known is not None and known.url == answer.url
        is_old = known is not None and (known.rank[1:] > rank[1:] if is_same else known.rank > rank)
        told = answer.record.get("WARC-Payload-Digest")
        if is_old and not (told and answer.revisit is None):
            return
        head, offset = _make_head(answer, len(body)), self._out.tell()
        self._out.write(head)
        self._out.write(body)
        if told and answer.revisit is None:  # a revisit may want it, even if the capture does not count
            self._payloads.setdefault(told, (offset + len(head), len(body)))
        if not is_old:
            self.places[key] = _Place(rank, answer.url, answer.status, offset, len(head), len(body))


def _stamp(date: int) -> str:
    return dt.datetime.fromtimestamp(date // _SECOND, dt.UTC).strftime("%Y%m%d%H%M%S")


def _key(url: str) -> bytes:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if "?" in url else "")
    return f"{parts.hostname or ''}{target}".encode()


def _make_head(answer: ReadResponse, length: int) -> bytes:
    """Status line and headers that still hold; none with what could end a line."""
    lines = [f"HTTP/1.1 {answer.status} Archived"]
    for name, value in parse_headers(answer.head):
        if _NAME.fullmatch(name) and name not in _DROPPED and not re.search("[\r\n\0]", value):
            lines.append(f"{name}: {value}")
    if answer.status not in (204, 304):
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n").encode("latin-1", "replace")
