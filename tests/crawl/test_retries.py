"""What fails is tried again, after delays that grow, and then given up."""

from __future__ import annotations

import socket
from email.utils import formatdate
from itertools import pairwise
from time import monotonic, time
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.origin import HANG, RESET, Answer, Origin, crawl, page, reply
from webstrata.crawl.retries import KINDS, retry_delays
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from pathlib import Path


def refusal(*headers: str, status: str = "503 Service Unavailable") -> bytes:
    return reply(page("not now", "/never"), *headers, status=status)


def gaps(origin: Origin, path: str) -> list[float]:
    asked = [request for request in origin.requests if request.path == path]
    return [after.opened - before.ended for before, after in pairwise(asked)]


def test_delays_double_and_what_is_no_answer_is_not_asked_for_again() -> None:
    delays = dict(zip(KINDS, retry_delays(CrawlSettings(retries=4, retry_delay=0.5)), strict=True))
    assert delays["connect"] == delays["dns"] == delays["timeout"] == delays["unavailable"] == [0.5, 1, 2, 4]
    assert (delays["tls"], delays["protocol"]) == ([0.5], [])
    assert not any(retry_delays(CrawlSettings(retries=0)))


@pytest.mark.parametrize(
    "status", ["503 Service Unavailable", "429 Too Many Requests", "500 Oh", "502 No", "504 No"]
)
def test_an_answer_that_says_not_now_is_asked_for_again_and_only_the_last_one_is_stored(
    tmp_path: Path, status: str
) -> None:
    with Origin() as origin:
        origin.say("/", refusal(status=status), refusal(status=status), reply(page("now", "/next")))
        found = crawl(tmp_path, origin, "http://a.test/")
    assert origin.paths() == ["/", "/", "/", "/next"]
    assert found.capture("http://a.test/").status == 200
    assert [
        record.kind for record in found.records if record.headers.get("WARC-Target-URI") == ["http://a.test/"]
    ] == [
        "response",
        "request",
        "metadata",
    ]
    # beside the two, robots.txt and the next page are not there
    assert (found["retries"], found["status_5xx"] + found["status_4xx"]) == (2, 2 + 2)


def test_if_it_never_gets_better_the_last_answer_is_stored(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", refusal())
        found = crawl(tmp_path, origin, "http://a.test/", "http://a.test/other", retries=2, retry_delay=0.05)
    assert origin.paths() == ["/", "/", "/", "/other"]
    assert found.capture("http://a.test/").status == 503
    first, second = gaps(origin, "/")
    assert first >= 0.05
    assert second >= 0.1


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "501 No", "301 Moved"])
def test_other_answers_are_taken_as_they_are(tmp_path: Path, status: str) -> None:
    with Origin() as origin:
        origin.say("/", refusal(status=status))
        found = crawl(tmp_path, origin, "http://a.test/")
    assert origin.paths() == ["/"]
    assert found.capture("http://a.test/").status == int(status[:3])
    assert found["pages"] == 0


