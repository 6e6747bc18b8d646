"""The server before clients that mean harm, and before clients that mean well."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.invitro.clients import Client, connected, exchange, request, wait_until
from webstrata.errors import UsageError
from webstrata.invitro import InvitroServer, Web

if TYPE_CHECKING:
    from collections.abc import Iterator

HAZARDS = ["huge", "endless", "stall", "die", "longer", "bomb", "unending", "malformed"]


@pytest.fixture(scope="module")
def server() -> Iterator[InvitroServer]:
    with Web("tiny", seed=7).serve() as server:
        yield server


@pytest.fixture(scope="module")
def hazards() -> Iterator[InvitroServer]:
    with Web("tiny", seed=7, hazard_share=1).serve() as server:
        yield server


def home(server: InvitroServer) -> str:
    return server.web.home_pages(server.month)[0]


def hazard(server: InvitroServer, name: str) -> str:
    return f"{home(server)}hazard/0/{HAZARDS.index(name)}"


def is_alive(server: InvitroServer) -> bool:
    with Client(server) as client:
        return client.get(home(server)).status == 200


# ---- clients that mean harm


@settings(max_examples=150)
@given(st.binary(max_size=200))
def test_random_bytes_are_refused_or_left_alone(server: InvitroServer, noise: bytes) -> None:
    answer = exchange(server, noise)
    assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 502"))


@settings(max_examples=150)
@given(
    st.sampled_from(["GET", "HEAD", "POST", "BREW", "CONNECT"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60),
    st.sampled_from(["", "http://{home}", "http://"]),
)
def test_any_target_gets_an_answer(server: InvitroServer, method: str, target: str, before: str) -> None:
    before = before.replace("http://{home}", home(server))
    name = home(server).removeprefix("http://").rstrip("/")
    answer = exchange(server, f"{method} {before}{target} HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 ")
    assert is_alive(server)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET http://{host}/ HTTP/1.1\r\n" + b"X: y\r\n" * 99 + b"\r\n", 200),
        (b"GET http://{host}/ HTTP/1.1\r\n" + b"X: y\r\n" * 101 + b"\r\n", 400),
        (b"GET http://{host}/ HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", 431),
        (b"GET http://{host}/" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", 431),
        (b"A" * 100_000, 431),
        (b"GET http://{host}/ HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        (b"GET http://{host}/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET http://{host}/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"GET http://{host}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: \x00\r\n\r\n", 400),
        (b"GET /\x00 HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        (b"GET http://{host}/ HTTP/9.9\r\n\r\n", 400),
        (b"GET http:// HTTP/1.1\r\n\r\n", 400),
        (b"GET http://user:secret@{host}/ HTTP/1.1\r\n\r\n", 502),
        (b"GET http://[::1]:80/ HTTP/1.1\r\n\r\n", 502),
        (b"GET http://nobody.test/ HTTP/1.1\r\n\r\n", 502),
        (b"GET http://" + b"a." * 2_000 + b"test/ HTTP/1.1\r\n\r\n", 502),
        (b"GET http://{host}/%%%zz%00%ff HTTP/1.1\r\n\r\n", 404),
        (b"GET http://{host}/view?cat=&id=&id=-1 HTTP/1.1\r\n\r\n", 404),
        (b"GET http://{host}/zzzzzzzzzzzz/zzzzzzzzzzzz/ HTTP/1.1\r\n\r\n", 404),
        (b"GET http://{host}/go/zzzzzzzzzzzz/1 HTTP/1.1\r\n\r\n", 404),
        (b"GET http://{host}/../../etc/passwd HTTP/1.1\r\n\r\n", 404),
        (b"POST http://{host}/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
        (b"HTTP://{host} HTTP/1.1\r\n\r\n", 400),
        (b"GET HTTP://{host}:80 HTTP/1.1\r\n\r\n", 200),
        (b"GET http://{host}/ HTTP/1.0\n\n", 200),
    ],
)
def test_a_hostile_request_gets_its_status(server: InvitroServer, sent: bytes, status: int) -> None:
    host = home(server).removeprefix("http://").rstrip("/").encode()
    answer = exchange(server, sent.replace(b"{host}", host))
    assert answer.startswith(f"HTTP/1.1 {status} ".encode()), answer[:80]


def test_a_body_that_never_comes_ends_with_the_client(server: InvitroServer) -> None:
    sent = request(home(server), method="POST", headers={"Content-Length": "1000"}) + b"not all"
    assert exchange(server, sent) == b""


def test_a_head_may_come_byte_by_byte(server: InvitroServer) -> None:
    with connected(server) as link:
        for byte in request(home(server), headers={"Connection": "close"}):
            link.send(bytes([byte]))
        assert link.recv(15) == b"HTTP/1.1 200 OK"


def test_pipelined_requests_are_answered_in_order(server: InvitroServer) -> None:
    urls = [*(link.url for link in server.web.links(home(server))[:5]), home(server) + "nothing"]
    sent = b"".join(request(url, method="HEAD") for url in urls)
    statuses = [
        line.split()[1] for line in exchange(server, sent).split(b"\r\n") if line.startswith(b"HTTP/")
    ]
    assert statuses == [str((server.web.facts(url) or {})["status"]).encode() for url in urls]


def test_a_client_that_has_said_all_is_still_answered(server: InvitroServer) -> None:
    answer = exchange(server, request(home(server)))
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"</html>\n")


def test_after_the_body_of_a_request_the_connection_goes_on(server: InvitroServer) -> None:
    post = request(home(server), method="POST", headers={"Content-Length": "5"}) + b"hello"
    answer = exchange(server, post + request(home(server), headers={"Connection": "close"}))
    assert answer.startswith(b"HTTP/1.1 405 ")
    assert b"HTTP/1.1 200 OK" in answer


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def test_clients_that_never_read_cost_a_bounded_memory(hazards: InvitroServer) -> None:
    assert is_alive(hazards)
    exchange(hazards, request(hazard(hazards, "bomb")))  # made once, and kept
    before = resident()
    with contextlib.ExitStack() as links:
        for number in range(400):
            link = links.enter_context(connected(hazards))
            link.sendall(request(hazard(hazards, ["huge", "endless", "bomb", "stall"][number % 4])))
        wait_until(lambda: hazards.counters()["open"] >= 400)
        wait_until(lambda: hazards.counters()["requests"] >= 400)
        assert is_alive(hazards)
        assert resident() - before < 64 << 20
    wait_until(lambda: hazards.counters()["open"] < 200)


def test_stopping_does_not_wait_for_clients(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    server = Web("tiny", seed=7, hazard_share=1).serve(log=log)
    with contextlib.ExitStack() as links:
        sent = [b"", b"GET / HT", request(home(server), method="POST", headers={"Content-Length": "9"})]
        sent += [request(hazard(server, name)) for name in ("huge", "endless", "stall")]
        for text in sent:
            links.enter_context(connected(server)).sendall(text)
        wait_until(lambda: server.counters()["requests"] == 3)
        started = time.monotonic()
        server.close()
        assert time.monotonic() - started < 30  # clients are granted a minute
    lines = [line.split("\t") for line in log.read_text().splitlines() if not line.startswith("#")]
    # what was in flight is in the log, and not complete; the body that never came too
    assert sorted(line[9] for line in lines) == ["/", "/hazard/0/0", "/hazard/0/1", "/hazard/0/2"]
    assert {line[7] for line in lines} == {"0"}


def test_a_closed_server_says_so(tmp_path: Path) -> None:
    server = Web("tiny", seed=7).serve()
    server.close()
    server.close()
    with pytest.raises(ConnectionRefusedError), connected(server):
        pass


CROWD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
from webstrata.invitro import Web
with Web("tiny", seed=7).serve() as server:
    print(server.port, server.web.home_pages()[0], flush=True)
    sys.stdin.readline()
    print(server.counters()["refused"])
"""


