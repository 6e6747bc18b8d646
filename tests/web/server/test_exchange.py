"""HTTP with exact bytes: what is valid is answered, everything else is refused with one sentence."""

from __future__ import annotations

import json
import logging
import re
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.web.server.talking import ask, call, echo, get, quick, read_all, split, status_of
from webstrata.web.server import Server, rates
from webstrata.web.server.exchange import HEADERS

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST = b"Host: localhost\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(
        echo, settings=quick(max_body=1000, max_head=4096, allowed_hosts=("archive.example",))
    ) as server:
        yield server


def test_path_query_and_body_come_to_the_application(server: Server) -> None:
    status, body = get(server.port, "/a%20b?x=1&y=%3F", method="POST", body=b"hello")
    assert (status, json.loads(body)) == (
        200,
        {"method": "POST", "path": "/a b", "query": "x=1&y=%3F", "body": "hello"},
    )


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    requests = b"".join(b"GET /%d HTTP/1.1\r\n%s\r\n" % (number, HOST) for number in range(50))
    data = ask(server.port, requests + b"GET /end HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
    paths = [json.loads(b"{" + part.split(b"}")[0] + b"}")["path"] for part in data.split(b"{")[1:]]
    assert paths == [*(f"/{number}" for number in range(50)), "/end"]
    assert data.count(b"HTTP/1.1 200 OK\r\n") == 51


def test_a_head_is_answered_like_a_get_without_a_body(server: Server) -> None:
    data = ask(server.port, b"HEAD /x HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
    head, _, body = data.partition(b"\r\n\r\n")
    assert (status_of(head), body) == (200, b"")
    assert b"content-length: 56" in head.lower()


def test_a_body_in_chunks_is_put_together(server: Server) -> None:
    chunks = b"5\r\nhello\r\n6;name=value\r\n world\r\n0\r\n\r\n"
    head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n" + HOST + b"\r\n"
    assert json.loads(split(head + chunks, server.port)[1])["body"] == "hello world"


def test_a_client_that_asks_first_is_told_to_continue(server: Server) -> None:
    with call(server.port) as peer:
        peer.sendall(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n" + HOST + b"\r\n")
        assert peer.recv(1 << 16).startswith(b"HTTP/1.1 100 ")
        peer.sendall(b"ok")
        assert b'"body": "ok"' in peer.recv(1 << 16)


def test_a_stream_without_a_length_is_sent_in_chunks(server: Server) -> None:
    data = ask(server.port, b"GET /stream HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
    assert data.endswith(b"\r\n\r\n2\r\n0\n\r\n2\r\n1\n\r\n2\r\n2\n\r\n0\r\n\r\n")


def test_every_response_has_the_security_headers(server: Server) -> None:
    for path in (b"/", b"/bug"):
        head = ask(
            server.port, b"GET " + path + b" HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n"
        ).lower()
        for name, value in HEADERS.items():
            assert b"\r\n" + name + b": " + value.lower() + b"\r\n" in head
        assert b"\r\ndate: " in head


@pytest.mark.parametrize(
    ("request_bytes", "status", "said"),
    [
        # where the request ends must not be open to interpretation
        (
            b"POST / HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n"
            + HOST
            + b"\r\n0\r\n\r\n",
            400,
            "Transfer-Encoding together with Content-Length",
        ),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\ncontent-length: 4\r\n"
            + HOST
            + b"\r\n0\r\n\r\n",
            400,
            "Transfer-Encoding together with Content-Length",
        ),
        (
            b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" + HOST + b"\r\n0\r\n\r\n",
            400,
            "Transfer-Encoding together with HTTP/1.0",
        ),
        (
            b"POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n" + HOST + b"\r\nabcd",
            400,
            "Content-Length",
        ),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n" + HOST + b"\r\n", 400, "Content-Length"),
        (b"POST / HTTP/1.1\r\nContent-Length: +4\r\n" + HOST + b"\r\nabcd", 400, "Content-Length"),
        (
            b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 30 + b"\r\n" + HOST + b"\r\n",
            400,
            "Content-Length",
        ),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n" + HOST + b"\r\n",
            501,
            "Transfer-Encoding",
        ),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n" + HOST + b"\r\n", 400, "not valid HTTP"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + HOST + b"\r\nx\r\n", 400, "not valid HTTP"),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + HOST + b"\r\n2\r\nabcd\r\n",
            400,
            "not valid HTTP",
        ),
        # who is meant must be this server
        (
            b"GET / HTTP/1.1\r\nHost: attacker.example\r\n\r\n",
            421,
            "attacker.example, which is not served here",
        ),
        (b"GET / HTTP/1.1\r\nHost: attacker.example:80\r\n\r\n", 421, "attacker.example"),
        (b"GET http://attacker.example/ HTTP/1.1\r\n" + HOST + b"\r\n", 421, "attacker.example"),
        (b"GET / HTTP/1.1\r\nHost: localhost@attacker.example\r\n\r\n", 400, "not a host name"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: attacker.example\r\n\r\n", 400, "Host"),
        (b"GET / HTTP/1.1\r\nHost:\r\n\r\n", 400, "not a host name"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "Host"),
        (b"GET / HTTP/1.0\r\n\r\n", 400, "the request has no Host"),
        # methods, targets and versions
        (b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", 501, "method BREW is not implemented"),
        (b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n", 405, "TRACE"),
        (b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n", 400, "a path was expected"),
        (b"GET nowhere HTTP/1.1\r\n" + HOST + b"\r\n", 400, "a path was expected"),
        (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 400, "a path was expected"),
        (b"GET /\xff HTTP/1.1\r\n" + HOST + b"\r\n", 400, "not valid HTTP"),
        (b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", 505, "HTTP/2.0 is not supported"),
        (b"GET /\r\n\r\n", 400, "not valid HTTP"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "not valid HTTP"),
        (b"GET / HTTP/1.1\r\nName\x00: x\r\n" + HOST + b"\r\n", 400, "not valid HTTP"),
        # sizes
        (b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 431, "4,096 are allowed"),
        (b"GET / HTTP/1.1\r\nName: " + b"x" * 50_000, 431, "not valid HTTP"),
        (b"POST / HTTP/1.1\r\nContent-Length: 1001\r\n" + HOST + b"\r\n", 413, "longer than 1,000 bytes"),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
            + HOST
            + b"\r\n"
            + b"100\r\n"
            + b"x" * 256
            + b"\r\n"
            b"3e8\r\n" + b"x" * 1000 + b"\r\n",
            413,
            "longer than 1,000 bytes",
        ),
        (
            # a small body in chunks with long extensions
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
            + HOST
            + b"\r\n"
            + (b"1;" + b"x" * 3000 + b"\r\na\r\n") * 20,
            413,
            "longer than 1,000 bytes",
        ),
    ],
)
def test_a_bad_request_gets_one_sentence_and_the_connection_is_closed(
    server: Server, request_bytes: bytes, status: int, said: str
) -> None:
    # a second request on the same connection would be the smuggled one
    data = ask(server.port, request_bytes + b"GET /smuggled HTTP/1.1\r\n" + HOST + b"\r\n")
    head, _, body = data.partition(b"\r\n\r\n")
    assert status_of(head) == status
    assert b"connection: close" in head.lower()
    document = json.loads(body)
    assert document["error"]["status"] == status
    assert said in document["error"]["message"]
    assert b"smuggled" not in data
    assert data.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:1",
        "a.localhost",
        "127.0.0.1",
        "192.0.2.1:8080",
        "[::1]:80",
        "archive.example.",
    ],
)
def test_names_and_addresses_of_the_server_are_served(server: Server, host: str) -> None:
    assert get(server.port, "/", f"Host: {host}")[0] == 200


def test_a_request_in_absolute_form_is_served(server: Server) -> None:
    status, body = get(server.port, "http://archive.example/a?b", "Host: localhost")
    assert (status, json.loads(body)["path"], json.loads(body)["query"]) == (200, "/a", "b")


# ---- time


def test_a_head_that_never_ends_is_given_up(server: Server) -> None:
    with call(server.port) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\n")
        data = b""
        # one byte every now and then does not help
        while not data:
            try:
                peer.sendall(b"x")
            except ConnectionError:
                break
            peer.settimeout(0.05)
            try:
                data = peer.recv(1 << 16)
            except TimeoutError:
                continue
        assert (status_of(data), b"did not arrive within 0.3 s" in data) == (408, True)


def test_a_body_that_never_ends_is_given_up(server: Server) -> None:
    data = ask(server.port, b"POST / HTTP/1.1\r\nContent-Length: 100\r\n" + HOST + b"\r\nhalf of it")
    assert (status_of(data), b"the body of the request did not arrive within" in data) == (408, True)


def test_an_idle_connection_is_closed_without_a_word(server: Server) -> None:
    with call(server.port) as silent:
        assert read_all(silent) == b""
    with call(server.port) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
        assert read_all(peer).count(b"HTTP/1.1 ") == 1


def test_a_query_that_takes_too_long_is_a_503(server: Server) -> None:
    status, body = get(server.port, "/slow")
    assert (status, json.loads(body)["error"]["message"]) == (503, "the query took longer than 0.5 s")


def test_a_client_that_does_not_read_is_given_up() -> None:
    with Server(echo, settings=quick(send_time=0.2)) as server, call(server.port) as peer:
        peer.sendall(b"GET /large HTTP/1.1\r\n" + HOST + b"\r\n")
        time.sleep(1)
        assert len(read_all(peer)) < 8 << 20


def test_a_client_that_reads_slowly_gets_everything() -> None:
    with Server(echo, settings=quick(query_time=0.2)) as server, call(server.port) as peer:
        peer.sendall(b"GET /large HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
        time.sleep(0.5)
        assert len(read_all(peer).partition(b"\r\n\r\n")[2]) == 8 << 20


def test_a_client_that_has_ended_its_side_is_answered(server: Server) -> None:
    with call(server.port) as peer:
        peer.sendall(b"GET /half HTTP/1.1\r\n" + HOST + b"\r\n")
        peer.shutdown(socket.SHUT_WR)
        assert b'"path": "/half"' in read_all(peer)


# ---- rates


def test_a_client_that_sends_too_many_requests_is_told_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "is_loopback", lambda _address: False)
    with Server(echo, settings=quick(request_rate=0.01, request_burst=3)) as server:
        requests = b"".join(b"GET /%d HTTP/1.1\r\n%s\r\n" % (number, HOST) for number in range(5))
        data = ask(server.port, requests)
        assert data.count(b"HTTP/1.1 200 ") == 3
        assert data.count(b"HTTP/1.1 429 ") == data.count(b"HTTP/1.1 ") - 3 == 1
        assert b"\r\nretry-after: 100\r\n" in data
        assert b"more than 0.01 requests per second" in data


# ---- failures of applications


def test_a_bug_is_a_500_without_its_traceback_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with Server(echo, settings=quick()) as server:
        for _ in range(20):
            status, body = get(server.port, "/bug")
            assert (status, b"secret" in body) == (500, False)
        assert get(server.port, "/nothing")[0] == 500
    told = [record for record in caplog.records if "/bug failed" in record.getMessage()]
    assert len(told) == 1
    assert told[0].exc_info is not None


def test_a_response_that_breaks_off_is_not_completed(server: Server) -> None:
    data = ask(server.port, b"GET /torn HTTP/1.1\r\n" + HOST + b"\r\n")
    assert data.endswith(b"half")


def test_requests_are_written_to_the_access_log(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "webstrata.web.server.access"):
        ask(
            server.port, b'GET /a?b=%0A HTTP/1.0\r\nUser-Agent: x "y"\xe9\r\nReferer: /z\r\n' + HOST + b"\r\n"
        )
        get(server.port, "/", "Host: attacker.example")
        ask(server.port, b"not HTTP\r\n\r\n")
    combined = re.compile(
        r"127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] "
        r'"((?:[^"\\]|\\.)*)" (\d{3}) (\d+|-) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"'
    )
    found = [combined.fullmatch(record.getMessage()) for record in caplog.records]
    assert [match and match.group(1, 2) for match in found] == [
        ("GET /a?b=%0A HTTP/1.0", "200"),
        ("GET / HTTP/1.1", "421"),
        ("-", "400"),
    ]
    assert found[0] is not None
    assert found[0].group(4, 5) == ("/z", r"x \"y\"\xe9")


@pytest.mark.peer
def test_curl_gets_its_answers(server: Server) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")

    def fetch(*arguments: str) -> bytes:
        return subprocess.run([curl, "-sS", *arguments], check=True, capture_output=True).stdout

    url = f"http://localhost:{server.port}"
    found = fetch(f"{url}/a", f"{url}/b", "--data-binary", "x" * 500)
    assert found.count(b'"method": "POST"') == 2
    assert fetch("-I", url).startswith(b"HTTP/1.1 200 OK")
    assert fetch("-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: attacker.example", url) == b"421"
    assert fetch("-H", "Transfer-Encoding: chunked", "-d", "in chunks", url).endswith(b'"in chunks"}')
