"""HTTP/1.1 on a connection, request after request, with an ASGI application that answers.

h11 parses and frames; this module adds what a server on a network needs besides:

- limits of size and time for head and body; the body is read before the application is called, so a slow
  client never occupies it;
- a request with both ``Content-Length`` and ``Transfer-Encoding``, or with ``Transfer-Encoding`` in
  HTTP/1.0, is refused and the connection closed, since two programs could disagree about where it ends (RFC
  9112, 6.1);
- ``Host`` must name this server (`hosts`), requests per client are limited (`rates`);
- a response must begin within `query_time`, and be read by the client;
- every response has the headers of `HEADERS` unless the application sets them; an empty value removes one.

Not supported: upgrades (WebSocket, HTTP/2), ``CONNECT``, ``TRACE``, trailers, ASGI lifespan.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import time
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import h11

from webstrata.web.server.answers import Refusal, ThrottledLog, write_error, write_problem
from webstrata.web.server.rates import Rates

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from webstrata.web.server.connections import Connection
    from webstrata.web.server.hosts import HostNames
    from webstrata.web.settings import ServerSettings

    Message = MutableMapping[str, Any]
    Application = Callable[
        [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
    ]
    Headers = list[tuple[bytes, bytes]]

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that applications are asked with; others get status 501."""
HEADERS = {
    b"server": b"webstrata",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
}
"""Headers of every response that does not set them itself."""
_ABSOLUTE = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE)
_CLOSE = (b"connection", b"close")
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"connection"})
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9a-z-]+")
_VALUE = re.compile(rb"(?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?")

_log = logging.getLogger(__name__)
_access = logging.getLogger("webstrata.web.server.access")


