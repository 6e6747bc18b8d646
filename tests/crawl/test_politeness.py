"""Delays and connections, measured at the server."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.origin import Origin, Request, crawl, page, reply

if TYPE_CHECKING:
    from pathlib import Path

ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
HOST_DELAY, IP_DELAY = 0.2, 0.06


def visits(requests: list[Request]) -> list[tuple[float, float]]:
    """Connections with a request, each from its beginning to the end of its last answer, in order."""
    by_connection: dict[int, list[Request]] = {}
    for request in requests:
        by_connection.setdefault(request.connection, []).append(request)
    return sorted((each[0].opened, each[-1].ended) for each in by_connection.values())


def least_gap(requests: list[Request]) -> float:
    return min(after[0] - before[1] for before, after in pairwise(visits(requests)))


@pytest.mark.parametrize("keep_alive", [0, 1])
def test_hosts_and_addresses_are_left_in_peace_between_two_visits(tmp_path: Path, keep_alive: float) -> None:
    hosts = {f"h{place}.test": ADDRESSES[place % 3] for place in range(7)}
    with Origin(ADDRESSES) as origin:
        for place in range(7):
            near, far = f"/{place}-next", f"http://h{(place + 3) % 7}.test/{place}-far"
            origin.say(f"h{place}.test/", (0.02, reply(page(f"home {place}", near, far))))
            origin.say(f"h{place}.test{near}", reply(page(f"next {place}")))
        names = {name: origin.at(address) for name, address in hosts.items()}
        found = crawl(
            tmp_path,
            origin,
            *(f"http://{name}/" for name in hosts),
            names=names,
            host_delay=HOST_DELAY,
            ip_delay=IP_DELAY,
            keep_alive=keep_alive,
        )
    assert len(origin.paths()) == 3 * len(hosts)
    for name in hosts:
        assert least_gap([request for request in origin.requests if request.host == name]) >= HOST_DELAY, name
    for address in ADDRESSES:
        assert (
            least_gap([request for request in origin.requests if request.address == address]) >= IP_DELAY
        ), address
    assert found["pages"] == 14


def test_one_visit_is_one_request_unless_connections_are_kept(tmp_path: Path) -> None:
    paths = [f"/{place}" for place in range(9)]
    with Origin() as origin:
        for path in paths:
            origin.say(path, reply(page(f"number {path}")))
        crawl(tmp_path, origin, *(f"http://a.test{path}" for path in paths))
        assert len({request.connection for request in origin.requests}) == 10
        assert {request.headers["connection"] for request in origin.requests} == {"close"}
        assert origin.paths() == paths
        origin.requests.clear()
        crawl(tmp_path, origin, *(f"http://a.test{path}" for path in paths), keep_alive=60)
        assert len({request.connection for request in origin.requests}) == 1
        assert origin.paths() == paths
        origin.requests.clear()
        # the robots.txt of a host with a delay has a connection of its own
        crawl(tmp_path, origin, *(f"http://a.test{path}" for path in paths), keep_alive=60, host_delay=0.1)
        assert len({request.connection for request in origin.requests}) == 2
        assert origin.requests[-1].headers["connection"] == "close"
        assert origin.paths() == paths


def test_a_visit_ends_with_its_slice_of_time(tmp_path: Path) -> None:
    paths = [f"/{place}" for place in range(6)]
    with Origin() as origin:
        for path in paths:
            origin.say(path, (0.1, reply(page(f"number {path}"))))
        crawl(tmp_path, origin, *(f"http://a.test{path}" for path in paths), keep_alive=0.25, host_delay=0.15)
    assert origin.paths() == paths
    assert 3 <= len({request.connection for request in origin.requests}) <= 7
    assert least_gap(origin.requests) >= 0.15


def test_hosts_and_addresses_may_have_delays_of_their_own(tmp_path: Path) -> None:
    names = ("a.test", "b.test", "c.test")
    with Origin(ADDRESSES) as origin:
        places = {name: origin.at(address) for name, address in zip(names, ADDRESSES, strict=True)}
        for place in range(2):
            origin.say(f"/{place}", reply(page("all the same")))
        crawl(
            tmp_path,
            origin,
            *(f"http://{name}/{place}" for name in names for place in range(2)),
            names=places,
            host_delay=0.05,
            host_delays=("a.test=300ms",),
            ip_delays=("127.0.0.2=200ms",),
        )
    for name, delay in (("a.test", 0.3), ("b.test", 0.2), ("c.test", 0.05)):
        assert least_gap([request for request in origin.requests if request.host == name]) >= delay, name


def test_a_delay_of_a_name_holds_on_all_its_ports(tmp_path: Path) -> None:
    with Origin() as origin:
        crawl(
            tmp_path,
            origin,
            "http://a.test:8080/",
            "http://b.test:8080/",
            host_delays=("a.test=300ms", "b.test:8080=200ms"),
        )
    for name, delay in (("a.test:8080", 0.3), ("b.test:8080", 0.2)):
        assert least_gap([request for request in origin.requests if request.host == name]) >= delay


def test_who_asks_for_a_delay_gets_it_between_any_two_requests(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", reply("User-agent: *\nCrawl-delay: 0.1", kind="text/plain"))
        crawl(tmp_path, origin, *(f"http://a.test/{place}" for place in range(4)), keep_alive=60)
    assert len({request.connection for request in origin.requests}) == 5
    assert least_gap(origin.requests) >= 0.1


def test_a_visit_ends_when_the_host_says_not_now(tmp_path: Path) -> None:
    refusal = reply(b"", "Retry-After: 0.3", status="429 Too Many Requests")
    with Origin() as origin:
        origin.say("/1", refusal, reply(page("now")))
        crawl(tmp_path, origin, *(f"http://a.test/{place}" for place in range(4)), keep_alive=60)
    assert origin.paths() == ["/0", "/1", "/1", "/2", "/3"]
    first, second = [request for request in origin.requests if request.path == "/1"]
    assert second.opened - first.ended >= 0.3


def test_what_comes_behind_an_answer_is_no_answer_to_the_next_request(tmp_path: Path) -> None:
    injected = reply(b"<p>nobody asked for this")
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + injected
    with Origin() as origin:
        origin.say("/0", reply(page("first")) + injected)
        origin.say("/1", chunked)
        origin.say("/2", reply(page("third")))
        found = crawl(tmp_path, origin, *(f"http://a.test/{place}" for place in range(3)), keep_alive=60)
    assert found.capture("http://a.test/1").body == b""
    assert found.capture("http://a.test/2").body == page("third")
    assert origin.paths() == ["/0", "/1", "/2"]


def test_two_names_at_one_address_are_never_visited_at_once(tmp_path: Path) -> None:
    with Origin() as origin:
        for name in ("a.test", "b.test", "c.test"):
            origin.say(f"{name}/", (0.1, reply(page(f"home of {name}"))))
        crawl(tmp_path, origin, "http://a.test/", "http://b.test/", "http://c.test/", workers=2)
    assert least_gap(origin.requests) >= 0
    assert len(origin.requests) == 6


def test_a_host_that_answers_slowly_rests_in_proportion(tmp_path: Path) -> None:
    with Origin(ADDRESSES[:2]) as origin:
        for name, wait in (("a.test", 0.1), ("b.test", 0.0)):
            origin.say(
                f"{name}/", (wait, reply(page(f"home of {name}", *(f"/{place}" for place in range(5)))))
            )
            for place in range(5):
                origin.say(f"{name}/{place}", (wait, reply(page(f"number {place} of {name}"))))
        names = {"a.test": origin.at(), "b.test": origin.at(ADDRESSES[1])}
        how: dict[str, Any] = {"names": names, "host_delay": 0.02, "delay_factor": 3}
        found = crawl(tmp_path, origin, "http://a.test/", "http://b.test/", **how)
    slow = [
        request for request in origin.requests if request.host == "a.test" and request.path != "/robots.txt"
    ]
    # robots.txt came at once, so the mean is below a tenth of a second in the beginning
    assert least_gap(slow) >= 0.06
    assert least_gap(slow[-3:]) >= 0.15
    assert least_gap([request for request in origin.requests if request.host == "b.test"]) >= 0.02
    assert found["slowed"] >= 5


def test_a_host_in_trouble_rests_longer_and_recovers(tmp_path: Path) -> None:
    busy = reply(b"", status="503 Service Unavailable")
    with Origin() as origin:
        origin.say("/", busy, busy, busy, reply(page("home", *(f"/{place}" for place in range(9)))))
        for place in range(9):
            origin.say(f"/{place}", reply(page(f"number {place}")))
        how: dict[str, Any] = {
            "host_delay": 0.02,
            "delay_factor": 0.001,
            "retry_delay": 0.001,
            "max_adaptive_delay": 0.5,
        }
        crawl(tmp_path, origin, "http://a.test/", **how)
        times = [request for request in origin.requests if request.path != "/robots.txt"]
        gaps = [after[0] - before[1] for before, after in pairwise(visits(times))]
        origin.requests.clear()
        calm = crawl(tmp_path, origin, "http://a.test/", **how | {"delay_factor": 0})
    assert gaps[0] >= 0.04
    assert gaps[1] >= 0.08
    assert gaps[2] >= 0.16
    assert min(gaps) >= 0.02
    assert min(gaps[3:]) < gaps[2]
    assert calm["slowed"] == 0
