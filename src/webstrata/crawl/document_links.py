"""Links of documents other than HTML, followed by the crawl that fetches them (LECT: extensible).

The core follows the links of HTML and of sitemaps. The setting ``follow_formats`` names parsers (``feed``,
``json-ld``, ``pdf``, or any that is registered; see `webstrata.store.parsers.registry`), and ``text``: then
documents of their content types are parsed as they come, and their links join the frontier::

    response ──filter follow──▶ parser ──▶ normal form, depth, filter schedule ──▶ frontier

- It happens in the filter ``follow``, so status 200, ``nofollow`` of the response and the user's own filter
  hold as they do for pages. HTML never gets here.
- A link within a host lies one deeper than its document, a link to another host begins at 0; what lies deeper
  than ``max_depth``, or is refused by the filter ``schedule``, is left out.
- The links are in the journal before the document is done, so a crawl that is killed loses none.
- Feeds are often served as ``text/xml`` or ``application/xml``: these count as feeds where their root is one.
- A document that its parser cannot read leads nowhere; it is logged.

Parsers run in Python, one at a time, and the fetcher waits for them.
"""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING

from webstrata.errors import SettingError, UrlError
from webstrata.store.parsers.registry import find_parsers
from webstrata.web import html
from webstrata.web.url import normalize, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from webstrata.crawl.filters import Response
    from webstrata.crawl.run import Crawl
    from webstrata.store.parsers.registry import Parser

FOLLOWED = "LinksOfDocument"
"""The predicate by which the filter ``follow`` shows documents."""
OTHERS = f"ContentTypeStartsWith(text/html) or ContentTypeStartsWith(application/xhtml) or {FOLLOWED}"
"""What is added to the filter ``follow``: true of everything, but asks about documents that are not HTML."""
TEXT = "text"
"""In ``follow_formats``: URLs that stand in plain text."""
_URL = re.compile(rb"""https?://[^\s<>"'`{}|\\^]+""", re.I)
_FEED = re.compile(rb"<(?:\w+:)?(?:rss|feed|RDF)\b")
_XML = ("text/xml", "application/xml")
_START = 10.0
"""Seconds in which the core is running once it has begun to fetch."""

_log = logging.getLogger(__name__)


def document_predicates(crawl: Crawl) -> dict[str, Callable[[Sequence[Response]], list[bool]]]:
    """The predicate that follows documents, for the filters of a crawl; nothing where it follows none.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.crawl.run import Crawl
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> snapshot = testing.empty().add("2026-06")
    >>> for formats in (), ("feed", "text"):
    ...     settings = CrawlSettings(resolve=False, follow_formats=formats)
    ...     print(list(document_predicates(Crawl(snapshot, settings))))
    []
    ['LinksOfDocument']
    """
    names = crawl.settings.follow_formats
    if not names:
        return {}
    parsers = find_parsers([name for name in names if name != TEXT], "follow_formats")
    if crawl.ring is not None:
        raise SettingError("follow_formats: several agents follow the links of HTML alone; leave it out")

    def follow(responses: Sequence[Response]) -> list[bool]:
        found = [link for response in responses for link in _find(crawl, response, parsers)]
        if found:
            _add(crawl, found)
        return [True] * len(responses)

    return {FOLLOWED: follow}


def read_links(
    response: Response, parsers: Mapping[str, Parser], *, text: bool = False, nofollow: bool = True
) -> list[str]:
    """Where a document leads, in normal form, each once; nothing for content types without a parser.

    Examples
    --------
    >>> from webstrata.crawl.filters import Response
    >>> feed = b"<rss><channel><item><title>A</title><link>/a</link></item></channel></rss>"
    >>> response = Response(url="http://x.org/feed", content_type="text/xml", body=feed)
    >>> read_links(response, find_parsers(["feed"]))
    ['http://x.org/a']
    >>> response = Response(url="http://x.org/a", content_type="text/plain", body=b"See http://y.org/b.")
    >>> read_links(response, {}, text=True)
    ['http://y.org/b']
    """
    kind = response.content_type.partition(";")[0].strip().lower()
    if kind in _XML and kind not in parsers and _FEED.search(response.body[:2048]):
        kind = "application/rss+xml"
    found: dict[str, None] = {}
    if kind in parsers:
        try:
            page = parsers[kind].parse(response.body, response.url, kind).to_html()
        except Exception as error:
            _log.warning("%s: the parser %s cannot read it: %s", response.url, parsers[kind].name, error)
            return []
        for link in html.scan(page, url=response.url, charset="utf-8").links:
            if link.url and (nofollow or not link.rel & html.Rel.NOFOLLOW):
                found[link.url] = None
    elif text and kind == "text/plain":
        for matched in _URL.finditer(response.body):
            try:
                found[normalize(matched[0].rstrip(b".,;:!?)]").decode("utf-8", "replace"))] = None
            except UrlError:
                continue
    return list(found)


def _find(crawl: Crawl, response: Response, parsers: Mapping[str, Parser]) -> Iterator[tuple[str, int]]:
    """The links of a document that are followed, with their depths."""
    settings = crawl.settings
    if response.is_duplicate and not settings.follow_duplicates:
        return
    text = TEXT in settings.follow_formats
    links = read_links(response, parsers, text=text, nofollow=settings.follow_nofollow)
    origin = split(response.url)[0]
    near = [
        (url, response.depth + 1 if split(url)[0] == origin else 0)
        for url in links
        if len(url) <= settings.max_url_length
    ]
    near = [(url, depth) for url, depth in near if depth <= settings.max_depth]
    schedule = crawl.filters["schedule"]
    if near and schedule is not None:
        urls, depths = [url for url, _ in near], [depth for _, depth in near]
        passed = schedule.admits_many(urls, [response.url] * len(urls), depths)
        near = [link for link, passes in zip(near, passed, strict=True) if passes]
    yield from near


def _add(crawl: Crawl, links: list[tuple[str, int]]) -> None:
    """Hand links to the frontier; the first visits of a crawl that resumes may be faster than its start."""
    ended = time.monotonic() + _START
    while crawl.control is None and time.monotonic() < ended:
        time.sleep(0.01)
    crawl.add(links)
