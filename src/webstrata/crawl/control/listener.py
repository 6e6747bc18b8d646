"""The sockets at which a running crawl is asked: one thread, however many ask.

A client may send lines of at most `MAX_LINE` bytes and be silent for `IDLE` seconds; there are at most
`MAX_CLIENTS` of them, they are answered in turn, and one that does not read its answer gets no other. So no
client can cost the crawl more than that.
"""

from __future__ import annotations

import contextlib
import errno
import hmac
import ipaddress
import json
import logging
import os
import re
import secrets
import selectors
import shlex
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.crawl.control.requests import SOCKET
from webstrata.crawl.metrics import CONTENT_TYPE, write_metrics
from webstrata.errors import FormatError, LockedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from webstrata.crawl.control.requests import Control

MAX_LINE = 64 << 10
MAX_CLIENTS = 32
IDLE = 120.0
_MAX_PATH = 100
"""A Unix socket's address has 104 bytes on some systems and 108 on others."""

_log = logging.getLogger(__name__)


class _Connection:
    def __init__(self, peer: socket.socket, *, needs_token: bool) -> None:
        self.peer = peer
        self.needs_token = needs_token
        self.received = b""
        self.waiting = b""
        self.is_ending = False
        self.last = time.monotonic()

    def is_http(self) -> bool:
        return self.needs_token and re.match(rb"[A-Z]+ [^\r\n]* HTTP/1", self.received) is not None

    def has_request(self) -> bool:
        return (b"\r\n\r\n" if self.is_http() else b"\n") in self.received


