"""Requests to a replay origin, without following redirects."""

from __future__ import annotations

import http.client
import json
from typing import Any, NamedTuple
from urllib.parse import urlsplit


class Answer(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)


def ask(url: str, method: str = "GET", **headers: str) -> Answer:
    """The response for a URL; ``accept_datetime="…"`` is a header."""
    parts = urlsplit(url)
    client = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    try:
        path = url.split("/", 3)[3] if url.count("/") > 2 else ""
        client.request(
            method, f"/{path}", headers={key.replace("_", "-"): text for key, text in headers.items()}
        )
        got = client.getresponse()
        return Answer(got.status, {key.lower(): text for key, text in got.getheaders()}, got.read())
    finally:
        client.close()
