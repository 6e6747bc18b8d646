"""Errors over HTTP, all in one shape: ``{"error": {"status": 404, "message": "…"}}``.

The message is one sentence. Where a page is not there, ``nearest`` has the URLs that stand next to it.
"""

import logging
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webstrata.errors import MissingError, UserError, WebstrataError

LOG = logging.getLogger(__name__)


class Refusal(Exception):
    """A question that is not answered, and why."""

    def __init__(self, status: int, message: str, **more: Any) -> None:  # noqa: ANN401
        super().__init__(message)
        self.status, self.more = status, more


class Error(BaseModel):
    """What went wrong."""

    status: int
    message: str
    nearest: list[str] | None = None
    """URLs next to one that is not there."""


class ErrorDocument(BaseModel):
    """An answer that is an error."""

    error: Error


def describe_refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The entries of OpenAPI for errors with these statuses.

    Examples
    --------
    >>> sorted(describe_refusals(404, 422))
    [404, 422]
    """
    meanings = {404: "No such page", 413: "Too much was asked for", 422: "The question is none"}
    return {status: {"model": ErrorDocument, "description": meanings[status]} for status in statuses}


def refuse_in_one_shape(app: FastAPI) -> None:
    """Let an application answer with the one shape whatever goes wrong.

    Examples
    --------
    >>> app = FastAPI()
    >>> refuse_in_one_shape(app)
    >>> Refusal in app.exception_handlers
    True
    """

    @app.exception_handler(Refusal)
    async def refuse(_request: Request, error: Refusal) -> JSONResponse:
        return _answer(error.status, str(error), **error.more)

    @app.exception_handler(RequestValidationError)
    async def refuse_question(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(word) for word in first["loc"][1:]) or str(first["loc"][0])
        return _answer(422, f"{place}: {first['msg']}; /openapi.json has what is expected")

    @app.exception_handler(WebstrataError)
    async def refuse_sentence(_request: Request, error: WebstrataError) -> JSONResponse:
        status = 404 if isinstance(error, MissingError) else 422 if isinstance(error, UserError) else 500
        return _answer(status, str(error))

    @app.exception_handler(AnyHTTPException)
    async def refuse_path(request: Request, error: AnyHTTPException) -> JSONResponse:
        if error.status_code in (404, 405):
            said = f"{request.method} {request.url.path}: {error.detail}"
            return _answer(error.status_code, f"{said}; /openapi.json lists what there is")
        return _answer(error.status_code, str(error.detail))

    @app.exception_handler(Exception)
    async def refuse_bug(request: Request, error: Exception) -> JSONResponse:
        LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return _answer(500, "the server failed over this question; its log says where")


def _answer(status: int, message: str, **more: Any) -> JSONResponse:  # noqa: ANN401
    return JSONResponse({"error": {"status": status, "message": message} | more}, status)


class BodyLimit:
    """Refuses questions that are longer than `limit` bytes, before they are in memory."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with its body counted."""
        size = 0

        async def count() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._limit:
                limit = f"{self._limit:,}"
                raise HTTPException(413, f"the question is longer than {limit} bytes; ask in several pieces")
            return message

        await self._app(scope, count, send)
