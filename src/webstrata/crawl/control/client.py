"""Asking a running crawl, from another process."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webstrata import errors
from webstrata.crawl.control.listener import reachable
from webstrata.crawl.control.requests import SOCKET
from webstrata.crawl.results import FILE as RESULT
from webstrata.errors import MissingError, UsageError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable
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
    >>> import webstrata as ws
    >>> connect(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: no crawl is running here; start one with `webstrata crawl ...uk
    2026-06 …`
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
        words = f"{snapshot.collection.word} {snapshot.label}"
        if path.with_name(RESULT).exists():
            more = f"the last one has ended, and `webstrata crawl report {words}` tells of it"
        elif "warc" in snapshot.parts:
            more = "its pages were ingested, and there is no crawl of them"
        else:
            more = f"start one with `webstrata crawl {words} …`"
        raise MissingError(f"{snapshot.path}: no crawl is running here; {more}") from None
    return peer


def connect_to(place: tuple[str, int], token: str) -> Client:
    """A connection to a crawl that listens at address and port, or `MissingError`.

    Examples
    --------
    >>> connect_to(("127.0.0.1", 1), "a token")
    Traceback (most recent call last):
    webstrata.errors.MissingError: 127.0.0.1:1: no crawl listens here; start one with `--control 127.0.0.1:1`
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
