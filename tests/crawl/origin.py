"""A web server that answers what a test has written down, byte by byte, and remembers what it was asked.

An answer is a sequence of steps: bytes to send, seconds to wait, or one of `HANG` and `RESET`. A path may
have several answers; each request takes the next, and the last one stays.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import struct
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from webstrata import Snapshot, create
from webstrata.archive import warc as _warc  # noqa: F401, the import of FastWARC warns unless ours came first
from webstrata.archive.cdxj import Index
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from webstrata import collection as rooms
    from webstrata.crawl.results import CrawlResult

HANG = "hang"
"""Say nothing more until the other side closes."""
RESET = "reset"
"""Break the connection off."""

Step = bytes | float | str
Answer = bytes | tuple[Step, ...]


@dataclass
class Request:
    """A request as it came, with moments of the server's clock."""

    address: str
    connection: int
    method: str
    path: str
    headers: dict[str, str]
    opened: float
    """When the connection was made, or the answer before this one on it was sent."""
    ended: float = 0.0
    """When the last of the answer was about to be sent."""

    @property
    def host(self) -> str:
        return self.headers.get("host", "")


@dataclass
class Origin:
    """Listens on loopback addresses, one port each, from `with` to its end."""

    addresses: tuple[str, ...] = ("127.0.0.1",)
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._answers: dict[str, list[Answer]] = {}
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._open: dict[int, socket.socket] = {}
        self._numbers = itertools.count()
        self._threads: list[threading.Thread] = []
        self._listeners = [socket.create_server((address, 0)) for address in self.addresses]
        self.ports = dict(
            zip(self.addresses, (listener.getsockname()[1] for listener in self._listeners), strict=True)
        )

    def say(self, path: str, *answers: Answer) -> None:
        """Lay down what a path answers; with a name before its slash, only to who asks under that name."""
        self._answers[path] = list(answers)

    def at(self, address: str | None = None) -> tuple[str, int]:
        """What the hosts table says of a name that lives at an address, the first by default."""
        address = address or self.addresses[0]
        return (address, self.ports[address])

    def paths(self, host: str | None = None) -> list[str]:
        """What was asked for, robots.txt aside, in order."""
        return [
            request.path
            for request in self.requests
            if request.path != "/robots.txt" and host in (None, request.host)
        ]

    def __enter__(self) -> Origin:
        for address, listener in zip(self.addresses, self._listeners, strict=True):
            self._start(self._accept, address, listener)
        return self

    def __exit__(self, *_: object) -> None:
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        with self._lock:
            for connection in self._open.values():
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(60)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, address: str, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                opened = time.monotonic()
                with self._lock:
                    number = next(self._numbers)
                    self._open[number] = connection
                self._start(self._serve, address, number, connection, opened)

    def _serve(self, address: str, number: int, connection: socket.socket, opened: float) -> None:
        with contextlib.suppress(OSError), connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while (request := self._read(address, number, connection, opened)) is not None:
                with self._lock:
                    self.requests.append(request)
                    steps = self._choose(request)
                if not self._play(connection, request, steps):
                    break
                if request.headers.get("connection") != "keep-alive":
                    break
                opened = request.ended
        with self._lock:
            del self._open[number]

    def _read(self, address: str, number: int, connection: socket.socket, opened: float) -> Request | None:
        head = b""
        while b"\r\n\r\n" not in head:
            more = connection.recv(65536)
            if not more:
                return None
            head += more
            if head.startswith(b"\x16"):
                # a handshake of TLS: as others do, say so in plain words
                connection.sendall(reply(b"", status="400 Bad Request"))
                return None
        first, *lines = head.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return Request(address, number, method, path, headers, opened)

    def _choose(self, request: Request) -> tuple[Step, ...]:
        known = [key for key in (request.host + request.path, request.path) if key in self._answers]
        if not known:
            return (reply(b"", status="404 Not Found"),)
        answers = self._answers[known[0]]
        answer = answers[min(self._asked[known[0]], len(answers) - 1)]
        self._asked[known[0]] += 1
        return (answer,) if isinstance(answer, bytes) else answer

    def _play(self, connection: socket.socket, request: Request, steps: tuple[Step, ...]) -> bool:
        request.ended = time.monotonic()
        for step in steps:
            if isinstance(step, float):
                time.sleep(step)
            elif step == HANG:
                connection.recv(1)
                return False
            elif step == RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            elif isinstance(step, bytes):
                request.ended = time.monotonic()
                connection.sendall(step)
        return True


