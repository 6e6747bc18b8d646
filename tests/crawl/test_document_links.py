"""Links of feeds, JSON-LD and plain text, followed by the crawl that fetches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.crawl.origin import Origin, page, reply
from webstrata.crawl.agents import Ring
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import SettingError
from webstrata.store.parsers.registry import ParsedBlock, ParsedDocument, register_parser, unregister_parser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.api import Snapshot

FEED = b"""<rss version="2.0"><channel><title>News</title><link>http://a.test/</link>
<item><title>Storm</title><link>/storm</link>
<description>&lt;a href="/map"&gt;Map&lt;/a&gt;</description></item>
<item><title>Sun</title><link>http://b.test/sun</link></item></channel></rss>"""


def typed(body: bytes, content_type: str, *headers: str) -> bytes:
    return reply(body, *headers, kind=content_type)


def crawl(
    tmp_path: Path, feed: bytes, *extra: tuple[str, bytes], **settings: object
) -> tuple[Origin, Snapshot]:
    with Origin() as origin:
        origin.say("/", reply(page("home", "/feed")))
        origin.say("/feed", feed)
        for path in ("/storm", "/map", "/sun"):
            origin.say(path, reply(page(path)))
        for path, answer in extra:
            origin.say(path, answer)
        snapshot = ws.create(tmp_path / "uk").add("2026-06")
        chosen = CrawlSettings(resolve=False, host_delay=0, ip_delay=0, **settings)  # type: ignore[arg-type]
        hosts = {"a.test": origin.at(), "b.test": origin.at()}
        Crawl(snapshot, chosen, seeds=["http://a.test/"], hosts=hosts).run()
    return origin, snapshot


def asked(origin: Origin) -> set[str]:
    return {request.path for request in origin.requests} - {"/robots.txt"}


def test_items_of_a_feed_are_fetched_where_the_setting_names_feeds(tmp_path: Path) -> None:
    origin, snapshot = crawl(tmp_path, typed(FEED, "application/rss+xml"), follow_formats=("feed",))
    assert asked(origin) == {"/", "/feed", "/storm", "/map", "/sun"}
    assert "http://b.test/sun" in list(snapshot.urls)
    assert "http://a.test/feed" not in list(snapshot.urls)  # `parsers` of [store] makes it a page


def test_without_the_setting_a_feed_leads_nowhere(tmp_path: Path) -> None:
    assert asked(crawl(tmp_path, typed(FEED, "application/rss+xml"))[0]) == {"/", "/feed"}


def test_a_feed_that_is_served_as_xml_counts_and_other_xml_does_not(tmp_path: Path) -> None:
    other = b"<catalogue><item><link>/hidden</link></item></catalogue>"
    more = [("/", reply(page("home", "/feed", "/other"))), ("/other", typed(other, "text/xml"))]
    origin, _ = crawl(tmp_path, typed(FEED, "text/xml; charset=utf-8"), *more, follow_formats=("feed",))
    assert asked(origin) == {"/", "/feed", "/other", "/storm", "/map", "/sun"}


def test_urls_in_plain_text_are_followed_on_request(tmp_path: Path) -> None:
    text = b"See http://a.test/storm, and (http://b.test/sun). mailto:x@a.test"
    origin, _ = crawl(tmp_path, typed(text, "text/plain"), follow_formats=("text",))
    assert asked(origin) == {"/", "/feed", "/storm", "/sun"}


@pytest.mark.parametrize(
    ("settings", "fetched"),
    [
        ({"schedule": "not PathEndsWithOneOf(/map)"}, {"/storm", "/sun"}),
        ({"max_depth": 1}, {"/sun"}),  # the feed lies 1 deep in its host, and b.test is entered anew
        ({"follow": "not ContentTypeStartsWith(application/rss)"}, set()),
    ],
)
def test_filters_and_depth_hold_for_links_of_documents(
    settings: dict[str, object], fetched: set[str], tmp_path: Path
) -> None:
    origin, _ = crawl(tmp_path, typed(FEED, "application/rss+xml"), follow_formats=("feed",), **settings)
    assert asked(origin) == {"/", "/feed"} | fetched


def test_a_document_that_must_not_be_followed_is_not(tmp_path: Path) -> None:
    feed = typed(FEED, "application/rss+xml", "X-Robots-Tag: nofollow")
    assert asked(crawl(tmp_path, feed, follow_formats=("feed",))[0]) == {"/", "/feed"}


def test_a_broken_feed_is_logged_and_the_crawl_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    origin, _ = crawl(tmp_path, typed(FEED[:90], "application/rss+xml"), follow_formats=("feed",))
    assert asked(origin) == {"/", "/feed"}
    assert "http://a.test/feed: the parser feed cannot read it" in caplog.text


def test_links_of_a_document_are_in_the_journal_before_the_document_is_done(tmp_path: Path) -> None:
    """A crawl that goes on fetches them, and neither fetches nor parses the feed again."""
    with Origin() as origin:
        origin.say("/", reply(page("home", "/feed")))
        origin.say("/feed", typed(FEED, "application/rss+xml"))
        for path in ("/storm", "/map", "/sun"):
            origin.say(path, reply(page(path)))
        snapshot = ws.create(tmp_path / "uk").add("2026-06")
        hosts = {"a.test": origin.at(), "b.test": origin.at()}
        fetched = []
        for limit in (2, 0):
            settings = CrawlSettings(
                resolve=False, host_delay=0, ip_delay=0, fetchers=1, max_pages=limit, follow_formats=("feed",)
            )
            Crawl(snapshot, settings, seeds=["http://a.test/"], hosts=hosts).run()
            fetched.append(origin.paths())
    assert fetched[0][:2] == ["/", "/feed"]
    assert len(fetched[0]) < 5, "the limit left something to do"
    assert sorted(fetched[1]) == ["/", "/feed", "/map", "/storm", "/sun"]


@pytest.fixture
def csv() -> Iterator[str]:
    def parse(body: bytes, url: str, content_type: str) -> ParsedDocument:
        return ParsedDocument(blocks=[ParsedBlock(line, link=line) for line in body.decode().split()])

    register_parser("csv", ["text/csv"], parse)
    yield "csv"
    unregister_parser("csv")


def test_a_registered_parser_leads_a_crawl_on(csv: str, tmp_path: Path) -> None:
    origin, _ = crawl(tmp_path, typed(b"/storm\nhttp://b.test/sun\n", "text/csv"), follow_formats=(csv,))
    assert asked(origin) == {"/", "/feed", "/storm", "/sun"}


def test_an_unknown_format_and_several_agents_are_refused(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    with pytest.raises(SettingError, match="follow_formats: there is no parser fed; known are feed"):
        Crawl(snapshot, CrawlSettings(resolve=False, follow_formats=("fed",)))
    settings = CrawlSettings(resolve=False, follow_formats=("feed",))
    with pytest.raises(SettingError, match="several agents follow the links of HTML alone"):
        Crawl(snapshot, settings, ring=Ring(["a", "b"]), agent="a", send=lambda agent, urls: None)
