"""A collection served over real HTTP, for the tests of its pages."""

from __future__ import annotations

import gzip
import json
import urllib.error
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import HTTPRedirectHandler, Request, build_opener

import webstrata as ws
from webstrata import testing

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path


class Answer(NamedTuple):
    """A response."""

    status: int
    headers: Message
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def ask(address: str, body: bytes | None = None, method: str | None = None, **headers: str) -> Answer:
    """The response to a request as a browser sends it; redirects are not followed."""
    fields = {"Accept": "text/html"} | {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(address, body, fields, method=method)
    try:
        with build_opener(_NoRedirect).open(request) as response:
            content = response.read()
            if response.headers.get("content-encoding") == "gzip":
                content = gzip.decompress(content)
            return Answer(response.status, response.headers, content)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read())


def fill(folder: Path) -> None:
    """Make the ready collection there, with the ranks that pages show."""
    testing.collection().path.rename(folder / "uk")
    for snapshot in ws.open(folder / "uk"):
        for method in ("cheirank", "2drank"):
            snapshot.rank(method)
        snapshot.rank("pagerank", level="host")
