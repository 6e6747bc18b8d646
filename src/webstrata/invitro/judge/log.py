"""The log of requests that the in-vitro server writes (docs/formats/requests-log.md), read into columns.

The first line is ``# webstrata-requests 1 `` and a JSON object that describes the web. A request is a line of
ten fields separated by tabs: number of the connection, address, host, arrival and end (microseconds), status
(0: none), bytes of the body, complete (1 or 0), method, target. Other lines begin with ``#``:
``# connection NUMBER ADDRESS OPENED CLOSED``, ``# restart MICROSECONDS``, ``# server MICROSECONDS``; an empty
line says nothing. A line that is cut off (the last one, or the one before ``# server``) is counted and left
out; anything else that is none of these is damage.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from webstrata.collection.files import explained
from webstrata.errors import FormatError, NewerFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

VERSION = 1
CHUNK = 1 << 20

_HEADER = re.compile(rb"# webstrata-requests (\d{1,9}) (\{.*\})")
_IP = rb"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"
# every line is one match of one of three kinds: a request, a remark or nothing, or damage
_LINE = re.compile(
    rb"^(?:(\d{1,18})\t(" + _IP + rb")\t([!-~]*)\t(\d{1,18})\t(\d{1,18})\t(\d{1,5})\t(\d{1,18})\t([01])"
    rb"\t([!-~]*)\t([!-~]*)|(#.*|)|(.+))$",
    re.MULTILINE,
)
_REMARK = re.compile(
    rb"# (?:(restart|server) (\d{1,18})|connection (\d{1,18}) (" + _IP + rb") (\d{1,18}) (\d{1,18}))"
)


@dataclass(frozen=True)
class Log:
    """The requests of a log as columns, in the order of the lines; times are in microseconds."""

    path: Path
    header: dict[str, Any]
    line: NDArray[np.int64]
    connection: NDArray[np.int64]
    """Other for connections of another server that went on with the log."""
    ip: NDArray[np.int64]
    """Index into `ips`."""
    host: NDArray[np.int64]
    """Index into `hosts`."""
    url: NDArray[np.int64]
    """Index into `urls`."""
    method: NDArray[np.int64]
    """Index into `methods`."""
    arrival: NDArray[np.int64]
    end: NDArray[np.int64]
    status: NDArray[np.int64]
    bytes: NDArray[np.int64]
    complete: NDArray[np.bool_]
    hosts: list[str]
    ips: list[str]
    methods: list[str]
    urls: list[tuple[int, str]]
    """Host and target of each distinct URL."""
    restarts: NDArray[np.int64]
    connections: NDArray[np.int64]
    """A row per connection that was watched: line, number, index into `ips`, opened, closed."""
    cut_off: list[int]
    """Lines that were not written to their end."""

    def __len__(self) -> int:
        return len(self.line)


@dataclass
class _Reader:
    """What is gathered while the chunks go by."""

    path: Path
    columns: list[tuple[NDArray[np.int64], ...]] = field(default_factory=list)
    hosts: dict[bytes, int] = field(default_factory=dict)
    ips: dict[bytes, int] = field(default_factory=dict)
    methods: dict[bytes, int] = field(default_factory=dict)
    urls: dict[tuple[int, bytes], int] = field(default_factory=dict)
    restarts: list[int] = field(default_factory=list)
    connections: list[tuple[int, ...]] = field(default_factory=list)
    cut_off: list[int] = field(default_factory=list)
    servers: list[int] = field(default_factory=list)
    """Lines in which a server went on."""
    num_lines: int = 1
    damaged: int = 0
    """The last line if it is damaged: forgiven if a server goes on behind it."""

    def read(self, chunk: bytes) -> None:
        """Take some whole lines, without the last line feed."""
        rows = _LINE.findall(chunk)
        first = self.num_lines + 1
        self.num_lines += len(rows)
        requests = [row for row in rows if row[1]]
        lines = np.arange(first, first + len(rows))
        if len(requests) < len(rows):
            others = [place for place, row in enumerate(rows) if not row[1]]
            for place in others:
                self._remark(rows[place][10], rows[place][11], first + place)
            lines = np.delete(lines, others)
        if self.damaged and self.damaged != self.num_lines:
            self.refuse()
        if requests:
            self._take(requests, lines)

    def _take(self, rows: list[tuple[bytes, ...]], lines: NDArray[np.int64]) -> None:
        number, ip, host, arrival, end, status, size, complete, method, target, _, _ = zip(*rows, strict=True)
        hosts = _intern(self.hosts, host)
        self.columns.append(
            (
                lines,
                _numbers(number, len(rows)),
                np.array(_intern(self.ips, ip)),
                np.array(hosts),
                np.array(_intern(self.urls, zip(hosts, target, strict=True))),
                np.array(_intern(self.methods, method)),
                _numbers(arrival, len(rows)),
                _numbers(end, len(rows)),
                _numbers(status, len(rows)),
                _numbers(size, len(rows)),
                _numbers(complete, len(rows)),
            )
        )

    def _remark(self, remark: bytes, damaged: bytes, line: int) -> None:
        match = _REMARK.fullmatch(remark)
        is_server = match is not None and match[1] == b"server"
        if self.damaged and not (is_server and line == self.damaged + 1):
            self.refuse()
        if damaged or (remark and match is None):
            self.damaged = line
        elif match is None:
            return
        elif is_server:
            self.servers.append(line)
            self.cut_off += [self.damaged] if self.damaged else []
            self.damaged = 0
        elif match[1]:
            self.restarts.append(int(match[2]))
        else:
            ip = self.ips.setdefault(match[4], len(self.ips))
            self.connections.append((line, int(match[3]), ip, int(match[5]), int(match[6])))

    def refuse(self) -> NoReturn:
        """Name the damaged line."""
        raise FormatError(
            f"{self.path}, line {self.damaged}: neither a request nor a remark of the server is here; the "
            "file was changed or is damaged, so let the server write it again"
        )

    def finish(self, header: dict[str, Any]) -> Log:
        """The log, when its last line is there."""
        if self.damaged:
            self.refuse()
        empty = (np.zeros(0, np.int64),) * 11
        joined = [np.concatenate(column) for column in zip(*(self.columns or [empty]), strict=True)]
        line, number, ip, host, url, method, arrival, end, status, size, complete = joined
        # a number is a connection of one server only
        numbers, connection = np.unique(number, return_inverse=True)
        connection = connection + len(numbers) * np.searchsorted(self.servers, line)
        return Log(
            path=self.path,
            header=header,
            line=line,
            connection=connection,
            ip=ip,
            host=host,
            url=url,
            method=method,
            arrival=arrival,
            end=end,
            status=status,
            bytes=size,
            complete=complete.astype(bool),
            hosts=[name.decode() for name in self.hosts],
            ips=[name.decode() for name in self.ips],
            methods=[name.decode() for name in self.methods],
            urls=[(host_of_url, target.decode()) for host_of_url, target in self.urls],
            restarts=np.array(sorted(self.restarts), np.int64),
            connections=np.array(self.connections, np.int64).reshape(-1, 5),
            cut_off=self.cut_off,
        )


def read_log(path: Path) -> Log:
    r"""Read a log, refusing what is none.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "requests.log"
    >>> _ = path.write_text(
    ...     '# webstrata-requests 1 {"preset": "tiny", "seed": 7, "month": 0, "overrides": {}}\n'
    ...     "0\t127.1.0.1\ta.example\t1000000\t1000250\t200\t512\t1\tGET\t/\n"
    ... )
    >>> log = read_log(path)
    >>> log.hosts, log.urls, int(log.end[0] - log.arrival[0])
    (['a.example'], [(0, '/')], 250)
    """
    if path.is_dir():
        raise FormatError(f"{path}: this is a folder, and a log of requests was expected; name the file")
    with explained(path, "read"), path.open("rb") as stream:
        header = _read_header(path, stream.readline(1 << 20))
        reader = _Reader(path)
        rest = b""
        while chunk := stream.read(CHUNK):
            whole, feed, rest = (rest + chunk).rpartition(b"\n")
            if feed:
                reader.read(whole)
        if rest:
            reader.cut_off.append(reader.num_lines + 1)
        return reader.finish(header)


def _read_header(path: Path, line: bytes) -> dict[str, Any]:
    match = _HEADER.fullmatch(line.rstrip(b"\n"))
    if match and int(match[1]) > VERSION:
        raise NewerFormatError(
            f"{path}: the log has version {int(match[1])}, and this webstrata reads versions up to "
            f"{VERSION}; upgrade webstrata"
        )
    try:
        header = json.loads(match[2]) if match and int(match[1]) == VERSION else None
    except ValueError:
        header = None
    expected = {"preset": str, "seed": int, "month": int, "overrides": dict}
    if header is None or any(not isinstance(header.get(key), kind) for key, kind in expected.items()):
        raise FormatError(
            f"{path}, line 1: no header of a log of requests (`# webstrata-requests {VERSION} {{…}}`) is "
            "here; give a log that the server of the synthetic web has written"
        )
    return dict(header)


def _intern(known: dict[Any, int], names: Iterable[Any]) -> list[int]:
    """Numbers of names, new ones numbered as they come."""
    return [known.setdefault(name, len(known)) for name in names]


def _numbers(texts: Iterable[bytes], count: int) -> NDArray[np.int64]:
    return np.fromiter(map(int, texts), np.int64, count)
