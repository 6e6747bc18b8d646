"""The sockets at which a running crawl is asked: one event loop in one thread, however many ask.

Connections are accepted, limited and evicted by the server base (`webstrata.web.server`): at most
`MAX_CLIENTS`, and where there are more, the one that has been idle longest is closed for the new one. So
idle connections never lock others out. A client may send lines of at most `MAX_LINE` bytes and be idle for
`IDLE` seconds. What comes to the port and begins with a capital letter is HTTP, since a line of JSON never
does; it is served by the base.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import json
import os
import re
import secrets
import shlex
import socket
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.crawl.control.requests import SOCKET
from webstrata.crawl.metrics import CONTENT_TYPE, write_metrics
from webstrata.errors import FormatError, LockedError, UsageError
from webstrata.web.server import Door, HostNames, HttpHandler, Service, bind, write_error
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from webstrata.crawl.control.requests import Control
    from webstrata.web.server import Connection

MAX_LINE = 64 << 10
MAX_CLIENTS = 32
IDLE = 120.0
_MAX_PATH = 100
"""A Unix socket's address has 104 bytes on some systems and 108 on others."""


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
    >>> from webstrata import testing
    >>> from webstrata.crawl.control import Control
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> class Core:
    ...     def counters(self):
    ...         return {"pages": 7}
    ...     def cuts(self):
    ...         return []
    ...     def shortage(self):
    ...         return None
    >>> folder = testing.scratch()
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
        self._service: Service | None = None
        self._port: socket.socket | None = None
        self._settings = ServerSettings(
            max_connections=MAX_CLIENTS,
            max_connections_per_client=MAX_CLIENTS,
            max_body=MAX_LINE,
            idle_time=IDLE,
            grace_time=2.0,
        )
        if place is not None:
            # now, so that a port that is taken is said before anything has begun
            self._port = bind(*place)
            self.place = (place[0], self._port.getsockname()[1])

    def serve(self, control: Control, folder: Path) -> None:
        """Begin to answer, at a Unix socket in `folder` too."""
        self._control = control
        refusal = _line(_refusal(f"{MAX_CLIENTS} other requests are being answered; try again"))
        doors = [Door(_bind_unix(folder / SOCKET), self._answer_user, refusal)]
        self._path = folder / SOCKET
        if self._port is not None:
            doors.append(Door(self._port, self._answer_port, refusal))
            names = HostNames([self.place[0]] if self.place else [])
            self._http = HttpHandler(self._answer_http, self._settings, names)
        self._service = Service(doors, self._settings, name="webstrata control")
        self._service.start()

    def close(self) -> None:
        """Close all connections, and take the sockets away."""
        if self._service is not None:
            self._service.close()
        if self._port is not None:
            self._port.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self._service = self._port = self._path = None

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- the connections

    async def _answer_user(self, connection: Connection) -> None:
        await self._answer_lines(connection, needs_token=False)

    async def _answer_port(self, connection: Connection) -> None:
        async with asyncio.timeout(self._settings.head_time):
            first = await connection.read()
        connection.unread(first)
        if first[:1].isupper():
            await self._http(connection)
        else:
            await self._answer_lines(connection, needs_token=True)

    async def _answer_lines(self, connection: Connection, *, needs_token: bool) -> None:
        """Answer one line after the other; a connection waits while it reads and writes."""
        received = b""
        is_last = False
        while not is_last:
            async with asyncio.timeout(self._settings.idle_time):
                while b"\n" not in received and len(received) <= MAX_LINE:
                    data = await connection.read(1 << 16)
                    if not data:
                        return
                    received += data
            line, newline, received = received.partition(b"\n")
            if newline and not line.strip():
                continue
            if not newline or len(line) > MAX_LINE:
                answer, is_last = _refusal(f"a request has at most {MAX_LINE} bytes"), True
            else:
                connection.work()
                # in a thread: `flush` waits for the disk, and others should not wait with it
                answer, is_last = await asyncio.to_thread(self._answer_line, line, needs_token=needs_token)
                connection.wait()
            await connection.send(_line(answer), self._settings.send_time)
        await connection.linger()

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

    async def _answer_http(self, scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 (ASGI)
        """The application at the port: ``/metrics``, for those who know the token."""
        fields: dict[bytes, bytes] = dict(scope["headers"])
        kind, _, token = fields.get(b"authorization", b"").decode("latin-1").partition(" ")
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        if kind.lower() != "bearer" or not self._knows(token.strip()):
            status, body = 401, write_error(401, "the token is missing or wrong")
            headers.append((b"www-authenticate", b"Bearer"))
        elif scope["path"] != "/metrics":
            status, body = 404, write_error(404, f"no such path: {scope['path']}; the only one is /metrics")
        elif scope["method"] != "GET":
            status, body = 405, write_error(405, f"/metrics does not support {scope['method']}; use GET")
            headers.append((b"allow", b"GET, HEAD"))
        else:
            status, body = 200, (await asyncio.to_thread(self._write_metrics)).encode()
            headers[0] = (b"content-type", CONTENT_TYPE.encode())
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _write_metrics(self) -> str:
        return write_metrics(self._control.status())

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
    >>> from webstrata import testing
    >>> path = testing.scratch() / "token"
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
    >>> from webstrata import testing
    >>> folder = testing.scratch() / ("long" * 30)
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


# ---- text


def _refusal(sentence: str) -> dict[str, Any]:
    return {"ok": False, "error": sentence, "kind": "UsageError"}


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, default=str).encode() + b"\n"


def open_listener(control: str | None = None, token: str | PathLike[str] | None = None) -> Listener:
    """A listener at the socket of a crawl, and at an address and port where one is given.

    Examples
    --------
    >>> with open_listener() as listener:
    ...     listener.place is None
    True
    """
    if control is None:
        if token is not None:
            raise UsageError("--control-token: it belongs to --control HOST:PORT")
        return Listener()
    return Listener(parse_place(control), token=read_token(Path(token)) if token else None)
