"""Content codings of responses: zstd or gzip, as the request accepts, for texts that are complete at once.

Streams are sent as they are. ETags are weak, so that they are the same in each coding (RFC 9110, 8.8.3.3).
"""

import gzip
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from webstrata.serve.http_api.metrics import App, Message, Receive, Send

SMALLEST = 1024
"""Bytes from which on a body is compressed."""
_TYPES = ("text/", "application/json", "application/problem+json", "application/javascript", "image/svg+xml")


def choose_coding(accepted: str) -> str:
    """The coding for an ``Accept-Encoding``; empty for none. Of equal weights zstd goes first.

    Examples
    --------
    >>> choose_coding("gzip, deflate, br, zstd"), choose_coding("gzip"), choose_coding("zstd;q=0, *;q=0")
    ('zstd', 'gzip', '')
    >>> choose_coding("gzip;q=1.0, zstd;q=0.5"), choose_coding("*"), choose_coding("")
    ('gzip', 'zstd', '')
    """
    weights: dict[str, float] = {}
    for word in accepted.lower().split(","):
        name, _, parameter = word.partition(";")
        try:
            weight = float(parameter.partition("=")[2]) if "=" in parameter else 1.0
        except ValueError:
            weight = 0.0
        weights[name.strip()] = weight
    found = [(weights.get(name, weights.get("*", 0.0)), name) for name in ("gzip", "zstd")]
    weight, name = max(found)
    return name if weight > 0 else ""


def compress(body: bytes, coding: str) -> bytes:
    """A body in a coding.

    Examples
    --------
    >>> gzip.decompress(compress(b"text" * 9, "gzip"))[:8], compress(b"text" * 9, "zstd")[:4].hex()
    (b'texttext', '28b52ffd')
    """
    if coding == "zstd":
        return bytes(_zstd().compress(body, asbytes=True))
    return gzip.compress(body, 4, mtime=0)


@cache
def _zstd() -> Any:  # noqa: ANN401 (pyarrow has no types)
    return pa.Codec("zstd", compression_level=3)


def code_responses(app: "App") -> "App":
    """An application that compresses the responses of another.

    Examples
    --------
    >>> import asyncio
    >>> async def app(scope, receive, send):
    ...     headers = [(b"content-type", b"text/html")]
    ...     await send({"type": "http.response.start", "status": 200, "headers": headers})
    ...     await send({"type": "http.response.body", "body": b"text " * 1000})
    >>> sent = []
    >>> async def send(message):
    ...     sent.append(message)
    >>> scope = {"type": "http", "headers": [(b"accept-encoding", b"gzip")]}
    >>> asyncio.run(code_responses(app)(scope, None, send))
    >>> dict(sent[0]["headers"])[b"content-encoding"], len(sent[1]["body"]) < 100
    (b'gzip', True)
    """

    async def coded(scope: "Message", receive: "Receive", send: "Send") -> None:
        accepted = next(
            (value for name, value in scope.get("headers", ()) if name == b"accept-encoding"), b""
        )
        coding = choose_coding(accepted.decode("latin-1"))
        start: Message | None = None

        async def pack(message: "Message") -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if start is not None:
                headers, body = list(start.get("headers", ())), message.get("body", b"")
                names = {name.lower(): value for name, value in headers}
                kind = names.get(b"content-type", b"").decode("latin-1")
                if (
                    not message.get("more_body", False)
                    and len(body) >= SMALLEST
                    and kind.startswith(_TYPES)
                    and b"content-encoding" not in names
                    and b"content-range" not in names
                ):
                    headers = [
                        pair for pair in headers if pair[0].lower() not in (b"content-length", b"vary")
                    ]
                    vary = [one for one in (names.get(b"vary"), b"accept-encoding") if one]
                    headers.append((b"vary", b", ".join(vary)))
                    if coding:
                        body = compress(bytes(body), coding)
                        headers.append((b"content-encoding", coding.encode()))
                    headers.append((b"content-length", str(len(body)).encode()))
                await send({**start, "headers": headers})
                start, message = None, {**message, "body": body}
            await send(message)

        await app(scope, receive, pack if scope["type"] == "http" else send)

    return coded
