"""Whoever may ask gets an answer, whoever may not gets none, and nobody can disturb the others."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.control.core import Core, LiveCore
from webstrata.crawl.control import Control, Listener, connect_to, parse_place
from webstrata.crawl.control import listener as module
from webstrata.crawl.control.listener import reachable, read_token
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import FormatError, LockedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture
def control() -> Control:
    return Control(Core(), CrawlSettings(), about={"collection": "uk"})


@pytest.fixture
def listener(control: Control, tmp_path: Path) -> Iterator[Listener]:
    with Listener(("127.0.0.1", 0), token=TOKEN) as listener:
        listener.serve(control, tmp_path)
        yield listener


def call(path: Path) -> socket.socket:
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(60)
    with reachable(path / "control.sock") as name:
        peer.connect(name)
    return peer


def ask(peer: socket.socket, line: bytes) -> dict[str, Any]:
    peer.sendall(line + b"\n")
    return read_answer(peer)


def read_answer(peer: socket.socket) -> dict[str, Any]:
    data = b""
    while not data.endswith(b"\n"):
        more = peer.recv(1 << 16)
        assert more, "it hung up"
        data += more
    answer: dict[str, Any] = json.loads(data)
    return answer


def is_hung_up(peer: socket.socket) -> bool:
    try:
        return peer.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.usefixtures("listener")
def test_a_connection_may_ask_as_often_as_it_likes(tmp_path: Path) -> None:
    with call(tmp_path) as peer:
        for _ in range(3):
            assert ask(peer, b'{"do": "status"}')["status"]["state"] == "running"
        assert ask(peer, b'{"do": "pause"}') == {"ok": True, "state": "paused"}
        assert ask(peer, b'{"do": "status"}')["status"]["state"] == "paused"


@pytest.mark.usefixtures("listener")
def test_requests_that_come_at_once_or_in_pieces_are_answered_one_by_one(tmp_path: Path) -> None:
    with call(tmp_path) as peer:
        for piece in (b'{"do": "pa', b'use"}\n\n{"do": "resume"}\n{"do": ', b'"stop"}\n'):
            peer.sendall(piece)
            time.sleep(0.05)
        data = b""
        while data.count(b"\n") < 3:
            data += peer.recv(1 << 16)
        states = [json.loads(line)["state"] for line in data.splitlines()]
        assert states == ["paused", "running", "stopping"]


@pytest.mark.usefixtures("listener")
def test_the_socket_is_its_owners_alone(tmp_path: Path) -> None:
    mode = (tmp_path / "control.sock").stat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600


@pytest.mark.usefixtures("listener")
@pytest.mark.parametrize("line", [b"status", b"[]", b'"status"', b"{", b"\xff\xfe", b"[" * 50_000])
def test_what_is_no_request_is_answered_with_a_sentence_and_the_end(tmp_path: Path, line: bytes) -> None:
    with call(tmp_path) as peer:
        answer = ask(peer, line)
        assert answer["error"] == "a request is a JSON object on a line of its own"
        assert is_hung_up(peer)
    with call(tmp_path) as peer:
        assert ask(peer, b'{"do": "status"}')["ok"]


@pytest.mark.usefixtures("listener")
def test_a_line_without_an_end_is_cut_off(tmp_path: Path) -> None:
    with call(tmp_path) as peer:
        peer.sendall(b"x" * (module.MAX_LINE + 1))
        assert "at most" in read_answer(peer)["error"]


@pytest.mark.usefixtures("listener")
def test_one_who_never_reads_does_not_keep_others_waiting(tmp_path: Path) -> None:
    with call(tmp_path) as deaf, call(tmp_path) as peer:
        deaf.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                deaf.send(b'{"do": "status"}\n' * 100)
        # who had to wait for the deaf one would wait for ever, and `call` does not
        assert ask(peer, b'{"do": "status"}')["ok"]


def test_idle_connections_do_not_lock_others_out(listener: Listener, tmp_path: Path) -> None:
    assert listener.place is not None
    with contextlib.ExitStack() as stack:
        owned = [stack.enter_context(call(tmp_path)) for _ in range(2)]
        for peer in owned:
            assert ask(peer, b'{"do": "status"}')["ok"]
        # half-sent lines, half-sent heads, and nothing at all, from whoever can reach the port
        for number in range(5 * module.MAX_CLIENTS):
            peer = stack.enter_context(socket.create_connection(listener.place, timeout=60))
            with contextlib.suppress(ConnectionError):
                peer.sendall((b"", b'{"do": ', b"GET /metrics HTTP/1.1\r\n")[number % 3])
        with connect_to(listener.place, TOKEN) as client:
            assert client.status()["collection"] == "uk"
        assert get(listener, "/metrics", Authorization=f"Bearer {TOKEN}")[0] == 200
        # the client with most idle connections had to leave, not the owner of the crawl
        for peer in owned:
            assert ask(peer, b'{"do": "status"}')["ok"]


@pytest.mark.usefixtures("listener")
def test_where_all_are_idle_the_oldest_leaves(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        peers = [stack.enter_context(call(tmp_path)) for _ in range(module.MAX_CLIENTS + 1)]
        for peer in peers[1:]:
            assert ask(peer, b'{"do": "status"}')["ok"]
        assert is_hung_up(peers[0])


def test_a_client_whose_idle_connection_was_closed_connects_again(
    listener: Listener, control: Control
) -> None:
    assert listener.place is not None
    with connect_to(listener.place, TOKEN) as client, contextlib.ExitStack() as stack:
        assert client.pause() == "paused"
        for _ in range(module.MAX_CLIENTS):
            stack.enter_context(socket.create_connection(listener.place, timeout=60)).sendall(b" ")
        assert client.resume() == "running"
    assert control.state == "running"


def test_a_request_that_waits_for_the_disk_lets_others_be_answered(tmp_path: Path) -> None:
    begun, may_end = threading.Event(), threading.Event()

    class SlowDisk(LiveCore):
        def flush(self, seconds: float) -> int | None:
            begun.set()
            may_end.wait(60)
            return super().flush(seconds)

    with Listener() as listener:
        listener.serve(Control(SlowDisk(), CrawlSettings()), tmp_path)
        with call(tmp_path) as first, call(tmp_path) as second:
            first.sendall(b'{"do": "flush"}\n')
            assert begun.wait(60)
            assert ask(second, b'{"do": "status"}')["ok"]
            may_end.set()
            assert read_answer(first)["captures"] == 0


def test_who_is_silent_for_long_is_dropped(
    control: Control, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE", 0.1)
    with Listener() as listener:
        listener.serve(control, tmp_path)
        with call(tmp_path) as silent:
            time.sleep(0.3)
            with call(tmp_path) as peer:
                assert ask(peer, b'{"do": "status"}')["ok"]
            assert is_hung_up(silent)


def test_the_socket_of_a_dead_process_is_replaced(control: Control, tmp_path: Path) -> None:
    program = "import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os._exit(9)"
    with reachable(tmp_path / "control.sock") as name:
        subprocess.run([sys.executable, "-c", program, name], check=False, pass_fds=_passed(name))
    assert (tmp_path / "control.sock").is_socket()
    with Listener() as listener:
        listener.serve(control, tmp_path)
        with call(tmp_path) as peer:
            assert ask(peer, b'{"do": "status"}')["ok"]


def _passed(name: str) -> list[int]:
    return [int(name.split("/")[4])] if name.startswith("/proc/") else []


def test_the_socket_of_a_living_process_is_left_alone(
    listener: Listener, control: Control, tmp_path: Path
) -> None:
    with Listener() as other, pytest.raises(LockedError, match="another crawl listens here"):
        other.serve(control, tmp_path)
    assert (tmp_path / "control.sock").is_socket()
    assert listener.place is not None


def test_a_folder_with_a_name_too_long_for_a_socket_has_one_all_the_same(
    control: Control, tmp_path: Path
) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    with Listener() as listener:
        listener.serve(control, folder)
        with call(folder) as peer:
            assert ask(peer, b'{"do": "status"}')["ok"]
    assert not os.listdir(folder)  # noqa: PTH208 (also what `iterdir` would skip)


def test_nothing_is_left_when_it_ends(control: Control, tmp_path: Path) -> None:
    threads = threading.active_count()
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with Listener(("127.0.0.1", 0)) as listener:
        listener.serve(control, tmp_path)
        with call(tmp_path) as peer:
            assert ask(peer, b'{"do": "status"}')["ok"]
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == descriptors  # noqa: PTH208
    assert not (tmp_path / "control.sock").exists()


# ---- at a port


def test_a_port_answers_those_who_know_the_token(listener: Listener) -> None:
    assert listener.place is not None
    with connect_to(listener.place, TOKEN) as client:
        assert client.status()["collection"] == "uk"
        assert client.pause() == "paused"


@pytest.mark.parametrize("token", ["", "a-token", TOKEN + "x", TOKEN[:-1], "ü"])
def test_a_port_answers_nobody_else(listener: Listener, control: Control, token: str) -> None:
    assert listener.place is not None
    with (
        connect_to(listener.place, token) as client,
        pytest.raises(UsageError, match="token is missing or wrong"),
    ):
        client.stop()
    assert control.state == "running"


def get(listener: Listener, path: str, method: str = "GET", **headers: str) -> tuple[int, str, str]:
    assert listener.place is not None
    browser = http.client.HTTPConnection(*listener.place, timeout=60)
    browser.request(method, path, headers=headers)
    answer = browser.getresponse()
    text = answer.read().decode()
    browser.close()
    return answer.status, answer.headers["Content-Type"], text


def test_prometheus_reads_metrics_at_the_port_with_the_token(listener: Listener) -> None:
    status, content_type, text = get(listener, "/metrics", Authorization=f"Bearer {TOKEN}")
    assert (status, content_type) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert "\nwebstrata_crawl_pages_total 0.0\n" in text
    assert get(listener, "/metrics", "HEAD", Authorization=f"Bearer {TOKEN}") == (200, content_type, "")


def test_a_browser_without_the_token_learns_nothing(listener: Listener) -> None:
    for headers in ({}, {"Authorization": "Bearer no"}, {"Authorization": f"Basic {TOKEN}"}):
        status, _, text = get(listener, "/metrics", **headers)
        assert status == 401
        assert json.loads(text)["error"]["message"] == "the token is missing or wrong"
    assert get(listener, "/", Authorization=f"Bearer {TOKEN}")[0] == 404
    assert get(listener, "/metrics", "POST", Authorization=f"Bearer {TOKEN}")[0] == 405


def test_a_page_in_a_browser_cannot_steer_the_crawl(listener: Listener, control: Control) -> None:
    # a form of any site can post lines to a local port; the first of them is no request
    assert listener.place is not None
    with socket.create_connection(listener.place, timeout=60) as peer:
        body = json.dumps({"do": "stop", "token": "?"}).encode() + b"\n"
        peer.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert peer.recv(1 << 16).startswith(b"HTTP/1.1 401 ")
    assert control.state == "running"


def test_a_name_that_resolves_to_this_machine_is_not_served(listener: Listener) -> None:
    status, _, text = get(listener, "/metrics", Host="attacker.example", Authorization=f"Bearer {TOKEN}")
    assert (status, "attacker.example" in text) == (421, True)


def test_a_port_that_is_taken_is_said_in_a_sentence(listener: Listener) -> None:
    assert listener.place is not None
    with pytest.raises(UsageError, match="address already in use\\); choose another port"):
        Listener(listener.place)


@pytest.mark.parametrize(
    "text", ["", "8123", "127.0.0.1", "127.0.0.1:", "127.0.0.1:66000", "localhost:http", "a:1"]
)
def test_a_place_has_an_address_and_a_port(text: str) -> None:
    with pytest.raises(UsageError, match="an address and a port were expected"):
        parse_place(text)


@pytest.mark.parametrize("text", ["0.0.0.0:1", "192.0.2.1:1", "[::]:1", "[2001:db8::1]:80"])
def test_a_place_that_others_can_reach_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="others could steer the crawl"):
        parse_place(text)


@pytest.mark.parametrize("text", ["", "\n0123456789abcdef", "short\n", "ü" * 20])
def test_a_file_without_a_token_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text)
    (tmp_path / "token").chmod(0o600)
    with pytest.raises(FormatError, match="no token"):
        read_token(tmp_path / "token")


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("0123456789abcdef")
    (tmp_path / "token").chmod(0o640)
    with pytest.raises(UsageError, match="others on this machine can read the token; `chmod 600 "):
        read_token(tmp_path / "token")