@pytest.mark.parametrize(("descriptors", "connections"), [(100, 400), (20_000, 8_500)])
def test_too_many_connections_do_not_end_the_server(descriptors: int, connections: int) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < max(descriptors, connections + 200):
        pytest.skip(f"this system allows {hard} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, connections + 200), hard))
    crowd = subprocess.Popen(
        [sys.executable, "-c", CROWD, str(descriptors)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert crowd.stdout is not None
        port, url = crowd.stdout.readline().split()
        with contextlib.ExitStack() as links:
            opened = [
                links.enter_context(socket.create_connection(("127.0.0.1", int(port)), timeout=60))
                for _ in range(connections)
            ]
            if connections > 8192:  # those that are too many are told
                assert opened[-1].recv(100).startswith(b"HTTP/1.1 503 ")
        # until the server has noticed that they are gone, it may refuse
        told: list[bytes] = []
        while told[-1:] != [b"HTTP/1.1 200 OK"]:
            assert len(told) < 1000, told[-1]
            with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as link:
                link.sendall(request(url))
                told.append(link.recv(15))
        output, _ = crowd.communicate("\n", timeout=120)
        assert int(output) == max(0, connections - 8192) + len(told) - 1
    finally:
        crowd.kill()
        crowd.wait()


# ---- a place to listen


@pytest.mark.parametrize("workers", [1, 2])
def test_a_port_in_use_is_refused_in_one_sentence(workers: int) -> None:
    web = Web("tiny", seed=7)
    with web.serve(workers=2) as server, pytest.raises(UsageError, match="choose another port with --port"):
        web.serve(port=server.port, workers=workers)


def test_workers_share_a_port() -> None:
    with Web("tiny", seed=7).serve(workers=3) as server:
        assert all(is_alive(server) for _ in range(20))
        assert server.counters()["requests"] == 20


def test_every_host_answers_at_its_own_address_and_at_no_other() -> None:
    web = Web("tiny", seed=7)
    hosts = web.hosts()
    with web.serve(origins=True) as server:
        for name, address in list(zip(hosts["name"], hosts["address"], strict=True))[:4]:
            sent = f"GET /robots.txt HTTP/1.1\r\nHost: {name}:{server.port}\r\n\r\n".encode()
            assert b" 421 " not in exchange(server, sent, address=address).split(b"\r\n")[0]
            other = next(there for there in hosts["address"] if there != address)
            assert exchange(server, sent, address=other).startswith(b"HTTP/1.1 421 ")
        # nobody answers for a host that does not exist
        assert exchange(server, b"GET / HTTP/1.1\r\nHost: nobody.test\r\n\r\n") == b""
