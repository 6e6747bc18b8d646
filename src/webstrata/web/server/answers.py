"""Errors over HTTP, all in one shape: ``{"error": {"status": 404, "message": "…"}}``.

The message is one sentence for the client. Tracebacks go to the log, and never into a response.
"""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable, Hashable

MEANINGS = {
    400: "The request is not valid HTTP, or has no valid Host.",
    401: "The token is missing or wrong.",
    404: "No such page or path.",
    405: "The path does not support this method.",
    408: "The request did not arrive in time.",
    413: "The request body or the number of items asked for exceeds a limit.",
    421: "The server does not serve the host named in Host.",
    422: "The request is valid HTTP, but its parameters or its document are not.",
    429: "The client sends more requests per second than allowed.",
    431: "The request line and header fields exceed a limit.",
    500: "The server failed; its log has the details.",
    501: "The method or the transfer coding is not implemented.",
    503: "The query took too long, or there are too many connections.",
    505: "The HTTP version is not supported.",
}
"""Every status of an error of the servers, and when it is sent."""

BASE_STATUSES = (400, 408, 413, 421, 429, 431, 500, 501, 503, 505)
"""Statuses that the base sends itself, whatever the path is."""


class Refusal(Exception):
    """A request that gets an error: the status, one sentence, and further fields of the document.

    Examples
    --------
    >>> refusal = Refusal(429, "more than 20 requests per second", headers=((b"retry-after", b"1"),))
    >>> refusal.status, str(refusal)
    (429, 'more than 20 requests per second')
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        **more: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(message)
        self.status, self.headers, self.more = status, headers, more


def write_error(status: int, message: str, **more: object) -> bytes:
    """The JSON document of an error, as the body of a response.

    Examples
    --------
    >>> write_error(404, "no such page: http://example.org/")
    b'{"error": {"status": 404, "message": "no such page: http://example.org/"}}'
    """
    return json.dumps({"error": {"status": status, "message": message} | more}).encode()


def write_problem(status: int, message: str, **more: object) -> bytes:
    """The same as ``application/problem+json`` (RFC 9457).

    Examples
    --------
    >>> write_problem(404, "no such page: http://example.org/")
    b'{"type": "about:blank", "title": "Not Found", "status": 404, "detail": "no such page: http://example.org/"}'
    """
    title = HTTPStatus(status).phrase
    return json.dumps(
        {"type": "about:blank", "title": title, "status": status, "detail": message} | more
    ).encode()


class ThrottledLog:
    """A logger that writes a message of each kind once per `seconds`, and then how many were left out.

    So a client that causes an error with every request cannot fill the disk.

    Examples
    --------
    >>> import logging
    >>> lines = []
    >>> class Log:
    ...     def log(self, level, text, *values, **more):
    ...         lines.append(text % values)
    >>> clock = iter([0.0, 1.0, 2.0, 61.0]).__next__
    >>> log = ThrottledLog(Log(), clock=clock)
    >>> for _ in range(4):
    ...     log.say("full", logging.WARNING, "no free connection")
    >>> lines
    ['no free connection', 'no free connection (2 more in the last 60 s)']
    """

    def __init__(
        self,
        log: logging.Logger,
        *,
        seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
        max_kinds: int = 256,
    ) -> None:
        self._log, self._seconds, self._clock, self._max = log, seconds, clock, max_kinds
        self._kinds: dict[Hashable, tuple[float, int]] = {}

    def say(
        self, kind: Hashable, level: int, message: str, *values: object, error: BaseException | None = None
    ) -> None:
        """Log the message unless one of this kind was logged a short time ago."""
        now = self._clock()
        if kind not in self._kinds and len(self._kinds) >= self._max:
            kind = None  # all further kinds share one place
        last, left_out = self._kinds.get(kind, (None, 0))
        if last is not None and now - last < self._seconds:
            self._kinds[kind] = (last, left_out + 1)
            return
        self._kinds[kind] = (now, 0)
        if left_out:
            message += " (%d more in the last %.0f s)"
            values = (*values, left_out, self._seconds)
        self._log.log(level, message, *values, exc_info=error)
