"""Clients that send exact bytes, and applications that are easy to recognise."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

from webstrata.web.settings import ServerSettings


def quick(**more: Any) -> ServerSettings:  # noqa: ANN401
    """Settings with limits of time that a test can wait for."""
    defaults = {"head_time": 0.3, "body_time": 0.3, "idle_time": 0.3, "query_time": 0.5, "grace_time": 0.5}
    return ServerSettings(**defaults | more)


async def echo(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
    """An ASGI application that sends back what it was asked."""
    message = await receive()
    path = scope["path"]
    if path == "/slow":
        await asyncio.sleep(60)
    if path == "/bug":
        raise KeyError("a secret of the program")
    if path == "/nothing":
        return
    if path == "/large":
        await respond(send, b"x" * (8 << 20))
        return
    if path == "/torn":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"10")]})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise KeyError("in the middle")
    if path == "/stream":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(3):
            await send({"type": "http.response.body", "body": b"%d\n" % number, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return
    told = {
        "method": scope["method"],
        "path": path,
        "query": scope["query_string"].decode(),
        "body": message["body"].decode("latin-1"),
    }
    await respond(send, json.dumps(told).encode())


async def respond(send: Any, body: bytes) -> None:  # noqa: ANN401
    """Send a whole response."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def call(port: int, *, source: str = "127.0.0.1") -> socket.socket:
    """A connection from an address of loopback; each is a client of its own."""
    return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0))


def read_all(peer: socket.socket) -> bytes:
    """All bytes until the server closes."""
    data = b""
    try:
        while more := peer.recv(1 << 16):
            data += more
    except ConnectionError:
        pass
    return data


def ask(port: int, request: bytes) -> bytes:
    """What a server sends for these bytes, until it closes."""
    with call(port) as peer:
        peer.sendall(request)
        return read_all(peer)


def get(
    port: int, target: str = "/", *fields: str, method: str = "GET", body: bytes = b""
) -> tuple[int, bytes]:
    """Status and body of one request on a connection of its own."""
    lines = [f"{method} {target} HTTP/1.1", *(fields or ("Host: localhost",)), "Connection: close"]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return split("\r\n".join(lines).encode() + b"\r\n\r\n" + body, port)


def split(request: bytes, port: int) -> tuple[int, bytes]:
    """Status and body of the response to these bytes."""
    head, _, body = ask(port, request).partition(b"\r\n\r\n")
    return status_of(head), body


def status_of(response: bytes) -> int:
    """The status in the first line of a response, 0 if there is none."""
    return int(response.split(b" ", 2)[1]) if response.startswith(b"HTTP/1.1 ") else 0
