"""Errors of applications over HTTP, in the shape of the server base: ``{"error": {"status": 404, …}}``.

The message is one sentence. Where a URL is no page of the snapshot, ``nearest`` has the URLs next to it in
order.
"""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from webstrata.errors import MissingError, UserError, WebstrataError
from webstrata.web.server.answers import BASE_STATUSES, MEANINGS, Refusal, ThrottledLog, write_error

LOG = logging.getLogger(__name__)


class Error(BaseModel):
    """What is wrong."""

    status: int
    message: str
    nearest: list[str] | None = None
    """URLs of the snapshot next to one that it does not have."""


class ErrorDocument(BaseModel):
    """The body of every response with an error status."""

    error: Error


def describe_refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The entries of OpenAPI for errors with these statuses, and for those that the server base sends.

    Examples
    --------
    >>> described = describe_refusals(404, 422)
    >>> sorted(described)
    [400, 404, 408, 413, 421, 422, 429, 431, 500, 501, 503, 505]
    >>> described[408]["description"]
    'The request did not arrive in time.'
    """
    return {
        status: {"model": ErrorDocument, "description": MEANINGS[status]}
        for status in sorted({*statuses, *BASE_STATUSES})
    }


def refuse_in_one_shape(app: FastAPI) -> None:
    """Let an application send every error as the one document.

    Examples
    --------
    >>> app = FastAPI()
    >>> refuse_in_one_shape(app)
    >>> Refusal in app.exception_handlers
    True
    """
    log = ThrottledLog(LOG)

    @app.exception_handler(Refusal)
    async def refuse(_request: Request, error: Refusal) -> Response:
        return _answer(error.status, str(error), **error.more)

    @app.exception_handler(RequestValidationError)
    async def refuse_question(_request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(word) for word in first["loc"][1:]) or str(first["loc"][0])
        return _answer(422, f"{place}: {first['msg']}; /openapi.json describes what is expected")

    @app.exception_handler(WebstrataError)
    async def refuse_sentence(_request: Request, error: WebstrataError) -> Response:
        status = 404 if isinstance(error, MissingError) else 422 if isinstance(error, UserError) else 500
        return _answer(status, str(error))

    @app.exception_handler(HTTPException)
    async def refuse_path(request: Request, error: HTTPException) -> Response:
        if error.status_code in (404, 405):
            message = f"{request.method} {request.url.path}: {error.detail}; /openapi.json lists the paths"
        else:
            message = str(error.detail)
        answer = _answer(error.status_code, message)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def refuse_bug(request: Request, error: Exception) -> Response:
        # once per minute and kind of error, so that one client cannot fill the disk with tracebacks
        log.say(
            type(error).__name__, logging.ERROR, "%s %s failed", request.method, request.url.path, error=error
        )
        return _answer(500, "the server failed to answer this request; its log has the details")


def _answer(status: int, message: str, **more: Any) -> Response:  # noqa: ANN401
    return Response(write_error(status, message, **more), status, media_type="application/json")
