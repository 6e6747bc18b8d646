"""Asking a running crawl, from another process."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata import errors
from webstrata.collection.action import Action
from webstrata.crawl.control.listener import parse_place, reachable, read_token
from webstrata.crawl.control.requests import SOCKET
from webstrata.crawl.results import FILE as RESULT
from webstrata.errors import MissingError, UsageError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from types import TracebackType

    from webstrata.collection import Snapshot

TIMEOUT = 10.0
_MAX_ANSWER = 16 << 20


class Client:
    """A connection to a running crawl; the methods are its requests.

    It is a context manager, and what the crawl refuses is raised as it would be there. A crawl that ends
    while it is asked is a `MissingError`. If the crawl has closed the connection because it was idle, `call`
    opens another one.
    """

    def __init__(self, call: Callable[[], socket.socket], where: str, token: str = "") -> None:
        self._call = call
        self._peer = call()
        self._where = where
        self._token = token
        self._received = b""

    def ask(self, do: str, **more: object) -> dict[str, Any]:
        """The answer to a request, or what it says went wrong as an exception."""
        request = {"do": do, **more} | ({"token": self._token} if self._token else {})
        data = json.dumps(request).encode() + b"\n"
        line = self._exchange(data) or (self._reconnect() and self._exchange(data))
        if not line:
            raise MissingError(f"{self._where}: the crawl has ended")
        answer: dict[str, Any] = json.loads(line)
        if not answer.get("ok"):
            kind = getattr(errors, str(answer.get("kind")), UsageError)
            is_known = isinstance(kind, type) and issubclass(kind, UserError)
            raise (kind if is_known else UsageError)(str(answer.get("error")))
        return answer

    def status(self) -> dict[str, Any]:
        """How things stand: see `webstrata.crawl.control.Control.status`."""
        status: dict[str, Any] = self.ask("status")["status"]
        return status

    def metrics(self) -> str:
        """The same for Prometheus."""
        return str(self.ask("metrics")["text"])

    def pause(self) -> str:
        """Let it begin no more visits; the state."""
        return str(self.ask("pause")["state"])

    def resume(self) -> str:
        """Let it go on; the state."""
        return str(self.ask("resume")["state"])

    def stop(self, *, now: bool = False) -> str:
        """Let it end in order, visits under way given up if it is to be `now`; the state."""
        return str(self.ask("stop", now=now)["state"])

    def set(self, name: str, value: object) -> object:
        """Change a setting; its new value."""
        return self.ask("set", name=name, value=value)["value"]

    def flush(self) -> int:
        """Let who reads its files see everything so far; how many captures they have."""
        return int(self.ask("flush")["captures"])

    def blacklist(self, what: str) -> str:
        """Let it ask a host or an address for nothing any more; its name in normal form."""
        return str(self.ask("blacklist", what=what)["what"])

    def close(self) -> None:
        """Hang up; the crawl goes on."""
        self._peer.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _exchange(self, request: bytes) -> bytes:
        """The answer to a request, or nothing if the connection is closed."""
        try:
            self._peer.sendall(request)
            return self._read_line()
        except TimeoutError:
            raise MissingError(
                f"{self._where}: the crawl did not answer within {TIMEOUT:.0f} s; "
                "look whether its process is stopped"
            ) from None
        except OSError:
            return b""

    def _reconnect(self) -> bool:
        """Open another connection, if the crawl still runs and has closed an idle one.

        It closes connections for others only before it has read a request, so none is carried out twice.
        """
        if self._peer.fileno() < 0:
            return False  # closed by ourselves
        self._peer.close()
        self._received = b""
        with suppress(MissingError):
            self._peer = self._call()
            return True
        return False

    def _read_line(self) -> bytes:
        while b"\n" not in self._received:
            data = self._peer.recv(1 << 16)
            if not data or len(self._received) > _MAX_ANSWER:
                return b""
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        return line


def connect(snapshot: Snapshot) -> Client:
    """A connection to the crawl of `snapshot` that is running on this machine, or `MissingError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.crawl.control.listener import Listener
    >>> from webstrata.crawl.control.requests import Control
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> class Core:  # stands for a crawl
    ...     def counters(self):
    ...         return {"pages": 7}
    ...     def cuts(self):
    ...         return []
    ...     def shortage(self):
    ...         return None
    >>> snapshot = testing.empty().add("2026-06")
    >>> snapshot.working_folder("crawl").mkdir()
    >>> with Listener() as listener:
    ...     listener.serve(Control(Core(), CrawlSettings()), snapshot.working_folder("crawl"))
    ...     with connect(snapshot) as client:
    ...         client.status()["counters"]["pages"]
    7
    >>> connect(snapshot)
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: no crawl is running here; call ...
    """
    return Client(lambda: _call(snapshot), str(snapshot.path))


def _call(snapshot: Snapshot) -> socket.socket:
    path = snapshot.working_folder("crawl") / SOCKET
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(TIMEOUT)
    try:
        with reachable(path) as name:
            peer.connect(name)
    except PermissionError:
        peer.close()
        raise errors.AccessError(
            f"{path}: the crawl is another user's; ask as the one who started it"
        ) from None
    except OSError:
        # no folder, no socket, or one that a dead process left
        peer.close()
        sentence = f"{snapshot.path}: no crawl is running here"
        if path.with_name(RESULT).exists():
            fix = Action.on(snapshot, "crawl report")
            raise MissingError(
                f"{sentence}; the last one has ended, {{fix}} to see its report", fix=fix
            ) from None
        if "warc" in snapshot.parts:
            raise MissingError(f"{sentence}; its pages were ingested") from None
        fix = Action.on(snapshot, "crawl", seeds="seeds.txt")
        raise MissingError(sentence, fix=fix) from None
    return peer


def connect_to(place: tuple[str, int], token: str) -> Client:
    """A connection to a crawl that listens at address and port, or `MissingError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.crawl.control.listener import Listener
    >>> from webstrata.crawl.control.requests import Control
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> class Core:  # stands for a crawl
    ...     def counters(self):
    ...         return {"pages": 7}
    ...     def cuts(self):
    ...         return []
    ...     def shortage(self):
    ...         return None
    >>> with Listener(("127.0.0.1", 0), token="a secret") as listener:
    ...     listener.serve(Control(Core(), CrawlSettings()), testing.scratch())
    ...     with connect_to(listener.place, "a secret") as client:
    ...         client.status()["counters"]["pages"]
    7
    """
    where = f"{place[0]}:{place[1]}"

    def call() -> socket.socket:
        try:
            return socket.create_connection(place, timeout=TIMEOUT)
        except OSError:
            raise MissingError(
                f"{where}: no crawl listens here; start one with `--control {where}`"
            ) from None

    return Client(call, where, token)


def find_crawl(snapshot: Snapshot, at: str | None = None, token: str | PathLike[str] | None = None) -> Client:
    """A connection to the running crawl of a snapshot, at its socket or at an address and port.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_crawl(testing.snapshot(), at="127.0.0.1:1")
    Traceback (most recent call last):
    webstrata.errors.UsageError: 127.0.0.1:1: a crawl there asks for a token; name its file with --token FILE
    """
    if at is not None:
        return find_remote(snapshot.collection.path.name, snapshot.date, at, token)
    if token is not None:
        raise UsageError("--token: it belongs to --control HOST:PORT; on this machine none is needed")
    return connect(snapshot)


def find_remote(collection: str, label: str, at: str, token: str | PathLike[str] | None) -> Client:
    """A connection to a crawl that listens at an address and port; its collection is known by its name.

    Examples
    --------
    >>> find_remote("uk", "2026-06", "127.0.0.1:1", None)
    Traceback (most recent call last):
    webstrata.errors.UsageError: 127.0.0.1:1: a crawl there asks for a token; name its file with --token FILE
    """
    place = parse_place(at)
    if token is None:
        raise UsageError(f"{at}: a crawl there asks for a token; name its file with --token FILE")
    client = connect_to(place, read_token(Path(token)))
    try:
        about = client.status()
        found = Path(about["collection"]).name, about["snapshot"]
        if found != (collection, label):
            raise MissingError(
                f"{at}: this is the crawl of {found[0]} {found[1]}, and not of {collection} {label}; "
                "name that one, or another port"
            )
    except BaseException:
        client.close()
        raise
    return client
