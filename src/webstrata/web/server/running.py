"""Servers on sockets: until Ctrl-C or SIGTERM, for some seconds, or in a thread of a `with` block."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.errors import UsageError
from webstrata.web.server.answers import write_error
from webstrata.web.server.connections import Acceptor
from webstrata.web.server.exchange import HttpHandler
from webstrata.web.server.hosts import HostNames
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from webstrata.web.server.connections import Handler
    from webstrata.web.server.exchange import Application

BACKLOG = 1024
"""Connections that the system keeps until they are accepted."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Door:
    """A listening socket, what handles its connections, and what those get that are refused."""

    listening: socket.socket
    handler: Handler
    refusal: bytes


class Service:
    """Handles connections at doors with one event loop, in `run` or in a thread of its own.

    The sockets are the caller's until it runs; the service closes them when it stops.
    """

    def __init__(
        self, doors: Sequence[Door], settings: ServerSettings, *, name: str = "webstrata server"
    ) -> None:
        self._doors, self._settings, self._name = list(doors), settings, name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_ready = threading.Event()
        self._is_stopped = threading.Event()

    def run(self, seconds: float | None = None) -> None:
        """Serve until Ctrl-C, SIGTERM, `close`, or for some seconds; responses in progress are completed.

        A second Ctrl-C closes all connections at once.
        """
        try:
            asyncio.run(self._serve(seconds))
        finally:
            self._is_ready.set()
            for door in self._doors:
                door.listening.close()

    def start(self) -> None:
        """Serve in a thread, until `close`."""
        self._thread = threading.Thread(target=self.run, name=self._name, daemon=True)
        self._thread.start()
        self._is_ready.wait()

    def close(self) -> None:
        """Stop in order: accept nothing more, complete responses in progress, then close all connections."""
        self._is_stopped.set()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop)
        if self._thread is not None:
            self._thread.join()
        for door in self._doors:
            door.listening.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _serve(self, seconds: float | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping, self._hurry = asyncio.Event(), asyncio.Event()
        acceptor = Acceptor(self._settings)
        for door in self._doors:
            if isinstance(door.handler, HttpHandler):
                door.handler.is_stopping = lambda: acceptor.is_closing
            acceptor.listen(door.listening, door.handler, door.refusal)
        self._is_ready.set()
        if self._is_stopped.is_set():
            self._stop()
        restore = _on_signals(self._loop, self._stop)
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            pass
        finally:
            await acceptor.close(self._hurry, self._settings.grace_time)
            restore()

    def _stop(self) -> None:
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()


class Server(Service):
    """Serves an ASGI application at `url`; it listens from its creation on.

    Parameters
    ----------
    app
        An ASGI 3 application, of any framework or a plain function.
    host
        The address or name to listen at; a name is also accepted in the header ``Host``.
    port
        The port, 0 for any free one.
    settings
        Limits for clients.

    Examples
    --------
    >>> import http.client
    >>> async def app(scope, receive, send):
    ...     await send({"type": "http.response.start", "status": 200, "headers": []})
    ...     await send({"type": "http.response.body", "body": scope["path"].encode()})
    >>> with Server(app) as server:
    ...     client = http.client.HTTPConnection("localhost", server.port)
    ...     client.request("GET", "/hello")
    ...     print(client.getresponse().read())
    ...     client.close()
    b'/hello'
    """

    def __init__(
        self,
        app: Application,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        settings: ServerSettings | None = None,
    ) -> None:
        settings = settings or ServerSettings()
        listening = bind(host, port)
        self.port: int = listening.getsockname()[1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"
        handler = HttpHandler(app, settings, HostNames((*settings.allowed_hosts, host)))
        super().__init__([Door(listening, handler, refuse_http())], settings)


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at an address and a port, or `UsageError`.

    Examples
    --------
    >>> with bind("127.0.0.1", 0) as listening:
    ...     listening.getsockname()[1] > 0
    True
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
        raise UsageError(
            f"{host}:{port}: cannot listen there ({reason}); choose another port, or 0 for any free one"
        ) from None


def refuse_http() -> bytes:
    r"""The response for a connection that cannot be accepted because there are too many.

    Examples
    --------
    >>> refuse_http().partition(b"\r\n")[0]
    b'HTTP/1.1 503 Service Unavailable'
    """
    body = write_error(503, "the server has too many connections; try again later")
    head = (
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def _on_signals(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> Callable[[], None]:
    """Call `act` on Ctrl-C and SIGTERM, if this is the main thread; returns what restores the handlers."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number in _SIGNALS:
        loop.add_signal_handler(number, act)

    def restore() -> None:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)

    return restore