class HttpHandler:
    """Handles a connection as HTTP, with `app` (ASGI 3) behind the limits of `settings`.

    With `problems`, its errors are ``application/problem+json`` (RFC 9457).
    """

    def __init__(
        self, app: Application, settings: ServerSettings, names: HostNames, *, problems: bool = False
    ) -> None:
        self._app, self._settings, self._names, self._problems = app, settings, names, problems
        self._rates = Rates(settings.request_rate, settings.request_burst)
        self._log = ThrottledLog(_log)
        self._left: set[asyncio.Future[None]] = set()
        self.is_stopping: Callable[[], bool] = lambda: False

    async def __call__(self, connection: Connection) -> None:
        """Answer requests until the client, an error or the end of the server closes the connection."""
        parser = h11.Connection(h11.SERVER, max_incomplete_event_size=self._settings.max_head)
        is_first = True
        while True:
            connection.wait()
            exchange = _Exchange(
                connection, parser, self._settings, is_stopping=self.is_stopping, problems=self._problems
            )
            try:
                request = await self._read_head(connection, parser, is_first=is_first)
                if request is None:
                    return
                exchange.take(request)
                scope = self._make_scope(connection, request)
                body = await self._read_body(connection, parser, request)
            except Refusal as refusal:
                connection.work()
                await exchange.refuse(refusal)
                await connection.linger()
                return
            connection.work()
            await self._answer(exchange, scope, body)
            if parser.our_state is not h11.DONE or parser.their_state is not h11.DONE:
                if parser.trailing_data[0]:  # a further request, which is not read
                    await connection.linger()
                return
            parser.start_next_cycle()
            is_first = False

    # ---- reading

    async def _read_head(
        self, connection: Connection, parser: h11.Connection, *, is_first: bool
    ) -> h11.Request | None:
        """The next request, or nothing if the client has left or sent nothing for long."""
        has_some = bool(parser.trailing_data[0])
        try:
            if not has_some:
                seconds = self._settings.head_time if is_first else self._settings.idle_time
                async with asyncio.timeout(seconds):
                    data = await connection.read()
                if not data:
                    return None
                parser.receive_data(data)
                has_some = True
            event = _next_event(parser)
            if event is h11.NEED_DATA:
                async with asyncio.timeout(self._settings.head_time):
                    while event is h11.NEED_DATA:
                        data = await connection.read()
                        if not data:
                            return None
                        parser.receive_data(data)
                        event = _next_event(parser)
        except TimeoutError:
            if not has_some:
                return None
            limit = self._settings.head_time
            raise Refusal(408, f"the head of the request did not arrive within {limit:g} s") from None
        return event if isinstance(event, h11.Request) else None

    def _make_scope(self, connection: Connection, request: h11.Request) -> Message:
        """The scope of ASGI for a request that has passed every check, or `Refusal`."""
        fields = [(bytes(name), bytes(value)) for name, value in request.headers]
        size = (
            len(request.method) + len(request.target) + sum(len(name) + len(value) for name, value in fields)
        )
        if size > self._settings.max_head:
            raise Refusal(431, f"the head has {size:,} bytes, and {self._settings.max_head:,} are allowed")
        version = request.http_version.decode("ascii")
        if not version.startswith("1."):
            raise Refusal(505, f"HTTP/{version} is not supported; use HTTP/1.1")
        names = {name for name, _ in fields}
        if b"transfer-encoding" in names and (b"content-length" in names or version == "1.0"):
            other = "Content-Length" if b"content-length" in names else "HTTP/1.0"
            raise Refusal(400, f"Transfer-Encoding together with {other} is not allowed")
        host, target = self._split_target(request, fields)
        self._names.check(host)
        method = request.method.decode("ascii")
        if method not in METHODS:
            # 405 says that the method is known, 501 that it is not (RFC 9110, 15.5.6 and 15.6.2)
            known = ", ".join(sorted(METHODS))
            raise Refusal(
                405 if method in ("TRACE", "CONNECT", "QUERY") else 501,
                f"method {method[:40]} is not implemented; use {known}",
                headers=((b"allow", known.encode()),),
            )
        wait = self._rates.delay(connection.client[0])
        if wait:
            seconds = str(max(1, round(wait))).encode()
            raise Refusal(
                429,
                f"more than {self._settings.request_rate:g} requests per second; wait and try again",
                headers=((b"retry-after", seconds),),
            )
        path, _, query = target.partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": version,
            # a HEAD is a GET whose body is not sent, so applications need no code for it
            "method": "GET" if method == "HEAD" else method,
            "scheme": "http",
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": fields,
            "client": connection.client,
            "server": connection.peer.getsockname()[:2],
            "state": {},
        }

    def _split_target(self, request: h11.Request, fields: Headers) -> tuple[str, bytes]:
        """Host and path of a request; in absolute form the target names the host (RFC 9112, 3.2.2)."""
        hosts = [value.decode("latin-1") for name, value in fields if name == b"host"]
        target = bytes(request.target)
        if match := _ABSOLUTE.fullmatch(target):
            return match[1].decode("latin-1"), match[2] if match[2].startswith(b"/") else b"/" + match[2]
        if not target.startswith(b"/"):
            shown = target[:80].decode("latin-1")
            raise Refusal(400, f"the target of the request is {shown!r}, and a path was expected")
        if not hosts:
            raise Refusal(400, "the request has no Host")
        return hosts[0], target

    async def _read_body(self, connection: Connection, parser: h11.Connection, request: h11.Request) -> bytes:
        most = self._settings.max_body
        too_long = Refusal(
            413, f"the body of the request is longer than {most:,} bytes; send it in several pieces"
        )
        length = next((int(value) for name, value in request.headers if name == b"content-length"), 0)
        if length > most:
            raise too_long
        if not length and not any(name == b"transfer-encoding" for name, _ in request.headers):
            parser.next_event()  # the end of the message
            return b""
        body = bytearray()
        # chunks have heads of their own; a body of chunks with one byte each costs more than it weighs
        most_received = 2 * most + self._settings.max_head
        received = 0
        try:
            async with asyncio.timeout(self._settings.body_time):
                while not isinstance(event := _next_event(parser), h11.EndOfMessage):
                    if isinstance(event, h11.Data):
                        body += event.data
                    elif event is h11.NEED_DATA:
                        if parser.they_are_waiting_for_100_continue:
                            go_on = h11.InformationalResponse(status_code=100, headers=[])
                            await connection.send(parser.send(go_on) or b"", self._settings.send_time)
                        data = await connection.read()
                        received += len(data)
                        parser.receive_data(data)
                    else:
                        raise ConnectionAbortedError("the client ended the connection within a body")
                    if len(body) > most or received > most_received:
                        raise too_long
        except TimeoutError:
            limit = self._settings.body_time
            raise Refusal(408, f"the body of the request did not arrive within {limit:g} s") from None
        return bytes(body)

    # ---- answering

    async def _answer(self, exchange: _Exchange, scope: Message, body: bytes) -> None:
        exchange.body = body
        task = asyncio.ensure_future(self._app(scope, exchange.receive, exchange.send))
        try:
            limit = self._settings.query_time
            await asyncio.wait((task, exchange.begun), timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and not exchange.begun.done():
                # the task is not awaited: what runs in a thread cannot be cancelled, and ends by itself
                self._leave(task)
                await exchange.refuse(Refusal(503, f"the query took longer than {limit:g} s"))
                return
            await asyncio.wait((task,))
        except BaseException:
            self._leave(task)
            raise
        finally:
            exchange.is_over = True
            exchange.ended.set()
        error = None if task.cancelled() else task.exception()
        if exchange.is_complete:
            return  # Starlette raises again what it has answered with status 500
        if isinstance(error, OSError) and exchange.is_gone:
            raise error
        place = _place_of(error) if error is not None else scope["path"]
        self._log.say(
            (type(error), place),
            logging.ERROR,
            "%s %s failed (%s)",
            scope["method"],
            scope["path"],
            type(error).__name__ if error is not None else "the application sent no complete response",
            error=error,
        )
        if exchange.begun.done():
            raise ConnectionAbortedError("the application failed within a response")
        await exchange.refuse(
            Refusal(500, "the server failed to answer this request; its log has the details")
        )

    def _leave(self, task: asyncio.Future[None]) -> None:
        """Cancel a task of the application without waiting for its end."""
        self._left.add(task)

        def forget(ended: asyncio.Future[None]) -> None:
            self._left.discard(ended)
            if not ended.cancelled():
                ended.exception()  # looked at, so that asyncio does not complain that nobody did

        task.add_done_callback(forget)
        task.cancel()


class _Exchange:
    """One request and its response: the two callables that an ASGI application gets."""

    def __init__(
        self,
        connection: Connection,
        parser: h11.Connection,
        settings: ServerSettings,
        *,
        is_stopping: Callable[[], bool],
        problems: bool = False,
    ) -> None:
        self._connection, self._parser, self._settings = connection, parser, settings
        self._is_stopping, self._problems = is_stopping, problems
        self._request: h11.Request | None = None
        self._start: Message | None = None
        self._since = time.perf_counter()
        self._sent = 0
        self.body: bytes | None = b""
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended = asyncio.Event()
        self.is_complete = self.is_over = self.is_gone = False

    def take(self, request: h11.Request) -> None:
        """Note the request that is being answered."""
        self._request, self._since = request, time.perf_counter()

    async def receive(self) -> Message:
        """The body, whole, and later that the exchange is over."""
        if self.body is not None:
            body, self.body = self.body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.ended.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Send a part of the response; the head with the first part of the body."""
        if self.is_over or self.is_gone:
            raise ConnectionAbortedError("the exchange is over")
        if message["type"] == "http.response.start":
            if self._start is not None:
                raise RuntimeError("the application began a second response")
            self._start = message
            return
        if message["type"] != "http.response.body" or self._start is None or self.is_complete:
            raise RuntimeError(f"the application sent {message['type']!r} where it does not belong")
        is_last = not message.get("more_body", False)
        data = b""
        if not self.begun.done():
            data = self._frame_head(self._start["status"], list(self._start.get("headers", ())))
            self.begun.set_result(None)
        content = bytes(message.get("body", b""))
        if content and not self._is_head():
            data += self._parser.send(h11.Data(data=content)) or b""
            self._sent += len(content)
        if is_last:
            data += self._parser.send(h11.EndOfMessage()) or b""
            self.is_complete = True
        try:
            await self._connection.send(data, self._settings.send_time)
        except OSError:
            self.is_gone = True
            raise
        finally:
            if is_last or self.is_gone:
                self._note()

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with an error, and close the connection afterwards."""
        write = write_problem if self._problems else write_error
        body = write(refusal.status, str(refusal), **refusal.more)
        headers = [
            (b"content-type", b"application/problem+json" if self._problems else b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            *refusal.headers,
            _CLOSE,
        ]
        self._start = {"status": refusal.status}
        data = self._frame_head(refusal.status, headers)
        if not self._is_head():
            data += self._parser.send(h11.Data(data=body)) or b""
            self._sent = len(body)
        data += self._parser.send(h11.EndOfMessage()) or b""
        try:
            await self._connection.send(data, self._settings.send_time)
        finally:
            self._note()

    def _is_head(self) -> bool:
        return self._request is not None and self._request.method == b"HEAD"

    def _frame_head(self, status: int, headers: Headers) -> bytes:
        headers = [(bytes(name).lower(), bytes(value)) for name, value in headers]
        names = {name for name, _ in headers}
        headers += [(name, value) for name, value in HEADERS.items() if name not in names]
        if b"date" not in names:
            headers.append((b"date", write_date(int(time.time()))))
        if self._is_stopping() and b"connection" not in names:
            headers.append(_CLOSE)
        # h11 looks at every byte of every header, which takes longer than most responses; it gets those that
        # say where a response ends, and the others are checked once per header
        framing = [(name, value) for name, value in headers if name in _FRAMING]
        response = h11.Response(status_code=status, headers=framing, reason=_reason(status))
        head = self._parser.send(response) or b""
        # with an empty value an application says that a header is not to be sent
        fields = [
            write_field(name, value)
            for name, value in headers
            if name not in _FRAMING and (value or name not in HEADERS)
        ]
        return head[:-2] + b"".join(fields) + b"\r\n"

    def _note(self) -> None:
        """Write a line to the access log, in the combined format of Apache and nginx."""
        if not _access.isEnabledFor(logging.INFO):
            return
        line, headers = "-", {}
        if (request := self._request) is not None:
            # h11 lets only printable ASCII into a method and a target
            version = request.http_version.decode("ascii")
            line = f"{request.method.decode('ascii')} {quote_field(request.target)} HTTP/{version}"
            headers = {bytes(name): bytes(value) for name, value in request.headers}
        _access.info(
            '%s - - [%s] "%s" %d %s "%s" "%s"',
            self._connection.client[0] or "-",
            time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime()),
            line,
            self._start["status"] if self._start is not None else 0,
            self._sent or "-",
            quote_field(headers.get(b"referer", b"-")),
            quote_field(headers.get(b"user-agent", b"-")),
        )


@lru_cache(1024)
def write_field(name: bytes, value: bytes) -> bytes:
    r"""A header field as it is sent, or `h11.LocalProtocolError`; checked as RFC 9110, 5.5 says.

    Examples
    --------
    >>> write_field(b"etag", b'"1"')
    b'etag: "1"\r\n'
    >>> write_field(b"x-note", b"a\r\nset-cookie: b")
    Traceback (most recent call last):
    h11._util.LocalProtocolError: the header x-note has a value that cannot be sent
    """
    if not _NAME.fullmatch(name):
        raise h11.LocalProtocolError(f"{name!r} is not a name of a header")
    if not _VALUE.fullmatch(value):
        raise h11.LocalProtocolError(f"the header {name.decode()} has a value that cannot be sent")
    return name + b": " + value + b"\r\n"


def quote_field(value: bytes) -> str:
    r"""What a client sent, as a field in quotes of the access log.

    Examples
    --------
    >>> print(quote_field(b'curl/8 "x" \xff'))
    curl/8 \"x\" \xff
    """
    text = value.decode("latin-1").replace("\\", "\\\\").replace('"', '\\"')
    return "".join(char if " " <= char <= "~" else f"\\x{ord(char):02x}" for char in text)


@lru_cache(4)
def write_date(seconds: int) -> bytes:
    """The header ``Date`` of a second since 1970.

    Examples
    --------
    >>> write_date(0)
    b'Thu, 01 Jan 1970 00:00:00 GMT'
    """
    return formatdate(seconds, usegmt=True).encode()


def _next_event(parser: h11.Connection) -> object:
    try:
        return parser.next_event()
    except h11.RemoteProtocolError as error:
        status = error.error_status_hint if error.error_status_hint in (431, 501, 505) else 400
        raise Refusal(status, f"the request is not valid HTTP: {error}") from None


def _reason(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""


def _place_of(error: BaseException) -> tuple[str, int]:
    """File and line that raised, which tell one bug from another."""
    trace = error.__traceback__ or sys.exc_info()[2]
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace is not None else ("", 0)
