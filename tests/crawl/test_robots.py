"""robots.txt, X-Robots-Tag and meta robots, as a server sees them obeyed."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.crawl.origin import HANG, QUICK, Answer, Origin, crawl, page, prepare, redirect, reply
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection import Snapshot
    from webstrata.crawl.results import CrawlResult


def rules(*lines: str, status: str = "200 OK", headers: tuple[str, ...] = ()) -> bytes:
    return reply("\n".join(("User-agent: *", *lines)), *headers, status=status, kind="text/plain")


def error(status: str, *headers: str) -> bytes:
    return reply("User-agent: *\nDisallow: /", *headers, status=status, kind="text/plain")


def requests_of(origin: Origin, host: str) -> list[str]:
    return [request.path for request in origin.requests if request.host == host]


def test_rules_are_read_before_the_first_page_and_obeyed(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", rules("Disallow: /no", "Allow: /no/but", "Disallow: /*.pdf$"))
        origin.say("/", reply(page("home", "/no", "/no/but", "/a.pdf", "/a.pdf?x", "/yes")))
        found = crawl(tmp_path, origin, "http://a.test/")
    assert requests_of(origin, "a.test")[:2] == ["/robots.txt", "/"]
    assert sorted(origin.paths()) == ["/", "/a.pdf?x", "/no/but", "/yes"]
    assert (found["disallowed"], found["robots"]) == (2, 1)


def test_who_is_named_obeys_the_rules_for_that_name(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say(
            "/robots.txt",
            reply("User-agent: *\nDisallow: /\n\nUser-agent: ours\nDisallow: /x\n", kind="text/plain"),
        )
        crawl(tmp_path, origin, "http://a.test/", "http://a.test/x", user_agent="ours/2.0 (+http://a.test/)")
        assert origin.paths() == ["/"]
        assert origin.requests[0].headers["user-agent"] == "ours/2.0 (+http://a.test/)"
        crawl(tmp_path, origin, "http://a.test/", user_agent="others/1")
        assert origin.paths() == ["/"]


@pytest.mark.parametrize(
    ("answer", "is_allowed"),
    [
        (error("404 Not Found"), True),
        (error("403 Forbidden"), True),
        (error("401 Unauthorized"), True),
        (error("410 Gone"), True),
        (error("429 Too Many Requests"), False),
        (error("500 Internal Server Error"), False),
        (error("503 Service Unavailable"), False),
        (error("599 Odd"), False),
        ((HANG,), False),
        ((b"\x00 no HTTP at all\r\n\r\n",), False),
        ((), False),
        (redirect("/robots.txt"), True),
        (redirect("mailto:a@b.test"), True),
    ],
)
def test_what_the_status_of_robots_txt_allows(tmp_path: Path, answer: Answer, *, is_allowed: bool) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", answer)
        patience = 0.3 if answer == (HANG,) else 30
        found = crawl(
            tmp_path, origin, "http://a.test/a", "http://a.test/b", response_timeout=patience, retries=1
        )
    assert origin.paths() == (["/a", "/b"] if is_allowed else [])
    if not is_allowed:
        # what is no HTTP is not asked for again
        attempts = 1 if answer and b"no HTTP" in (answer[0] if isinstance(answer[0], bytes) else b"") else 2
        assert requests_of(origin, "a.test") == ["/robots.txt"] * attempts
        assert (found["hosts_closed"], found["dropped"] >= 2) == (1, True)


def test_a_robots_txt_that_comes_at_the_second_attempt_counts(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", error("503 Service Unavailable", "Retry-After: 0.3"), rules("Disallow: /b"))
        crawl(tmp_path, origin, "http://a.test/a", "http://a.test/b")
    assert requests_of(origin, "a.test") == ["/robots.txt", "/robots.txt", "/a"]
    first, second, _ = origin.requests
    assert second.opened - first.ended >= 0.3


def test_a_robots_txt_that_asks_for_too_much_patience_is_not_asked_for_again(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", error("503 Service Unavailable", "Retry-After: 100"))
        crawl(tmp_path, origin, "http://a.test/a", max_retry_after=10)
    assert requests_of(origin, "a.test") == ["/robots.txt"]


def test_rules_behind_redirects_apply_to_the_host_that_sent_there(tmp_path: Path) -> None:
    with Origin(("127.0.0.1", "127.0.0.2")) as origin:
        origin.say("a.test/robots.txt", redirect("/moved.txt"))
        origin.say("a.test/moved.txt", redirect("http://b.test/rules-of-a"))
        origin.say("b.test/rules-of-a", rules("Disallow: /x", "Crawl-delay: 0.3"))
        origin.say("b.test/robots.txt", rules("Disallow: /y"))
        urls = [f"http://{host}.test/{path}" for host in "ab" for path in "xy"]
        crawl(tmp_path, origin, *urls, names={"b.test": origin.at("127.0.0.2")})
    assert requests_of(origin, "a.test") == ["/robots.txt", "/moved.txt", "/y"]
    assert sorted(requests_of(origin, "b.test")) == ["/robots.txt", "/rules-of-a", "/x"]
    asked = [request for request in origin.requests if request.host == "a.test"]
    assert asked[2].opened - asked[1].ended >= 0.3


def test_five_redirects_are_followed_and_a_sixth_means_that_there_are_no_rules(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", redirect("/1"))
        for place in range(1, 9):
            origin.say(f"/{place}", redirect(f"/{place + 1}"))
        origin.say("/5", rules("Disallow: /page"))
        crawl(tmp_path, origin, "http://a.test/page")
        assert requests_of(origin, "a.test") == ["/robots.txt", *["/1", "/2", "/3", "/4", "/5"]]
        origin.requests.clear()
        origin.say("/5", redirect("/6"))
        crawl(tmp_path, origin, "http://a.test/page")
        assert requests_of(origin, "a.test") == ["/robots.txt", *["/1", "/2", "/3", "/4", "/5", "/page"]]


def test_a_redirect_to_a_host_that_is_nowhere_means_disallow(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", redirect("http://nowhere.test/robots.txt"))
        found = crawl(tmp_path, origin, "http://a.test/page", retries=1)
    assert origin.paths() == []
    assert found["hosts_closed"] == 2


def test_rules_are_asked_for_again_when_they_expire(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", rules(), rules("Disallow: /3"))
        paths = [f"/{place}" for place in range(1, 5)]
        origin.say("/1", (0.3, reply(page("slow"))))
        crawl(tmp_path, origin, *(f"http://a.test{path}" for path in paths), robots_expiry=0.25)
    assert origin.paths() == ["/1", "/2", "/4"]
    # how often depends on the machine, that it was once more behind the slow page does not
    asked = requests_of(origin, "a.test")
    assert asked[0] == "/robots.txt"
    assert "/robots.txt" in asked[asked.index("/1") : asked.index("/2")]


def test_a_crawl_delay_is_kept_up_to_what_is_granted(tmp_path: Path) -> None:
    with Origin(("127.0.0.1", "127.0.0.2")) as origin:
        origin.say("a.test/robots.txt", rules("Crawl-delay: 0.3"))
        origin.say("b.test/robots.txt", rules("Crawl-delay: 1000"))
        urls = [f"http://{host}.test/{path}" for host in "ab" for path in "xy"]
        crawl(tmp_path, origin, *urls, names={"b.test": origin.at("127.0.0.2")}, max_crawl_delay=0.4)
    for host, delay in (("a.test", 0.3), ("b.test", 0.4)):
        asked = [request for request in origin.requests if request.host == host]
        gaps = [after.opened - before.ended for before, after in pairwise(asked)]
        assert len(gaps) == 2
        assert min(gaps) >= delay


def test_rules_deep_in_a_big_file_count(tmp_path: Path) -> None:
    filler = [f"Disallow: /{'x' * 90}{place}" for place in range(5000)]
    with Origin() as origin:
        origin.say("/robots.txt", rules(*filler, "Disallow: /no"))
        crawl(tmp_path, origin, "http://a.test/no", "http://a.test/yes")
    assert origin.paths() == ["/yes"]


def test_a_limit_on_pages_does_not_cut_rules_off(tmp_path: Path) -> None:
    filler = [f"Disallow: /{'x' * 90}{place}" for place in range(50)]
    packed = gzip.compress(rules(*filler, "Disallow: /no").partition(b"\r\n\r\n")[2])
    with Origin() as origin:
        origin.say("a.test/robots.txt", rules(*filler, "Disallow: /no"))
        origin.say("b.test/robots.txt", reply(packed, "Content-Encoding: gzip", kind="text/plain"))
        crawl(
            tmp_path,
            origin,
            *(f"http://{name}.test/{path}" for name in "ab" for path in ("no", "yes")),
            max_response=100,
        )
    assert origin.paths() == ["/yes", "/yes"]


def test_half_a_robots_txt_is_none(tmp_path: Path) -> None:
    half = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\nDisallow: /no"
    with Origin() as origin:
        origin.say("a.test/robots.txt", half)
        origin.say("b.test/robots.txt", half, rules("Disallow: /x"))
        crawl(tmp_path, origin, "http://a.test/yes", "http://b.test/yes", "http://b.test/x", retries=1)
    assert requests_of(origin, "a.test") == ["/robots.txt"] * 2
    assert requests_of(origin, "b.test") == ["/robots.txt", "/robots.txt", "/yes"]


def test_a_robots_txt_that_is_coded_and_cut_into_chunks_is_read(tmp_path: Path) -> None:
    packed = gzip.compress(b"User-agent: *\nDisallow: /no\n")
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    with Origin() as origin:
        origin.say("/robots.txt", answer + b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed))
        crawl(tmp_path, origin, "http://a.test/no", "http://a.test/yes")
    assert origin.paths() == ["/yes"]


def test_sitemaps_are_followed_if_asked_for(tmp_path: Path) -> None:
    index = "<sitemapindex><sitemap><loc>http://a.test/one.xml</loc></sitemap></sitemapindex>"
    urls = "<urlset><url><loc> http://a.test/x?a=1&amp;b=2 </loc></url><url><loc>no url:</loc></url></urlset>"
    with Origin() as origin:
        origin.say(
            "/robots.txt", rules("Disallow: /no", "Sitemap: http://a.test/index.xml", "Sitemap: /no.xml")
        )
        origin.say("/index.xml", reply(index, kind="application/xml"))
        origin.say("/one.xml", reply(urls, kind="text/xml; charset=utf-8"))
        crawl(tmp_path, origin, "http://a.test/", sitemaps=True)
        assert sorted(origin.paths()) == ["/", "/index.xml", "/one.xml", "/x?a=1&b=2"]
        origin.requests.clear()
        crawl(tmp_path, origin, "http://a.test/")
        assert origin.paths() == ["/"]


def test_who_does_not_obey_does_not_even_ask(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", rules("Disallow: /"))
        origin.say("/", reply(page("home", "/next"), "X-Robots-Tag: nofollow, noarchive"))
        found = crawl(tmp_path, origin, "http://a.test/", obey_robots=False)
    assert requests_of(origin, "a.test") == ["/", "/next"]
    assert "http://a.test/" in found.stored


@pytest.mark.parametrize("by", ["header", "meta"])
def test_what_a_page_says_of_itself_is_obeyed(tmp_path: Path, by: str) -> None:
    def say(word: str, *, directives: str) -> bytes:
        body = page(word, f"/{word}-next")
        if by == "header":
            return reply(body, "X-Robots-Tag: other: none", f"X-Robots-Tag: {directives}")
        return reply(body.replace(b"<title>", f'<meta name="robots" content="{directives}"><title>'.encode()))

    with Origin() as origin:
        origin.say("/plain", reply(page("plain", "/plain-next")))
        for word, directives in (
            ("nofollow", "nofollow"),
            ("noindex", "NoIndex"),
            ("noarchive", "noarchive"),
            ("none", "none"),
        ):
            origin.say(f"/{word}", say(word, directives=directives))
        seeds = ["plain", "nofollow", "noindex", "noarchive", "none"]
        found = crawl(tmp_path, origin, *(f"http://a.test/{word}" for word in seeds))
    followed = {path for path in origin.paths() if path.endswith("-next")}
    assert followed == {"/plain-next", "/noindex-next", "/noarchive-next"}
    assert "http://a.test/noarchive" not in found.stored
    assert found.stored >= {f"http://a.test/{word}" for word in ("plain", "nofollow", "noindex", "none")}
    marks = found.snapshot.pages.table("url", "noindex").to_pylist()
    assert {row["url"].rpartition("/")[2]: row["noindex"] for row in marks} == {
        "nofollow": False,
        "noindex": True,
        "none": True,
        "plain": False,
    }


def test_a_page_that_may_not_be_kept_is_nothing_that_a_revisit_could_point_to(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/hidden", reply(page("the same"), "X-Robots-Tag: noarchive"))
        origin.say("/shown", reply(page("the same")))
        origin.say("/again", reply(page("the same")))
        seeds = [f"http://a.test/{path}" for path in ("hidden", "shown", "again")]
        found = crawl(tmp_path, origin, *seeds)
    assert found.capture("http://a.test/shown").kind == "response"
    assert found.capture("http://a.test/again")["WARC-Refers-To-Target-URI"] == "http://a.test/shown"
    assert len(found.captures) == 2


def interrupted(folder: Path, origin: Origin, **settings: Any) -> Snapshot:  # noqa: ANN401
    """A crawl of one host that ended in order after two pages."""
    for place in range(8):
        origin.say(f"/{place}", reply(page(f"place {place}", f"/{place + 1}", "/no")))
    hosts = {"a.test": origin.at()}
    job = prepare(folder, ["http://a.test/0"], {"hosts": hosts}, max_pages=2, **settings)
    assert job.run().end == "max_pages"
    return job.snapshot


def resume(snapshot: Snapshot, origin: Origin, **settings: Any) -> CrawlResult:  # noqa: ANN401
    hosts = {"a.test": origin.at()}
    return Crawl(snapshot, CrawlSettings(**(QUICK | settings)), hosts=hosts).run()


def test_a_crawl_that_resumes_does_not_fetch_rules_that_still_hold(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", rules("Disallow: /no"))
        snapshot = interrupted(tmp_path, origin)
        for limit in (4, 6, 0):
            resume(snapshot, origin, max_pages=limit)
    assert requests_of(origin, "a.test").count("/robots.txt") == 1
    assert "/no" not in origin.paths()
    assert [f"/{place}" for place in range(8)] == origin.paths()[:8]


CHILD = """
import json, sys
import webstrata as ws
folder, hosts, settings = json.loads(sys.argv[1])
snapshot = ws.create(folder).add("2026-06")
seeds = ["http://a.test/0"]
hosts = {name: tuple(place) for name, place in hosts.items()}
ws.Crawl(snapshot, ws.CrawlSettings(**settings), seeds=seeds, hosts=hosts).run()
"""


def test_a_crawl_that_was_killed_does_not_fetch_rules_that_still_hold(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", rules("Disallow: /no"))
        for place in range(3):
            origin.say(f"/{place}", reply(page(f"place {place}", f"/{place + 1}", "/no")))
        # while it waits for this one, all before it is in the journal
        origin.say("/3", (HANG,), reply(page("last", "/no")))
        told = json.dumps([str(tmp_path / "uk"), {"a.test": origin.at()}, QUICK])
        process = subprocess.Popen([sys.executable, "-c", CHILD, told])
        while "/3" not in origin.paths():
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(0.1)  # the journal is written every 20 ms
        process.kill()
        assert process.wait() == -signal.SIGKILL
        assert resume(ws.open(tmp_path / "uk")["2026-06"], origin).end == "exhausted"
    assert requests_of(origin, "a.test") == ["/robots.txt", "/0", "/1", "/2", "/3", "/3"]


def test_rules_that_expired_or_are_for_another_name_are_fetched_when_a_crawl_resumes(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", rules("Disallow: /no"), rules())
        snapshot = interrupted(tmp_path, origin, robots_expiry=0.05)
        time.sleep(0.1)
        resume(snapshot, origin, max_pages=4)
        assert requests_of(origin, "a.test").count("/robots.txt") == 2
        resume(snapshot, origin, user_agent="somebody-else/1.0")
    assert requests_of(origin, "a.test").count("/robots.txt") == 3


def test_a_crawl_delay_holds_when_a_crawl_resumes(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", rules("Crawl-delay: 0.5"))
        snapshot = interrupted(tmp_path, origin)
        resume(snapshot, origin, max_pages=4)
    gaps = [later.opened - earlier.ended for earlier, later in pairwise(origin.requests)]
    assert requests_of(origin, "a.test").count("/robots.txt") == 1
    assert min(gaps) >= 0.5
