"""Requests of pages of other origins (CORS): refused by browsers unless the origin is on a list.

A listed origin may read JSON documents and ask about links; it cannot send a token, since no request with
credentials and no header but ``Content-Type`` is allowed. Pages of HTML never have the header. The replay
origin is never on the list: what runs there was written by strangers.
"""

from typing import TYPE_CHECKING

from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.serve.http_api.metrics import App, Message, Receive, Send

MAX_AGE = 600
"""Seconds for which a browser may remember what is allowed."""
_JSON = (b"application/json", b"application/problem+json", b"application/vnd.apache.arrow")


def check_origins(origins: "Iterable[str]", replay: "Iterable[str]") -> frozenset[str]:
    """The origins that may read, or `UsageError` where the replay origin is among them.

    Examples
    --------
    >>> sorted(check_origins(["https://Notebook.example"], ["http://127.0.0.1:8081"]))
    ['https://notebook.example']
    >>> check_origins(["http://127.0.0.1:8081"], ["http://127.0.0.1:8081"])
    Traceback (most recent call last):
    webstrata.errors.UsageError: cors_origins: http://127.0.0.1:8081 is the replay origin, where pages of
    strangers are shown; leave it out
    """
    found = frozenset(origin.lower().rstrip("/") for origin in origins)
    for origin in found:
        if not origin.startswith(("http://", "https://")) or origin.count("/") != 2 or "*" in origin:
            raise UsageError(
                f"cors_origins: {origin} is not an origin; write it as https://notebook.example.org"
            )
        if origin in {one.lower().rstrip("/") for one in replay}:
            raise UsageError(
                f"cors_origins: {origin} is the replay origin, where pages of strangers are shown; "
                "leave it out"
            )
    return found


def allow_origins(app: "App", origins: frozenset[str], replay_port: int = 0) -> "App":
    """An application whose JSON documents pages of these origins may read.

    A loopback or other name with the replay port is never allowed, whatever the list says.

    Examples
    --------
    >>> import asyncio
    >>> async def app(scope, receive, send):
    ...     headers = [(b"content-type", b"application/json")]
    ...     await send({"type": "http.response.start", "status": 200, "headers": headers})
    ...     await send({"type": "http.response.body", "body": b"{}"})
    >>> sent = []
    >>> async def send(message):
    ...     sent.append(message)
    >>> allowed = allow_origins(app, frozenset({"https://notebook.example"}))
    >>> scope = {"type": "http", "method": "GET", "headers": [(b"origin", b"https://notebook.example")]}
    >>> asyncio.run(allowed(scope, None, send))
    >>> dict(sent[0]["headers"])[b"access-control-allow-origin"]
    b'https://notebook.example'
    """

    def find_allowed(scope: "Message") -> bytes:
        origin = next((value for name, value in scope["headers"] if name == b"origin"), b"")
        text = origin.decode("latin-1").lower()
        is_replay = bool(replay_port) and text.endswith(f":{replay_port}")
        return origin if text in origins and not is_replay else b""

    async def allowed(scope: "Message", receive: "Receive", send: "Send") -> None:
        origin = find_allowed(scope) if scope["type"] == "http" else b""
        if not origin:
            await app(scope, receive, send)
            return
        asked = {name for name, _ in scope["headers"]}
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in asked:
            headers = [
                (b"access-control-allow-origin", origin),
                (b"access-control-allow-methods", b"GET, HEAD, POST"),
                (b"access-control-allow-headers", b"content-type"),
                (b"access-control-max-age", str(MAX_AGE).encode()),
                (b"vary", b"origin"),
            ]
            await send({"type": "http.response.start", "status": 204, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return

        async def add(message: "Message") -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                kind = next((value for name, value in headers if name.lower() == b"content-type"), b"")
                if kind.startswith(_JSON) or message["status"] == 304:
                    vary = next((value for name, value in headers if name.lower() == b"vary"), b"")
                    headers = [pair for pair in headers if pair[0].lower() != b"vary"]
                    headers += [
                        (b"access-control-allow-origin", origin),
                        (b"access-control-expose-headers", b"etag, retry-after"),
                        (b"vary", b", ".join(one for one in (vary, b"origin") if one)),
                    ]
                message = {**message, "headers": headers}
            await send(message)

        await app(scope, receive, add)

    return allowed
