"""Where a crawl ends, and how far it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import Origin, crawl, head, page, reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEEDS = ("http://a.test/", "http://b.test/", "http://c.test/")
ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


@pytest.fixture
def origin() -> Iterator[Origin]:
    """Three hosts of 31 pages, each a binary tree."""
    with Origin(ADDRESSES) as running:
        for name in ("a.test", "b.test", "c.test"):
            for place in range(1, 32):
                path = "/" if place == 1 else f"/{place}"
                targets = (f"/{2 * place}", f"/{2 * place + 1}") if place < 16 else ()
                running.say(f"{name}{path}", reply(page(f"number {place} of {name}", *targets)))
        yield running


def names(origin: Origin) -> dict[str, tuple[str, int]]:
    return {f"{name}.test": origin.at(address) for name, address in zip("abc", ADDRESSES, strict=True)}


@pytest.mark.parametrize("keep_alive", [0, 5])
@pytest.mark.parametrize("limit", [1, 7, 40])
def test_there_are_exactly_as_many_pages_as_the_limit_says(
    tmp_path: Path, origin: Origin, limit: int, keep_alive: float
) -> None:
    found = crawl(
        tmp_path, origin, *SEEDS, names=names(origin), max_pages=limit, keep_alive=keep_alive, workers=2
    )
    assert found.result is not None
    assert (found.result.end, found["pages"]) == ("max_pages", limit)
    assert len(list(found.snapshot.urls)) == limit


def test_without_a_limit_everything_is_fetched(tmp_path: Path, origin: Origin) -> None:
    found = crawl(tmp_path, origin, *SEEDS, names=names(origin))
    assert found.result is not None
    assert (found.result.end, found["pages"], found["discovered"]) == ("exhausted", 93, 93)


def test_bytes_are_limited(tmp_path: Path, origin: Origin) -> None:
    found = crawl(tmp_path, origin, *SEEDS, names=names(origin), max_bytes=1000, fetchers=1)
    assert found.result is not None
    assert found.result.end == "max_bytes"
    assert 1000 <= sum(len(record.body) for record in found.captures) == found["payload"] < 2000


def test_time_is_limited(tmp_path: Path, origin: Origin) -> None:
    found = crawl(tmp_path, origin, *SEEDS, names=names(origin), max_seconds=0.5, host_delay=4)
    assert found.result is not None
    assert found.result.end == "max_seconds"
    # everything would take two minutes
    assert 0.5 <= found.result.seconds < 60
    assert found["pages"] < 93


def test_a_server_that_takes_its_time_does_not_take_that_of_the_crawl(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", (head("Content-Type: text/html"), *((0.2, b".") * 1000)))
        found = crawl(tmp_path, origin, "http://a.test/", max_seconds=0.5, response_timeout=1, min_rate=0)
    assert found.result is not None
    assert found.result.end == "max_seconds"
    assert found.result.seconds < 100


def test_urls_are_limited(tmp_path: Path, origin: Origin) -> None:
    found = crawl(tmp_path, origin, *SEEDS, names=names(origin), max_urls=20)
    assert found.result is not None
    assert found.result.end == "exhausted"
    assert found["discovered"] == len(origin.paths()) == 20


@pytest.mark.parametrize(("depth", "per_host"), [(0, 1), (1, 3), (3, 15), (255, 31)])
def test_depth_is_limited(tmp_path: Path, origin: Origin, depth: int, per_host: int) -> None:
    found = crawl(tmp_path, origin, *SEEDS, names=names(origin), max_depth=depth)
    assert found["pages"] == 3 * per_host


@pytest.mark.parametrize("keep_alive", [0, 5])
def test_pages_of_a_host_are_limited(tmp_path: Path, origin: Origin, keep_alive: float) -> None:
    found = crawl(tmp_path, origin, *SEEDS, names=names(origin), max_pages_per_host=5, keep_alive=keep_alive)
    assert [len(origin.paths(host)) for host in ("a.test", "b.test", "c.test")] == [5, 5, 5]
    assert found["hosts_closed"] == 3
    assert found["dropped"] > 0


def test_urls_that_are_too_long_are_refused(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", reply(page("home", "/" + "x" * 86, "/" + "x" * 87)))
        found = crawl(tmp_path, origin, "http://a.test/", "http://a.test/" + "y" * 87, max_url_length=100)
    assert origin.paths() == ["/", "/" + "x" * 86]
    assert found["rejected"] == 1


@pytest.mark.parametrize(("repeats", "farthest"), [(1, "/a"), (2, "/a/a"), (0, "/a/a/a/a/a")])
def test_folders_in_a_row_are_limited(tmp_path: Path, repeats: int, farthest: str) -> None:
    with Origin() as origin:
        for number in range(5):
            origin.say("/a" * number or "/", reply(page(f"at {number}", "/a" * (number + 1))))
        crawl(tmp_path, origin, "http://a.test/", max_repeats=repeats)
    assert origin.paths()[-1] == farthest


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_a_body_is_cut_at_any_limit(tmp_path: Path, size: int) -> None:
    body = bytes(range(256)) * 100
    with Origin() as origin:
        origin.say("/", reply(body, kind="application/octet-stream"))
        found = crawl(tmp_path, origin, "http://a.test/", max_response=size)
    record = found.capture("http://a.test/")
    assert record.body == body[:size]
    assert record["WARC-Truncated"] == "length"


def test_large_bodies_wait_for_their_turn_and_all_come_whole(tmp_path: Path) -> None:
    addresses = tuple(f"127.0.0.{number}" for number in range(1, 25))
    body = b"many of these at once" * 80_000
    with Origin(addresses) as origin:
        # more hosts than there are turns, and each needs a while to say it all
        whole = reply(body, kind="text/plain")
        origin.say("/", (whole[: len(body) // 3 * 2], 0.05, whole[len(body) // 3 * 2 :]))
        hosts = {f"h{number}.test": origin.at(address) for number, address in enumerate(addresses)}
        found = crawl(tmp_path, origin, *(f"http://{name}/" for name in hosts), names=hosts, workers=1)
    assert found["truncated"] == 0
    assert found["pages"] == len(addresses)


def test_times_may_be_as_long_as_anybody_likes(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", reply(page("home")))
        found = crawl(
            tmp_path,
            origin,
            "http://a.test/",
            connect_timeout=1e300,
            response_timeout=1e300,
            fetch_timeout=1e300,
            keep_alive=1e300,
            robots_expiry=1e300,
        )
    assert found["pages"] == 1
