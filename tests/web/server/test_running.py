"""Where a server listens, and how it stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.web.server.talking import call, echo, get, quick, read_all
from webstrata.errors import UsageError
from webstrata.web.server import Server

PROGRAM = """
import asyncio, sys
from tests.web.server.talking import respond
from webstrata.web.server import Server
from webstrata.web.settings import ServerSettings

async def app(scope, receive, send):
    print("asked", flush=True)
    await asyncio.sleep(float(scope["path"][1:]))
    await respond(send, b"done")

server = Server(app, settings=ServerSettings(grace_time=600, query_time=600))
print(server.port, flush=True)
server.run()
print("stopped", flush=True)
"""


def start() -> tuple[subprocess.Popen[str], int]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_the_response_in_progress_end_and_closes_the_others(number: signal.Signals) -> None:
    process, port = start()
    assert process.stdout is not None
    with call(port) as busy, call(port) as idle:
        busy.sendall(b"GET /0.5 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert process.stdout.readline() == "asked\n"
        process.send_signal(number)
        assert read_all(idle) == b""
        data = read_all(busy)
    assert data.endswith(b"done")
    assert b"connection: close" in data
    assert process.communicate(timeout=60) == ("stopped\n", "")
    assert process.returncode == 0


def test_a_second_ctrl_c_does_not_wait() -> None:
    process, port = start()
    assert process.stdout is not None
    with call(port) as busy:
        busy.sendall(b"GET /500 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert process.stdout.readline() == "asked\n"
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert read_all(busy) == b""
    assert process.communicate(timeout=60) == ("stopped\n", "")


def test_a_port_that_is_taken_is_reported() -> None:
    with (
        Server(echo) as server,
        pytest.raises(
            UsageError, match=r"cannot listen there \(address already in use\); choose another port"
        ),
    ):
        Server(echo, port=server.port)


def test_it_stops_after_some_seconds_and_frees_its_port() -> None:
    server = Server(echo)
    server.run(0.1)
    with Server(echo, port=server.port) as again:
        assert get(again.port)[0] == 200


def test_nothing_is_left_when_it_ends() -> None:
    threads, descriptors = threading.active_count(), len(os.listdir("/dev/fd"))  # noqa: PTH208
    with Server(echo, settings=quick()) as server, call(server.port):
        assert get(server.port)[0] == 200
    server.close()
    assert threading.active_count() == threads
    assert len(os.listdir("/dev/fd")) == descriptors  # noqa: PTH208


def test_ipv6_is_served_where_the_machine_has_it() -> None:
    try:
        server = Server(echo, host="::1")
    except UsageError:
        pytest.skip("the machine has no IPv6")
    assert server.url == f"http://[::1]:{server.port}"
    server.close()


def test_a_server_closed_before_it_runs_refuses_connections() -> None:
    server = Server(echo)
    server.close()
    with pytest.raises(ConnectionRefusedError):
        call(server.port)
