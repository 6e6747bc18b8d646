"""Clients for tests that ask a running server: one over raw sockets, one over `http.client`."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from webstrata.invitro import InvitroServer


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes


class Client:
    """One keep-alive connection to a server (or to a port of this machine) as its proxy."""

    def __init__(self, server: InvitroServer | int) -> None:
        port = server if isinstance(server, int) else server.port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, url: str, *, method: str = "GET", **headers: str) -> Answer:
        """Ask for an address; `if_none_match=…` is the header If-None-Match."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, url, headers={"Host": urlsplit(url).netloc} | named)
        response = self._connection.getresponse()
        body = response.read()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


@contextlib.contextmanager
def connected(
    server: InvitroServer, address: str = "127.0.0.1", timeout: float = 60
) -> Iterator[socket.socket]:
    """A raw connection."""
    with socket.create_connection((address, server.port), timeout=timeout) as link:
        yield link


def request(url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> bytes:
    """A request in the form that proxies get."""
    lines = [f"{method} {url} HTTP/1.1", f"Host: {urlsplit(url).netloc}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def exchange(server: InvitroServer, sent: bytes, *, address: str = "127.0.0.1", timeout: float = 60) -> bytes:
    """Everything that comes back until the server ends; the client says first that it is done."""
    received = b""
    with connected(server, address, timeout) as link:
        with contextlib.suppress(OSError):  # the server may have heard enough
            link.sendall(sent)
            link.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while piece := link.recv(1 << 16):
                received += piece
    return received


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for what must come soon, on however slow a machine."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)
