"""Errors of the first origin: ``application/problem+json`` (RFC 9457) with one sentence, or a page of HTML.

``{"type": "about:blank", "title": "Not Found", "status": 404, "detail": "…"}``, and where they help:
``nearest`` (URLs that exist), ``excerpt`` (a query with the place marked), ``fix`` (the command to run).
"""

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from webstrata.errors import AccessError, LockedError, MissingError, UserError, WebstrataError
from webstrata.web.server.answers import BASE_STATUSES, MEANINGS, Refusal, ThrottledLog

LOG = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class ProblemDetails:
    """What is wrong with a request, in one sentence, and what may help."""

    status: int
    detail: str
    nearest: tuple[str, ...] = ()
    excerpt: str = ""
    fix: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """What the status means."""
        return HTTPStatus(self.status).phrase

    def to_json(self) -> bytes:
        """The document."""
        more = {"nearest": list(self.nearest), "excerpt": self.excerpt, "fix": self.fix}
        document = {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail}
        return json.dumps(document | {name: value for name, value in more.items() if value}).encode()


def explain_error(error: Exception) -> ProblemDetails:
    """The problem that an exception stands for; status 500 for what is not the client's mistake.

    Examples
    --------
    >>> from webstrata.errors import QueryError
    >>> explain_error(QueryError("the quotation has no end", 'a "b')).status
    400
    >>> explain_error(MissingError("no snapshot 2026-13")).status, explain_error(KeyError("x")).status
    (404, 500)
    """
    if isinstance(error, Refusal):
        return ProblemDetails(error.status, str(error), tuple(error.more.get("nearest", ())))
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        place = ".".join(str(word) for word in first["loc"][1:]) or str(first["loc"][0])
        return ProblemDetails(422, f"{place}: {first['msg']}; /openapi.json describes what is expected")
    if isinstance(error, HTTPException):
        return ProblemDetails(
            error.status_code, _tell_status(error), headers=tuple((error.headers or {}).items())
        )
    if isinstance(error, WebstrataError):
        fix = getattr(error, "fix", None)
        return ProblemDetails(
            _status_of(error),
            error.explain() if hasattr(error, "explain") else str(error),
            excerpt=str(getattr(error, "excerpt", "")),
            fix=str(getattr(fix, "command", "") or ""),
        )
    return ProblemDetails(500, "the server failed to answer this request; its log has the details")


def _status_of(error: WebstrataError) -> int:
    if isinstance(error, MissingError):
        return 404
    if isinstance(error, LockedError | AccessError):
        return 503
    return 400 if isinstance(error, UserError) else 500


def _tell_status(error: HTTPException) -> str:
    if error.status_code == 404:
        return "there is no such page; the links at the top lead to those that exist"
    if error.status_code == 405:
        return "this address does not support the method; /openapi.json lists what it supports"
    return str(error.detail)


def send_problems(
    app: FastAPI,
    write: Callable[[Request, ProblemDetails], Response | None] | None = None,
    hide: Callable[[Request, ProblemDetails], ProblemDetails] | None = None,
) -> None:
    """Let an application send every error as a problem; `write` may give a page of HTML in its place.

    `hide` may take out what a client should not learn.

    Examples
    --------
    >>> app = FastAPI()
    >>> send_problems(app)
    >>> Refusal in app.exception_handlers
    True
    """
    log = ThrottledLog(LOG)

    async def send(request: Request, error: Exception) -> Response:
        problem = explain_error(error)
        if problem.status == 500:
            # once per minute and kind of error, so that one client cannot fill the disk with tracebacks
            log.say(
                type(error).__name__,
                logging.ERROR,
                "%s %s failed",
                request.method,
                request.url.path,
                error=error,
            )
        problem = hide(request, problem) if hide is not None else problem
        response = write(request, problem) if write is not None else None
        if response is None:
            response = Response(problem.to_json(), problem.status, media_type=MEDIA_TYPE)
        response.headers.update(dict(problem.headers))
        response.headers["cache-control"] = "no-store"
        return response

    handler: Callable[[Request, Any], Awaitable[Response]] = send
    for kind in (Refusal, RequestValidationError, WebstrataError, HTTPException, Exception):
        app.add_exception_handler(kind, handler)


PROBLEM: dict[str, Any] = {
    "content": {
        MEDIA_TYPE: {
            "schema": {
                "type": "object",
                "required": ["type", "title", "status", "detail"],
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "nearest": {"type": "array", "items": {"type": "string"}},
                    "excerpt": {"type": "string"},
                    "fix": {"type": "string"},
                },
            }
        }
    }
}
"""How OpenAPI describes a problem."""


def describe_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The entries of OpenAPI for problems with these statuses, and for those that the server base sends.

    Examples
    --------
    >>> describe_problems(404)[429]["description"]
    'The client sends more requests per second than allowed.'
    """
    return {
        status: {"description": MEANINGS[status], **PROBLEM} for status in sorted({*statuses, *BASE_STATUSES})
    }
