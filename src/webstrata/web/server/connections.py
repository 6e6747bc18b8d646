"""Accepted connections: how many there may be, and which one has to leave for another.

A connection *waits* while it has sent no complete request, and *works* from the complete request to the end
of its response. Where a limit is reached, by one client or in total, the connection that has waited longest
is closed for the new one; in total, it is one of the client with most waiting connections. Connections at
work are never closed for another: if there are only those, the new one is refused. So half-sent requests
and idle connections, however many, never lock others out.

Where the process or the system has no descriptors left, nothing is accepted for a moment, and waiting
connections are closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import resource
import socket
from typing import TYPE_CHECKING

from webstrata.web.server.answers import ThrottledLog
from webstrata.web.server.rates import client_key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from webstrata.web.settings import ServerSettings

    Handler = Callable[["Connection"], Awaitable[None]]

RESERVED = 64
"""Descriptors left for files that applications open, and for connections that are being closed."""
PIECE = 64 << 10
"""Bytes that must be sent within one `send_time`."""
_BATCH = 16
_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_OUT_OF_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}

_log = logging.getLogger(__name__)


class Connection:
    """An accepted socket, read and written by one task."""

    def __init__(self, peer: socket.socket, client: tuple[str, int], acceptor: Acceptor) -> None:
        self.peer, self.client = peer, client
        self.key = client_key(client[0])
        self._acceptor = acceptor
        self._unread = b""
        self._loop = asyncio.get_running_loop()
        self.task: asyncio.Task[None] | None = None

    async def read(self, size: int = 16 << 10) -> bytes:
        """The next bytes, or none if the client has ended its side."""
        if self._unread:
            data, self._unread = self._unread, b""
            return data
        return await self._loop.sock_recv(self.peer, size)

    def unread(self, data: bytes) -> None:
        """Let the next `read` return `data` again."""
        self._unread = data + self._unread

    async def send(self, data: bytes, seconds: float) -> None:
        """Send all of `data`; `OSError` if the client is gone or does not read 64 KiB within `seconds`."""
        view = memoryview(data)
        with contextlib.suppress(BlockingIOError):
            view = view[self.peer.send(view) :]  # mostly all of it, without a timer
        for start in range(0, len(view), PIECE):
            try:
                async with asyncio.timeout(seconds):
                    await self._loop.sock_sendall(self.peer, view[start : start + PIECE])
            except TimeoutError:
                raise ConnectionAbortedError(f"the client did not read for {seconds:g} s") from None

    async def linger(self, seconds: float = 2.0, size: int = 4 << 20) -> None:
        """End our side and read what is still on its way, so that the client can read its response.

        Closing a socket with unread bytes resets the connection, and a reset discards a response that the
        client has not read yet.
        """
        self.wait()
        with contextlib.suppress(OSError, TimeoutError):
            self.peer.shutdown(socket.SHUT_WR)
            async with asyncio.timeout(seconds):
                while size > 0 and (data := await self.read(PIECE)):
                    size -= len(data)

    def wait(self) -> None:
        """Say that this connection waits, and may be closed for another."""
        self._acceptor.set_waiting(self, is_waiting=True)

    def work(self) -> None:
        """Say that this connection has a request, and must not be closed for another."""
        self._acceptor.set_waiting(self, is_waiting=False)


class _Client:
    def __init__(self) -> None:
        self.number = 0
        self.waiting: dict[Connection, None] = {}  # in the order in which they began to wait


class Acceptor:
    """Accepts connections at sockets, within the limits of `settings`, and runs a handler for each."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._max = limit_connections(settings.max_connections)
        self._clients: dict[str, _Client] = {}
        self._connections: set[Connection] = set()
        self._listening: dict[socket.socket, tuple[Handler, bytes]] = {}
        self._pause = _PAUSE
        self._loop = asyncio.get_running_loop()
        self._log = ThrottledLog(_log)
        self._is_closing = False

    def listen(self, listening: socket.socket, handler: Handler, refusal: bytes) -> None:
        """Accept at `listening` from now on; who is refused gets the bytes `refusal`."""
        listening.setblocking(False)
        self._listening[listening] = (handler, refusal)
        self._loop.add_reader(listening, self._accept, listening)

    async def close(self, hurry: asyncio.Event, seconds: float) -> None:
        """Stop accepting, close who waits, let others end within `seconds` or until `hurry` is set."""
        self._is_closing = True
        for listening in self._listening:
            self._loop.remove_reader(listening)
            listening.close()
        for client in list(self._clients.values()):
            for connection in list(client.waiting):
                self._evict(connection)
        tasks = [one.task for one in self._connections if one.task is not None]
        if not tasks:
            return
        hurried = asyncio.ensure_future(hurry.wait())
        ended = asyncio.ensure_future(asyncio.wait(tasks))
        await asyncio.wait((hurried, ended), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        for task in tasks:
            task.cancel()
        await ended

    @property
    def is_closing(self) -> bool:
        """Whether the server is stopping, so that a connection should end after its response."""
        return self._is_closing

    def set_waiting(self, connection: Connection, *, is_waiting: bool) -> None:
        """Note whether a connection may be closed for another."""
        client = self._clients.get(connection.key)
        if client is None or connection not in self._connections:
            return
        client.waiting.pop(connection, None)
        if is_waiting:
            client.waiting[connection] = None
            if self._is_closing:
                self._evict(connection)

    # ---- accepting

    def _accept(self, listening: socket.socket) -> None:
        handler, refusal = self._listening[listening]
        for _ in range(_BATCH):
            try:
                peer, address = listening.accept()
            except (BlockingIOError, InterruptedError):
                break
            except ConnectionAbortedError:
                continue
            except OSError as error:
                self._back_off(listening, error)
                return
            self._pause = _PAUSE
            # a Unix socket has no address
            client = (str(address[0]), int(address[1])) if isinstance(address, tuple) else ("", 0)
            self._admit(peer, client, handler, refusal)

    def _back_off(self, listening: socket.socket, error: OSError) -> None:
        level = logging.WARNING if error.errno in _OUT_OF_RESOURCES else logging.ERROR
        self._log.say(
            ("accept", error.errno),
            level,
            "no connection can be accepted (%s); closing idle ones and trying again",
            error.strerror or error,
        )
        for _ in range(_BATCH):
            self._evict_any()
        self._loop.remove_reader(listening)
        self._loop.call_later(self._pause, self._accept_again, listening)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def _accept_again(self, listening: socket.socket) -> None:
        if not self._is_closing:
            self._loop.add_reader(listening, self._accept, listening)

    def _admit(self, peer: socket.socket, client: tuple[str, int], handler: Handler, refusal: bytes) -> None:
        peer.setblocking(False)
        if client[0]:
            with contextlib.suppress(OSError):
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(peer, client, self)
        known = self._clients.get(connection.key)
        is_full = False
        if known is not None and known.number >= self._settings.max_connections_per_client:
            is_full = not self._evict_of(known)
        elif len(self._connections) >= self._max:
            is_full = not self._evict_any()
        if is_full:
            self._log.say(
                "full", logging.WARNING, "a connection of %s was refused: too many", client[0] or "a user"
            )
            with contextlib.suppress(OSError):
                peer.send(refusal)
            peer.close()
            return
        self._connections.add(connection)
        entry = self._clients.setdefault(connection.key, _Client())
        entry.number += 1
        entry.waiting[connection] = None
        connection.task = self._loop.create_task(self._handle(connection, handler))
        # not in a `finally` of the task, which is not run if it is cancelled before its first step
        connection.task.add_done_callback(lambda _: self._forget(connection))

    async def _handle(self, connection: Connection, handler: Handler) -> None:
        try:
            await handler(connection)
        except (OSError, asyncio.CancelledError):
            pass  # the client is gone or too slow, the connection was closed for another, or the server stops
        except Exception as error:
            self._log.say(("bug", type(error).__name__), logging.ERROR, "a connection failed", error=error)

    def _forget(self, connection: Connection) -> None:
        connection.peer.close()
        self._connections.discard(connection)
        client = self._clients[connection.key]
        client.waiting.pop(connection, None)
        client.number -= 1
        if not client.number:
            del self._clients[connection.key]

    # ---- eviction

    def _evict_any(self) -> bool:
        most = max(self._clients.values(), key=lambda client: len(client.waiting), default=None)
        return most is not None and self._evict_of(most)

    def _evict_of(self, client: _Client) -> bool:
        oldest = next(iter(client.waiting), None)
        if oldest is None:
            return False
        self._evict(oldest)
        return True

    def _evict(self, connection: Connection) -> None:
        self._clients[connection.key].waiting.pop(connection, None)
        if connection.task is not None:
            connection.task.cancel()


def limit_connections(wanted: int) -> int:
    """`wanted`, or fewer if the process may not open so many descriptors, but not fewer than 8 for that.

    Examples
    --------
    >>> limit_connections(16)
    16
    >>> limit_connections(10**9) < 10**9
    True
    """
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return wanted
    try:
        opened = len(os.listdir("/dev/fd"))  # noqa: PTH208 (names only, each of which is an open descriptor)
    except OSError:
        opened = 32
    return min(wanted, max(8, most - opened - RESERVED))
