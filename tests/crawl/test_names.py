"""Names are looked up with a real name server, on loopback."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.origin import Crawled, Origin, page, prepare, read, reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NXDOMAIN, SERVFAIL = 3, 2


class NameServer:
    """Answers questions for addresses over UDP from a table of names; a name may be held back, or fail."""

    def __init__(self, **names: str) -> None:
        self.names = {name.replace("_", ".") + ".": address for name, address in names.items()}
        self.held: dict[str, Callable[[], bool]] = {}
        self.silent_first: set[str] = set()
        self.broken: set[str] = set()
        self.asked: Counter[tuple[str, int]] = Counter()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.setting = (f"127.0.0.1:{self.socket.getsockname()[1]}",)

    def __enter__(self) -> NameServer:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                question, sender = self.socket.recvfrom(4096)
                threading.Thread(target=self._answer, args=(question, sender), daemon=True).start()

    def _answer(self, question: bytes, sender: tuple[str, int]) -> None:
        labels, place = [], 12
        while question[place]:
            labels.append(question[place + 1 : place + 1 + question[place]].decode())
            place += 1 + question[place]
        (kind,) = struct.unpack(">H", question[place + 1 : place + 3])
        name = ".".join(labels) + "."
        self.asked[name, kind] += 1
        deadline = time.monotonic() + 4  # behind that, the question would count as lost
        while name in self.held and not self.held[name]() and time.monotonic() < deadline:
            time.sleep(0.01)
        if name in self.silent_first and self.asked[name, kind] == 1:
            return
        address = self.names.get(name)
        code = SERVFAIL if name in self.broken else 0 if address else NXDOMAIN
        record = b""
        if address and kind == 1 and not code:
            record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 300, 4) + socket.inet_aton(address)
        # what is not there is kept for as long as the zone says
        authority = (
            b"\x04test\x00"
            + struct.pack(">HHIH", 6, 1, 300, 22)
            + b"\x00\x00"
            + struct.pack(">5I", *[300] * 5)
        )
        if record or code == SERVFAIL:
            authority = b""
        counts = struct.pack(">HHHHH", 0x8180 | code, 1, len(record) and 1, len(authority) and 1, 0)
        with contextlib.suppress(OSError):
            self.socket.sendto(question[:2] + counts + question[12 : place + 5] + record + authority, sender)


def crawl(folder: Path, server: NameServer, *seeds: str, **settings: Any) -> Crawled:  # noqa: ANN401
    job = prepare(folder, seeds, {}, resolve=True, user_agent="t", name_servers=server.setting, **settings)
    return read(job.snapshot, job.run())


def test_names_lead_to_addresses_and_urls_to_ports(tmp_path: Path) -> None:
    with (
        Origin(("127.0.0.1", "127.0.0.2")) as origin,
        NameServer(a_test="127.0.0.1", b_test="127.0.0.2") as server,
    ):
        first, second = (
            f"http://{name}:{origin.at(ip)[1]}/"
            for name, ip in (("a.test", "127.0.0.1"), ("b.test", "127.0.0.2"))
        )
        origin.say("/", reply(page("home", second)), reply(page("another home")))
        found = crawl(tmp_path, server, first)
    assert found.stored == {first, second}
    assert found.capture(second)["WARC-IP-Address"] == "127.0.0.2"
    assert origin.requests[0].host == first.split("/")[2]


def test_a_name_that_is_not_there_is_tried_again_and_dropped(tmp_path: Path) -> None:
    with Origin() as origin, NameServer(a_test="127.0.0.1") as server:
        url = f"http://a.test:{origin.at()[1]}/"
        origin.say("/", reply(page("home")))
        found = crawl(tmp_path, server, url, "http://nowhere.test/1", "http://nowhere.test/2", retries=2)
    assert found.stored == {url}
    assert (found["failed_dns"], found["hosts_closed"], found["dropped"]) == (3, 1, 2)
    # what was never found was never contacted
    assert (found["hosts"], found["hosts_unresolved"], found["hosts_known"]) == (1, 1, 2)
    assert found.result is not None
    assert (found.result.hosts, found.result.unresolved_hosts) == (1, 1)
    # the answer that there is no such name is kept, too
    assert server.asked["nowhere.test.", 1] == 1


def test_a_name_that_leads_to_a_private_address_is_refused_at_once(tmp_path: Path) -> None:
    with NameServer(inside_test="10.0.0.1") as server:
        # who would retry it would wait for an hour
        patience: dict[str, Any] = {"retries": 3, "retry_delay": 3600}
        found = crawl(tmp_path, server, "http://inside.test/", private_addresses=False, **patience)
    assert (found["failed_forbidden"], found["failed_dns"], found["failed_connect"]) == (1, 0, 0)
    assert (found["hosts"], found["hosts_unresolved"], found["hosts_closed"]) == (0, 0, 1)
    assert found.result is not None
    assert "hosts with an address that may not be contacted (see private_addresses)" in found.result.attacks()


def test_a_server_that_fails_is_asked_again(tmp_path: Path) -> None:
    with NameServer(a_test="127.0.0.1") as server:
        server.broken.add("a.test.")
        found = crawl(tmp_path, server, "http://a.test/", retries=2)
    assert found["failed_dns"] == 3
    assert server.asked["a.test.", 1] >= 3


def test_slow_names_keep_nobody_waiting(tmp_path: Path) -> None:
    with Origin() as origin, NameServer(a_test="127.0.0.1", b_test="127.0.0.1") as server:
        port = origin.at()[1]
        origin.say("a.test/", reply(page("slow")))
        server.held["a.test."] = lambda: "/" in origin.paths(f"b.test:{port}")
        crawl(tmp_path, server, f"http://a.test:{port}/", f"http://b.test:{port}/")
    assert [request.host.split(":")[0] for request in origin.requests if request.path == "/"] == [
        "b.test",
        "a.test",
    ]


def test_an_address_is_asked_for_once_for_all_hosts_of_the_name(tmp_path: Path) -> None:
    with Origin(("127.0.0.1", "127.0.0.2")) as origin, NameServer(a_test="127.0.0.1") as server:
        port = origin.at()[1]
        origin.say("/", reply(page("home", f"https://a.test:{port}/", f"http://a.test:{port}/next")))
        found = crawl(tmp_path, server, f"http://a.test:{port}/", retries=0)
    assert found["hosts"] == 2
    assert server.asked["a.test.", 1] == 1


@pytest.mark.slow
def test_a_question_that_gets_lost_is_asked_again(tmp_path: Path) -> None:
    with NameServer(a_test="127.0.0.1") as server, Origin() as origin:
        url = f"http://a.test:{origin.at()[1]}/"
        server.silent_first.add("a.test.")
        origin.say("/", reply(page("home")))
        found = crawl(tmp_path, server, url)
    assert found.stored == {url}
    assert found["failed_dns"] == 0
    assert server.asked["a.test.", 1] == 2


def test_addresses_in_urls_need_no_name_server(tmp_path: Path) -> None:
    with Origin() as origin, NameServer() as server:
        url = f"http://127.0.0.1:{origin.at()[1]}/"
        origin.say("/", reply(page("home")))
        found = crawl(tmp_path, server, url)
    assert found.stored == {url}
    assert not server.asked
