"""Idle and half-sent connections, however many, never lock others out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import select
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tests.invitro.clients import wait_until
from tests.web.server.talking import call, echo, get, quick, read_all, status_of
from webstrata.web.server import Server
from webstrata.web.server.connections import RESERVED, limit_connections

if TYPE_CHECKING:
    from collections.abc import Iterator

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
import logging
logging.basicConfig(level=logging.INFO)
from tests.invitro.clients import wait_until
from tests.web.server.talking import echo
from webstrata.web.server import Server, connections
from webstrata.web.settings import ServerSettings
connections.RESERVED = int(sys.argv[1])
server = Server(echo, settings=ServerSettings(head_time=600, max_connections=int(sys.argv[2]),
                                              max_connections_per_client=10_000))
print(server.port, flush=True)
server.run()
"""


@contextlib.contextmanager
def half_sent(port: int, number: int, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        peers = []
        for _ in range(number):
            peer = stack.enter_context(call(port, source=source))
            with contextlib.suppress(ConnectionError):
                peer.sendall(HALF)
            peers.append(peer)
        yield peers


def open_ones(peers: list[socket.socket]) -> list[int]:
    """Which of the connections the server has not closed."""
    readable, _, _ = select.select(peers, [], [], 0)
    return [place for place, peer in enumerate(peers) if peer not in readable]


@pytest.mark.parametrize(
    ("reserved", "most"),
    [
        (RESERVED, 10_000),  # the limit of connections follows that of descriptors
        (-10_000, 10_000),  # it does not, and descriptors run out
    ],
)
def test_400_half_sent_requests_and_256_descriptors_leave_room_for_a_good_client(
    reserved: int, most: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(reserved), str(most)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with half_sent(port, 400):
            for number in range(10):
                status, body = get(port, f"/{number}")
                assert (status, json.loads(body)["path"]) == (200, f"/{number}")
    finally:
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert (b"no connection can be accepted" in said) == (reserved < 0)
    assert b"Traceback" not in said
    assert len(said) < 10_000


def test_the_oldest_waiting_connection_of_a_client_leaves_for_its_next() -> None:
    settings = quick(head_time=600, max_connections_per_client=4)
    with (
        Server(echo, settings=settings) as server,
        half_sent(server.port, 6) as peers,
        half_sent(server.port, 4, "127.0.0.2") as others,
    ):
        assert get(server.port)[0] == 200
        assert read_all(peers[0]) == b""
        assert open_ones(peers) == [3, 4, 5]
        assert open_ones(others) == [0, 1, 2, 3]


def test_the_client_with_most_waiting_connections_makes_room_for_others() -> None:
    settings = quick(head_time=600, max_connections=10, max_connections_per_client=10)
    with (
        Server(echo, settings=settings) as server,
        half_sent(server.port, 2, "127.0.0.2") as modest,
        half_sent(server.port, 20, "127.0.0.3") as greedy,
    ):
        assert get(server.port)[0] == 200
        assert open_ones(modest) == [0, 1]
        assert len(open_ones(greedy)) == 7


def test_requests_in_progress_are_never_given_up_for_others() -> None:
    begun = threading.Semaphore(0)

    async def app(_scope: object, _receive: object, _send: object) -> None:
        begun.release()
        await asyncio.sleep(600)

    settings = quick(query_time=600, max_connections=3, grace_time=0)
    with Server(app, settings=settings) as server, contextlib.ExitStack() as stack:
        busy = [stack.enter_context(call(server.port)) for _ in range(3)]
        for peer in busy:
            peer.sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert begun.acquire(timeout=60)
        with call(server.port) as late:
            said = read_all(late)
        assert (status_of(said), b"too many connections" in said) == (503, True)
        assert open_ones(busy) == [0, 1, 2]


def sockets_at(port: int) -> int:
    """Number of sockets of this process that are bound to `port`: the listening one and its connections.

    Other descriptors may come and go meanwhile: other tests ran in this process, and their threads end late.
    """
    number = 0
    for name in os.listdir("/dev/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(int(name))) as one:
            number += one.family == socket.AF_INET and one.getsockname()[1] == port
    return number


def test_connections_that_come_back_are_forgotten() -> None:
    with Server(echo, settings=quick(max_connections=8)) as server:
        listening = sockets_at(server.port)
        assert listening == 1
        with half_sent(server.port, 3):
            wait_until(lambda: sockets_at(server.port) == listening + 3)
        for _ in range(100):
            assert get(server.port)[0] == 200
        with half_sent(server.port, 50):
            pass
        assert get(server.port)[0] == 200
        wait_until(lambda: sockets_at(server.port) == listening)


def test_the_limit_leaves_descriptors_for_files() -> None:
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert 8 <= limit_connections(10**9) <= most - RESERVED
    assert limit_connections(1) == 1