class Listener:
    """A thread that answers for a `Control`, from `serve` to the end of the block.

    Parameters
    ----------
    place
        Address and port at which to listen besides the Unix socket; the address must be of this machine, port
        0 lets the system choose one.
    token
        What one must know there; by default one is made.

    Examples
    --------
    >>> from webstrata.crawl.control import Control
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> class Core:
    ...     def counters(self):
    ...         return {"pages": 7}
    ...     def cuts(self):
    ...         return []
    ...     def shortage(self):
    ...         return None
    >>> folder = getfixture("tmp_path")
    >>> with Listener() as listener:
    ...     listener.serve(Control(Core(), CrawlSettings()), folder)
    ...     (folder / "control.sock").is_socket()
    True
    >>> (folder / "control.sock").exists()
    False
    """

    def __init__(self, place: tuple[str, int] | None = None, *, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(32)
        self.place: tuple[str, int] | None = None
        self._path: Path | None = None
        self._listening: list[socket.socket] = []
        self._connections: set[_Connection] = set()
        self._thread: threading.Thread | None = None
        if place is not None:
            # now, so that a port that is taken is said before anything has begun
            listening = _bind_tcp(*place)
            self._listening.append(listening)
            self.place = (place[0], listening.getsockname()[1])
        self._selector = selectors.DefaultSelector()
        self._waker, self._woken = socket.socketpair()

    def serve(self, control: Control, folder: Path) -> None:
        """Begin to answer, at a Unix socket in `folder` too."""
        self._control = control
        self._listening.insert(0, _bind_unix(folder / SOCKET))
        self._path = folder / SOCKET
        for listening in self._listening:
            listening.setblocking(False)
            self._selector.register(listening, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, name="webstrata control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up, and take the sockets away."""
        self._waker.close()
        if self._thread is not None:
            self._thread.join()
        for connection in list(self._connections):
            # who is owed an answer gets what fits into the kernel's buffer
            with contextlib.suppress(OSError):
                connection.peer.send(connection.waiting)
            self._drop(connection)
        for listening in self._listening:
            listening.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self._listening, self._path = [], None
        self._selector.close()
        self._woken.close()

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- the thread

    def _serve(self) -> None:
        while True:
            for key, events in self._selector.select(timeout=5.0):
                if key.fileobj is self._woken:
                    return
                if key.data is None:
                    self._accept(key.fileobj)  # type: ignore[arg-type]
                    continue
                try:
                    self._attend(key.data, events)
                except OSError:
                    self._drop(key.data)
                except Exception:
                    # a bug in an answer is no reason to leave the others without one
                    _log.exception("a request to the crawl could not be answered")
                    self._drop(key.data)
            now = time.monotonic()
            for connection in [one for one in self._connections if now - one.last > IDLE]:
                self._drop(connection)

    def _accept(self, listening: socket.socket) -> None:
        try:
            peer, _ = listening.accept()
        except OSError:
            return
        peer.setblocking(False)
        connection = _Connection(peer, needs_token=listening.family != socket.AF_UNIX)
        if len(self._connections) >= MAX_CLIENTS:
            with contextlib.suppress(OSError):
                peer.send(_line(_refusal(f"{MAX_CLIENTS} others are asking already; try again")))
            peer.close()
            return
        self._connections.add(connection)
        self._selector.register(peer, selectors.EVENT_READ, connection)

    def _drop(self, connection: _Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            self._selector.unregister(connection.peer)
            connection.peer.close()

    def _attend(self, connection: _Connection, events: int) -> None:
        """Read, answer one request and write, each as far as it goes now."""
        connection.last = time.monotonic()
        if events & selectors.EVENT_READ:
            data = connection.peer.recv(1 << 16)
            if not data:
                self._drop(connection)
                return
            connection.received += data
        if not connection.waiting:
            connection.waiting = self._answer(connection)
        if connection.waiting:
            with contextlib.suppress(BlockingIOError):
                sent = connection.peer.send(connection.waiting)
                connection.waiting = connection.waiting[sent:]
        if connection.is_ending and not connection.waiting:
            self._drop(connection)
            return
        # who has an answer to read, or a request behind the first, is not listened to, and comes in turn
        is_owed = bool(connection.waiting) or connection.has_request()
        wanted = selectors.EVENT_WRITE if is_owed else selectors.EVENT_READ
        self._selector.modify(connection.peer, wanted, connection)

    def _answer(self, connection: _Connection) -> bytes:
        """The answer to the first request that has come whole, or nothing."""
        if connection.has_request():
            if connection.is_http():
                head, connection.received = connection.received.partition(b"\r\n\r\n")[0], b""
                connection.is_ending = True
                return self._answer_http(head)
            line, _, connection.received = connection.received.partition(b"\n")
            if not line.strip():
                return b""
            answer, connection.is_ending = self._answer_line(line, needs_token=connection.needs_token)
            return _line(answer)
        if len(connection.received) > MAX_LINE:
            connection.is_ending = True
            return _line(_refusal(f"a request has at most {MAX_LINE} bytes"))
        return b""

    def _answer_line(self, line: bytes, *, needs_token: bool) -> tuple[dict[str, Any], bool]:
        """The answer, and whether it is the last."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            return _refusal("a request is a JSON object on a line of its own"), True
        if needs_token and not self._knows(request.pop("token", None)):
            return _refusal("the token is missing or wrong"), True
        return self._control.answer(request), False

    def _answer_http(self, head: bytes) -> bytes:
        lines = head.decode("latin-1").split("\r\n")
        method, _, rest = lines[0].partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        fields = {
            name.strip().lower(): value.strip() for name, _, value in (x.partition(":") for x in lines[1:])
        }
        kind, _, token = fields.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not self._knows(token.strip()):
            return _http("401 Unauthorized", "the token is missing or wrong\n", "WWW-Authenticate: Bearer")
        if path != "/metrics":
            return _http("404 Not Found", "there is /metrics, and nothing else\n")
        if method not in ("GET", "HEAD"):
            return _http("405 Method Not Allowed", "metrics can be read, and no more\n", "Allow: GET, HEAD")
        answer = _http("200 OK", write_metrics(self._control.status()), content_type=CONTENT_TYPE)
        return answer if method == "GET" else answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"

    def _knows(self, token: object) -> bool:
        # compared in a time that tells nothing about where they differ
        return isinstance(token, str) and hmac.compare_digest(
            token.encode(errors="replace"), self.token.encode()
        )


# ---- places


def parse_place(text: str) -> tuple[str, int]:
    """Address and port of ``HOST:PORT``, which must be of this machine.

    Examples
    --------
    >>> parse_place("localhost:8123"), parse_place("[::1]:0")
    (('127.0.0.1', 8123), ('::1', 0))
    >>> parse_place("0.0.0.0:80")
    Traceback (most recent call last):
    webstrata.errors.UsageError: 0.0.0.0:80: others could steer the crawl there; listen at 127.0.0.1 or ::1,
    and come from elsewhere through `ssh -L`
    """
    host, colon, port = text.rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host.removeprefix("[").removesuffix("]")
    try:
        address = ipaddress.ip_address(host)
        if not colon or not re.fullmatch(r"\d{1,5}", port, re.ASCII) or int(port) > 65_535:
            raise ValueError(text)
    except ValueError:
        raise UsageError(f"{text}: an address and a port were expected, as 127.0.0.1:8123") from None
    if not address.is_loopback:
        raise UsageError(
            f"{text}: others could steer the crawl there; listen at 127.0.0.1 or ::1, "
            "and come from elsewhere through `ssh -L`"
        )
    return str(address), int(port)


def read_token(path: Path) -> str:
    r"""The token in a file that only its owner reads: its first line, at least 16 characters.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "token"
    >>> _ = path.write_text("0123456789abcdef\n")
    >>> path.chmod(0o600)
    >>> read_token(path)
    '0123456789abcdef'
    """
    with explained(path, "read"):
        mode = path.stat().st_mode
        lines = path.read_text(errors="replace").splitlines()
    if mode & 0o077:
        raise UsageError(
            f"{path}: others on this machine can read the token; "
            f"`chmod 600 {shlex.quote(str(path))}` keeps it for you"
        )
    token = lines[0].strip() if lines else ""
    if len(token) < 16 or not token.isascii():
        raise FormatError(
            f"{path}: its first line is no token, which has 16 characters or more; "
            "`openssl rand -hex 32` makes one"
        )
    return token


@contextlib.contextmanager
def reachable(path: Path) -> Iterator[str]:
    """A name for the socket `path` that is short enough for the system, while the block lasts.

    Examples
    --------
    >>> folder = getfixture("tmp_path") / ("long" * 30)
    >>> folder.mkdir()
    >>> with reachable(folder / "a") as name:
    ...     len(name) < 40
    True
    """
    if len(os.fsencode(path)) <= _MAX_PATH:
        yield str(path)
        return
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{path.name}"
    finally:
        os.close(descriptor)


def _bind_unix(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with explained(path, "listen"), reachable(path) as name:
            if path.exists() or path.is_symlink():
                _refuse_living(path, name)
                path.unlink()
            listening.bind(name)
            path.chmod(0o600)  # before anybody can connect, which `listen` begins
            listening.listen(MAX_CLIENTS)
    except BaseException:
        listening.close()
        raise
    return listening


def _refuse_living(path: Path, name: str) -> None:
    """Raise `LockedError` if a process still listens at a socket; one left by a dead process refuses."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.settimeout(1.0)
        with contextlib.suppress(OSError):
            other.connect(name)
            raise LockedError(f"{path}: another crawl listens here; wait until it is done, or stop it")


def _bind_tcp(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(MAX_CLIENTS)
    except OSError as error:
        listening.close()
        reason = (
            "the port is taken" if error.errno == errno.EADDRINUSE else f"it was refused ({error.strerror})"
        )
        raise UsageError(f"{host}:{port}: {reason}; choose another one, or 0 for any") from error
    return listening


# ---- text


def _refusal(sentence: str) -> dict[str, Any]:
    return {"ok": False, "error": sentence, "kind": "UsageError"}


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, default=str).encode() + b"\n"


def _http(status: str, text: str, *fields: str, content_type: str = "text/plain; charset=utf-8") -> bytes:
    body = text.encode()
    head = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *fields,
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body
