"""What a client that means well gets: whole answers, in every coding and charset, and hazards as promised."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
import zlib
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest

from tests.conftest import command_path
from tests.invitro.clients import Client, connected, exchange, request
from tests.invitro.reference import is_allowed
from webstrata.invitro import InvitroServer, Web

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HAZARDS = ["huge", "endless", "stall", "die", "longer", "bomb", "unending", "malformed"]


@pytest.fixture(scope="module")
def server() -> Iterator[InvitroServer]:
    """A web in which every host compresses, and half of them have static pages and old charsets."""
    web = Web("small", seed=3, compressed_share=1, legacy_charset_share=0.5, foreign_share=0.6, flaky_share=0)
    with web.serve() as server:
        yield server


@pytest.fixture
def client(server: InvitroServer) -> Iterator[Client]:
    with Client(server) as client:
        yield client


def pages(server: InvitroServer, number: int = 60) -> list[str]:
    """Addresses from all over the web."""
    urls = server.web.graph(server.month).urls
    return [urls[place] for place in range(0, len(urls), max(1, len(urls) // number))]


# ---- whole answers


def test_a_head_is_that_of_the_page_without_the_page(server: InvitroServer, client: Client) -> None:
    for url in pages(server, 20):
        page, head = client.get(url), client.get(url, method="HEAD")
        assert head.body == b""
        assert (head.status, head.headers) == (page.status, page.headers)
        assert int(page.headers["content-length"]) == len(page.body)


def test_a_page_that_the_client_has_is_not_sent_again(server: InvitroServer, client: Client) -> None:
    seen = Counter[bool]()
    for url in pages(server):
        page = client.get(url)
        is_static = "etag" in page.headers
        seen[is_static] += 1
        if not is_static:
            continue
        tag, date = page.headers["etag"], page.headers["last-modified"]
        for headers in (
            {"if_none_match": tag},
            {"if_none_match": f'"other", W/{tag}'},
            {"if_modified_since": date},
            {"if_modified_since": "Fri, 01 Jan 2100 00:00:00 GMT"},
        ):
            again = client.get(url, **headers)
            assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        for headers in (
            {"if_none_match": '"other"'},
            {"if_none_match": '"other"', "if_modified_since": date},
            {"if_modified_since": "Thu, 01 Jan 1970 00:00:00 GMT"},
            {"if_modified_since": "soon"},
        ):
            assert client.get(url, **headers).status == 200
    assert min(seen[True], seen[False]) > 5


def test_a_packed_body_is_the_plain_one(server: InvitroServer, client: Client) -> None:
    packed = 0
    for url in pages(server):
        plain = client.get(url)
        answer = client.get(url, accept_encoding="gzip")
        assert "content-encoding" not in plain.headers
        assert "content-encoding" not in client.get(url, accept_encoding="gzip;q=0, identity").headers
        if answer.headers.get("content-encoding") == "gzip":
            packed += 1
            assert zlib.decompress(answer.body, wbits=31) == plain.body
            assert len(answer.body) < len(plain.body)
    assert packed > 10


def test_a_page_is_in_the_charset_that_it_names(server: InvitroServer, client: Client) -> None:
    seen = Counter[str]()
    for url in pages(server, 150):
        facts = server.web.facts(url) or {}
        if not facts["text"]:  # what is said with 200 where nothing is, is no page
            continue
        answer = client.get(url)
        charset = answer.headers["content-type"].partition("charset=")[2]
        seen[charset] += 1
        text = answer.body.decode(charset)
        assert re.search(rf'<meta [^>]*charset="?{charset}"', text)
        title = re.search("<title>(.*?)</title>", text)
        assert title is not None
        assert title[1] == facts["title"]
    assert set(seen) == {"utf-8", "iso-8859-1", "windows-1252", "windows-1251"}


def test_a_sitemap_names_pages_that_may_be_fetched(server: InvitroServer, client: Client) -> None:
    for url in server.web.home_pages()[:10]:
        tree = ElementTree.fromstring(client.get(url + "sitemap.xml").body)
        found = [
            element.text or "" for element in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
        ]
        assert url in found or not server.web.allowed(url)
        assert all(server.web.allowed(other) for other in found)
        assert [client.get(other).status for other in found[:5]] == [200] * len(found[:5])


def test_robots_are_told_what_the_truth_says() -> None:
    web = Web("small", seed=5, robots_share=1, robots_error_share=0.2, trap_share=0.5, traps_disallowed=0.5)
    with web.serve() as server:
        with Client(server) as client:
            forbidden = 0
            for home in web.home_pages():
                answer = client.get(home + "robots.txt")
                if answer.status not in (200, 404, 503):
                    continue  # a host that fails
                for url in {home, home + "calendar/2026/01/", *(link.url for link in web.links(home))}:
                    if url.startswith(home):
                        expected = is_allowed(answer.status, answer.body, url.removeprefix(home.rstrip("/")))
                        assert web.allowed(url) == expected, (url, answer.body)
                        forbidden += not expected
        assert forbidden > 50


# ---- failures and redirects


def test_a_flaky_page_is_there_the_second_time() -> None:
    with Web("tiny", seed=7, flaky_share=1).serve() as server:
        with Client(server) as client:
            statuses = set()
            for url in (url for url in pages(server) if urlsplit(url).path != "/"):
                first, second = client.get(url), client.get(url)
                assert first.headers["retry-after"] == "1"
                assert second.status == 200
                statuses.add(first.status)
        assert statuses == {429, 503}


def test_a_failing_host_always_fails_in_its_own_way() -> None:
    web = Web("small", seed=7, failing_share=1)
    with web.serve() as server:
        kinds = Counter[bytes]()
        for url in web.home_pages():
            answers = {exchange(server, request(url, headers={"Connection": "close"})) for _ in range(2)}
            if web.is_spam(urlsplit(url).netloc):
                continue
            assert len(answers) == 1
            head = answers.pop().partition(b"\r\n\r\n")[0]
            assert (b"Retry-After: 120" in head) == (b" 503 " in head)
            kinds[head[9:12]] += 1
        assert set(kinds) == {b"500", b"503", b""}


def follow(client: Client, url: str) -> tuple[int, list[str]]:
    """The last status, and all addresses on the way."""
    way = [url]
    while (answer := client.get(way[-1])).status in (301, 302):
        assert answer.body == b""
        way.append(urljoin(way[-1], answer.headers["location"]))
        if way[-1] in way[:-1]:
            break
    return answer.status, way


def test_redirects_end_at_a_page() -> None:
    web = Web("tiny", seed=7, redirect_share=1, broken_share=0)
    with web.serve() as server:
        with Client(server) as client:
            lengths = Counter[int]()
            links = (link.url for home in web.home_pages() for link in web.links(home))
            for url in {link for link in links if "/go/" in link}:
                status, way = follow(client, url)
                assert status == 200
                lengths[len(way) - 1] += 1
        assert min(lengths) == 1
        assert max(lengths) in (2, 3)


def test_loops_of_redirects_come_back_to_where_they_began() -> None:
    web = Web("tiny", seed=7, redirect_share=0, redirect_loop_share=1, broken_share=0)
    with web.serve() as server, Client(server) as client:
        loops = {link.url for home in web.home_pages() for link in web.links(home) if "/loop/" in link.url}
        assert loops
        for url in sorted(loops)[:20]:
            _, way = follow(client, url)
            assert way[-1] == way[0]
            assert len(way) == 4


# ---- hazards


@pytest.fixture(scope="module")
def hazards() -> Iterator[InvitroServer]:
    with Web("tiny", seed=7, hazard_share=1).serve() as server:
        yield server


def read_hazard(
    server: InvitroServer, name: str, limit: int = 1 << 20, timeout: float = 60
) -> tuple[bytes, bytes, bool]:
    """Head and body as far as they come before limit or time are over, and whether the server ended.

    The time begins anew with each piece, and with the first of the body.
    """
    received = b""
    with connected(server) as link:
        link.sendall(request(f"{server.web.home_pages()[0]}hazard/0/{HAZARDS.index(name)}"))
        with contextlib.suppress(TimeoutError):
            while len(received) < limit:
                piece = link.recv(1 << 16)
                received += piece
                if received.partition(b"\r\n\r\n")[2]:
                    link.settimeout(timeout)
                if not piece:
                    head, _, body = received.partition(b"\r\n\r\n")
                    return head, body, True
    head, _, body = received.partition(b"\r\n\r\n")
    return head, body, False


def announced(head: bytes) -> int:
    found = re.search(rb"Content-Length: (\d+)", head)
    assert found is not None
    return int(found[1])


def test_hazards_are_linked_and_hurt_as_promised(hazards: InvitroServer) -> None:
    links = [link.url for link in hazards.web.links(hazards.web.home_pages()[0])]
    assert sum("/hazard/" in url for url in links) == len(HAZARDS)
    head, body, has_ended = read_hazard(hazards, "huge")
    assert announced(head) == 200 << 20
    assert not has_ended
    head, body, has_ended = read_hazard(hazards, "endless")
    assert b"Transfer-Encoding: chunked" in head
    assert not has_ended
    head, body, has_ended = read_hazard(hazards, "stall", timeout=0.5)
    assert 0 < len(body) < announced(head)
    assert not has_ended
    head, body, has_ended = read_hazard(hazards, "die")
    assert 0 < len(body) < announced(head)
    assert has_ended
    head, body, has_ended = read_hazard(hazards, "longer")
    assert len(body) > announced(head)
    assert has_ended
    head, body, has_ended = read_hazard(hazards, "unending")
    assert b"Content-Length" not in head
    assert has_ended
    head, _, has_ended = read_hazard(hazards, "malformed")
    assert b"\r\n: nothing\r\n" in head
    assert has_ended
    assert len(head) > 64 << 10


def test_a_bomb_grows_a_thousandfold(hazards: InvitroServer) -> None:
    with Client(hazards) as client:
        answer = client.get(f"{hazards.web.home_pages()[0]}hazard/0/{HAZARDS.index('bomb')}")
    assert answer.headers["content-encoding"] == "gzip"
    unpacking = zlib.decompressobj(wbits=31)
    size, rest = 0, answer.body
    while rest and not unpacking.eof:
        size += len(unpacking.decompress(rest, 16 << 20))
        rest = unpacking.unconsumed_tail
    assert size == 256 << 20
    assert size > 200 * len(answer.body)


# ---- time


def test_answers_take_the_latency_that_is_set() -> None:
    latency = 0.01
    with Web("tiny", seed=7, latency=latency).serve() as server, Client(server) as client:
        urls = pages(server)
        started = time.monotonic()
        for url in urls:
            client.get(url)
        mean = (time.monotonic() - started) / len(urls)
    # the mean of a host lies between 0.25 and 1.75 of the setting; more is the machine's, less would be ours
    assert mean > 0.5 * latency


def test_a_bandwidth_holds_back_long_answers() -> None:
    bandwidth = 200_000
    with Web("tiny", seed=7, bandwidth=bandwidth, words=4000).serve() as server, Client(server) as client:
        started = time.monotonic()
        size = sum(len(client.get(url).body) for url in pages(server, 5)[:5])
        seconds = time.monotonic() - started
    assert size / seconds < bandwidth


# ---- the command


def test_ctrl_c_ends_the_command_in_order(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    words = ["invitro", "serve", "--preset", "tiny", "--seed", "7", "--log", str(log)]
    serving = subprocess.Popen(
        [command_path(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert serving.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", serving.stdout.readline())
        assert found is not None
        url = Web("tiny", seed=7).home_pages()[0]
        with Client(int(found[1])) as client:
            for _ in range(25):
                assert client.get(url).status == 200
            serving.send_signal(signal.SIGINT)
            _, said = serving.communicate(timeout=120)
    finally:
        serving.kill()
        serving.wait()
    assert serving.returncode == 0, said
    assert "Traceback" not in said
    lines = log.read_text().splitlines()
    assert lines[0].startswith("# webstrata-requests 1 {")
    assert sum(not line.startswith("#") for line in lines) == 25


def test_the_command_refuses_a_port_in_use_with_2(server: InvitroServer) -> None:
    words = ["invitro", "serve", "--preset", "tiny", "--port", str(server.port)]
    done = subprocess.run([command_path(), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "choose another port" in done.stderr
