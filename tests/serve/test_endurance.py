"""Servers that are asked while parts are built again, by thousands of connections, and by broken clients."""

from __future__ import annotations

import resource
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.serve.page.served import ask
from tests.serve.replay.conftest import HTML, respond, store
from webstrata.archive.warc import WarcWriter
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings
from webstrata.store.ingest.run import ingest
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import webstrata as ws

CONNECTIONS = 2000
ROUNDS = 4


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 3 * CONNECTIONS:
        pytest.skip(f"the system allows {hard} descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 3 * CONNECTIONS), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def small(tmp_path: Path) -> ws.Collection:
    captures = [respond(f"http://a.uk/{number}", b"<p>page %d" % number, HTML) for number in range(20)]
    collection = store(tmp_path, {"2026-06": captures})
    collection.build("text_index")
    return collection


def connect(port: int, data: bytes) -> socket.socket:
    peer = socket.create_connection(("127.0.0.1", port), timeout=30)
    peer.sendall(data)
    return peer


def read_status(peer: socket.socket) -> bytes:
    """The status of a response."""
    peer.settimeout(60)
    return peer.recv(64).split(b" ")[1]


@pytest.mark.usefixtures("many_descriptors")
def test_two_thousand_connections_are_all_answered(small: ws.Collection) -> None:
    limits = ServerSettings(
        max_connections=2 * CONNECTIONS, max_connections_per_client=2 * CONNECTIONS, head_time=120.0
    )
    with PageServer([small], ServeSettings(port=0), limits) as server:
        for port in (server.port, server.replay_port):
            peers = [connect(port, b"GET /healthz HTTP/1.1\r\nHost: local") for _ in range(CONNECTIONS)]
            assert ask(f"http://127.0.0.1:{port}/healthz").status == 200  # nobody is locked out meanwhile
            for peer in peers:
                peer.sendall(b"host\r\n\r\n")
            statuses = {read_status(peer) for peer in peers}
            for peer in peers:
                peer.close()
            assert statuses == {b"200"}


@pytest.mark.usefixtures("many_descriptors")
def test_with_default_limits_two_thousand_connections_lock_nobody_out(small: ws.Collection) -> None:
    with PageServer([small], ServeSettings(port=0)) as server:
        peers = [connect(server.port, b"GET / HTTP/1.1\r\n") for _ in range(CONNECTIONS)]
        began = time.monotonic()
        assert ask(f"{server.url}/search.json?q=page").status == 200
        assert time.monotonic() - began < 30
        for peer in peers:
            peer.close()


@pytest.mark.parametrize(
    ("data", "statuses"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", {b"408"}),
        (b"POST /hosts/a/label HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\nlabel=", {b"408"}),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {b"431", b"400"}),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n", {b"413"}),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", {b"400", b"408"}),
    ],
)
def test_slow_and_broken_clients_get_a_status(
    small: ws.Collection, data: bytes, statuses: set[bytes]
) -> None:
    limits = ServerSettings(head_time=0.5, body_time=0.5)
    with PageServer([small], ServeSettings(port=0), limits) as server:
        for port in (server.port, server.replay_port):
            with connect(port, data) as peer:
                assert read_status(peer) in statuses
            # a client that leaves in the middle of a response does no harm
            with connect(port, b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n") as peer:
                peer.recv(10)
            assert ask(f"http://127.0.0.1:{port}/healthz").status == 200


def test_readers_see_the_old_parts_or_the_new_ones_while_they_are_built(
    small: ws.Collection, tmp_path: Path
) -> None:
    """Every response has status 200, and numbers of captures only grow."""
    seen: dict[str, list[int]] = {"cdx": [], "search": [], "memento": [], "parts": [], "home": []}
    wrong: list[str] = []
    is_over = threading.Event()
    with PageServer([small], ServeSettings(port=0)) as server:
        name = small.path.name
        questions = {
            "cdx": f"{server.replay_url}/{name}/cdx?url=a.uk&matchType=domain&output=text&fl=timestamp",
            "memento": f"{server.replay_url}/{name}/2026id_/http://a.uk/7",
            "search": f"{server.url}/search.json?q=page",
            "parts": f"{server.url}/parts",
            "home": f"{server.url}/",
        }

        def read(what: str) -> None:
            while not is_over.is_set():
                answer = ask(questions[what], accept="application/json")
                if answer.status != 200:
                    wrong.append(f"{what}: {answer.status} {answer.text}")
                    continue
                if what == "search" and answer.json["missing"]:
                    continue  # the pages are newer than the index, and the page says which command builds it
                found = answer.json["total"] if what == "search" else answer.body.count(b"\n")
                seen[what].append(found)

        readers = [threading.Thread(target=read, args=(what,)) for what in questions]
        for reader in readers:
            reader.start()
        try:
            for number in range(ROUNDS):
                with WarcWriter(tmp_path, f"more{number}") as writer:
                    for page in range(5):
                        url = f"http://a.uk/more{number}/{page}"
                        writer.write(respond(url, b"<p>page", HTML, at=100 + number))
                ingest(small["2026-06"], [tmp_path / f"more{number}-00000.warc.gz"], mode="add")
                small.build("text_index")
                time.sleep(1.2)  # the server looks for new parts once per second
        finally:
            is_over.set()
            for reader in readers:
                reader.join()
    assert wrong == []
    assert all(len(found) > ROUNDS for found in seen.values())
    assert seen["cdx"] == sorted(seen["cdx"])
    assert (seen["cdx"][0], seen["cdx"][-1]) == (20, 20 + 5 * ROUNDS)
    assert seen["search"][-1] == 20 + 5 * ROUNDS