def reply(
    body: bytes | str = b"", *headers: str, status: str = "200 OK", kind: str = "text/html; charset=utf-8"
) -> bytes:
    """A plain answer with its length."""
    body = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def head(*headers: str, status: str = "200 OK") -> bytes:
    """The head of an answer with these headers and no others."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode()


def redirect(target: str, status: str = "302 Found") -> bytes:
    """An answer that sends elsewhere."""
    return reply(b"", f"Location: {target}", status=status)


def page(text: str, *targets: str) -> bytes:
    """HTML with a word of its own (digits make no difference to shapes) and links."""
    links = "".join(f'<a href="{target}">{spell(target)}</a>' for target in targets)
    return f"<html><title>{spell(text)}</title><p>{spell(text)}</p>{links}</html>".encode()


def tree(origin: Origin, *, names: Sequence[str] = ("a.test",), size: int = 15) -> None:
    """Say a binary tree of pages on each host."""
    for name in names:
        for place in range(1, size + 1):
            targets = (f"/{2 * place}", f"/{2 * place + 1}") if 2 * place < size else ()
            path = "/" if place == 1 else f"/{place}"
            origin.say(f"{name}{path}", reply(page(f"number {place} of {name}", *targets)))


def spell(text: str) -> str:
    """A text with letters for its digits."""
    return text.translate(str.maketrans("0123456789", "abcdefghij"))


@dataclass
class Record:
    """A record of a WARC file."""

    kind: str
    headers: dict[str, list[str]]
    block: bytes

    def __getitem__(self, name: str) -> str:
        return self.headers[name][0]

    @property
    def head(self) -> bytes:
        return self.block.partition(b"\r\n\r\n")[0]

    @property
    def body(self) -> bytes:
        return self.block.partition(b"\r\n\r\n")[2]

    @property
    def status(self) -> int:
        return int(self.block.split(b" ", 2)[1][:3])


@dataclass
class Crawled:
    """What a crawl left behind."""

    snapshot: Snapshot
    result: CrawlResult | None
    records: list[Record]
    lines: dict[str, dict[str, str]]
    """The index, by URL, without robots.txt."""

    def __getitem__(self, name: str) -> int:
        assert self.result is not None
        return self.result.counters[name]

    def capture(self, url: str) -> Record:
        """The one response or revisit of a URL."""
        found = [record for record in self.captures if record["WARC-Target-URI"] == url]
        assert len(found) == 1, (url, [record["WARC-Target-URI"] for record in self.captures])
        return found[0]

    @property
    def captures(self) -> list[Record]:
        """Responses and revisits, those of robots.txt aside."""
        found = [record for record in self.records if record.kind in ("response", "revisit")]
        return [record for record in found if not record["WARC-Target-URI"].endswith("/robots.txt")]

    @property
    def stored(self) -> set[str]:
        """URLs of the captures."""
        return {record["WARC-Target-URI"] for record in self.captures}


QUICK: dict[str, Any] = {
    "host_delay": 0,
    "ip_delay": 0,
    "resolve": False,
    "private_addresses": True,
    "retry_delay": 0.01,
    "workers": 1,
    "response_timeout": 30,
    "url_cache": 1 << 16,
    "duplicates_cache": 1 << 16,
}


def prepare(folder: Path, seeds: Iterable[str], how: Mapping[str, Any], **settings: Any) -> Crawl:  # noqa: ANN401
    """A crawl without delays into a new collection; `how` goes to `Crawl`, the rest to its settings."""
    snapshot = create(folder / f"c{len(list(folder.iterdir()))}").add("2026-06")
    return Crawl(snapshot, CrawlSettings(**(QUICK | settings)), seeds=seeds, **how)


def crawl(
    folder: Path,
    origin: Origin,
    *seeds: str,
    names: Mapping[str, tuple[str, int]] | None = None,
    how: Mapping[str, Any] | None = None,
    **settings: Any,  # noqa: ANN401
) -> Crawled:
    """Crawl from these seeds; names live at the first address of the origin, or where `names` says."""
    hosts = dict.fromkeys(("a.test", "b.test", "c.test"), origin.at()) | dict(names or {})
    job = prepare(folder, seeds, {"hosts": hosts, **(how or {})}, **settings)
    # so short a crawl need not wait to be looked at
    with patch("webstrata.crawl.run._PERIOD", 0.01):
        return read(job.snapshot, job.run())


def read(snapshot: rooms.Snapshot, result: CrawlResult | None) -> Crawled:
    """What is stored in a snapshot, as other people's programs see it."""
    assert isinstance(snapshot, Snapshot)
    from fastwarc.warc import ArchiveIterator

    assert not core_threads(), "threads of the crawl go on"
    records = []
    with snapshot.open_part("warc") as part:
        for path in sorted(part.path.iterdir()):
            if not path.name.endswith((".warc.gz", ".warc.zst", ".warc")):
                assert not path.name.endswith(".open")
                continue
            with path.open("rb") as stream:
                for record in ArchiveIterator(stream, parse_http=False, verify_digests=True):
                    headers: dict[str, list[str]] = defaultdict(list)
                    for name, value in record.headers:
                        headers[name].append(value)
                    records.append(Record(headers["WARC-Type"][0], headers, record.reader.read()))
    with snapshot.open_part("captures") as part, Index(part.path) as index:
        lines = {
            entry.url: dict(entry.fields) for entry in index if entry.fields.get("robots") != "robots-txt"
        }
    return Crawled(snapshot, result, records, lines)


def core_threads() -> list[str]:
    """Names of the threads of crawls that run in this process and do not end soon."""
    ours = ("fetcher-", "flusher", "frontier", "names")
    deadline = time.monotonic() + 30
    while True:
        names = []
        for path in Path("/proc/self/task").glob("*/comm"):
            with contextlib.suppress(OSError):
                names.append(path.read_text().strip())
        names = [name for name in names if name.startswith(ours)]
        if not names or time.monotonic() > deadline:
            return names
        time.sleep(0.01)