def test_retry_after_is_waited_for_by_the_whole_host(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/", refusal("Retry-After: 0.5"), reply(page("now")))
        crawl(tmp_path, origin, "http://a.test/", "http://a.test/other")
    assert origin.paths() == ["/", "/", "/other"]
    assert gaps(origin, "/")[0] >= 0.5


def test_retry_after_may_be_a_date(tmp_path: Path) -> None:
    shift = time() - monotonic()
    due = int(time()) + 3  # dates are whole seconds
    with Origin() as origin:
        origin.say("/", refusal(f"Retry-After: {formatdate(due, usegmt=True)}"), reply(page("now")))
        crawl(tmp_path, origin, "http://a.test/")
    _, again = (request for request in origin.requests if request.path == "/")
    assert again.opened + shift >= due - 0.1


@pytest.mark.parametrize("asked", ["100", "1e300", "inf", "Fri, 31 Dec 2099 23:59:59 GMT"])
def test_who_asks_for_too_much_patience_is_left_alone(tmp_path: Path, asked: str) -> None:
    with Origin() as origin:
        origin.say("/", refusal(f"Retry-After: {asked}"), reply(page("now")))
        found = crawl(tmp_path, origin, "http://a.test/", "http://a.test/other", max_retry_after=10)
    assert origin.paths() == ["/"]
    assert found.capture("http://a.test/").status == 503
    assert (found["hosts_closed"], found["dropped"]) == (1, 1)


@pytest.mark.parametrize("asked", ["-5", "soon", "", "nan", "Fri, 99 Foo 1999 00:00:00 GMT"])
def test_a_retry_after_that_makes_no_sense_is_passed_over(tmp_path: Path, asked: str) -> None:
    with Origin() as origin:
        origin.say("/", refusal(f"Retry-After: {asked}"), reply(page("now")))
        crawl(tmp_path, origin, "http://a.test/")
    assert origin.paths() == ["/", "/"]


def test_who_refuses_connections_is_given_up_after_all_attempts(tmp_path: Path) -> None:
    with Origin() as origin, socket.socket() as closed:
        closed.bind(("127.0.0.9", 0))  # nobody else gets the port, and nobody listens
        origin.say("/", reply(page("there")))
        names = {"b.test": ("127.0.0.9", closed.getsockname()[1])}
        found = crawl(
            tmp_path,
            origin,
            *(f"http://b.test/{place}" for place in range(5)),
            "http://a.test/",
            names=names,
            retries=2,
            retry_delay=0.05,
        )
    assert found["failed_connect"] == 3
    assert (found["hosts_closed"], found["pages"]) == (1, 1)
    assert found.result is not None
    assert found.result.seconds >= 0.15


@pytest.mark.parametrize(
    ("answer", "kind", "attempts"),
    [
        ((RESET,), "connect", 3),
        ((), "connect", 3),
        (b"no HTTP\r\n\r\n", "protocol", 1),
        ((HANG,), "timeout", 3),
    ],
)
def test_what_breaks_is_tried_again_by_its_kind(
    tmp_path: Path, answer: Answer, kind: str, attempts: int
) -> None:
    # a busy machine may need longer for an answer than a server is granted here: only silence is asked for
    how: dict[str, Any] = {"response_timeout": 0.3, "obey_robots": False} if kind == "timeout" else {}
    with Origin() as origin:
        origin.say("/", answer)
        found = crawl(tmp_path, origin, "http://a.test/", retries=2, **how)
        assert found[f"failed_{kind}"] == attempts
        origin.say("/again", answer, reply(page("now")))
        again = crawl(tmp_path, origin, "http://a.test/again", retries=2, **how | {"response_timeout": 1.5})
    assert origin.paths() == ["/"] * attempts + ["/again"] * min(attempts, 2)
    assert ("http://a.test/again" in again.stored) == (attempts > 1)


def test_a_host_on_which_everything_fails_is_given_up(tmp_path: Path) -> None:
    with Origin() as origin:
        for place in range(9):
            origin.say(f"/{place}", b"no HTTP\r\n\r\n")
        found = crawl(tmp_path, origin, *(f"http://a.test/{place}" for place in range(9)), retries=0)
    assert origin.paths() == ["/0", "/1", "/2", "/3"]
    assert found["hosts_closed"] == 1


def test_a_connection_that_is_closed_while_idle_is_nobodys_fault(tmp_path: Path) -> None:
    answer = reply(page("first"))
    with Origin() as origin:
        # it says nothing of closing, and closes
        origin.say("/0", (answer, RESET))
        origin.say("/1", (reply(page("second")), RESET))
        origin.say("/2", reply(page("third")))
        urls = [f"http://a.test/{place}" for place in range(3)]
        found = crawl(tmp_path, origin, *urls, keep_alive=60, retries=0)
    assert found["pages"] == 3
    assert found["retries"] == 0
