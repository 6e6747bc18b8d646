"""The truth against a plain, independent crawler: what is found over HTTP is what the truth says.

The crawler knows nothing of the web: it parses pages with `html.parser`, joins links with `urljoin`, reads
robots.txt with its own matcher and keeps what answers 200; redirects it follows. The traps of `tiny` and
`small` are all forbidden, or nobody could ever be done with them.
"""

from __future__ import annotations

import itertools
import queue
import re
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest

from tests.invitro.clients import Answer, Client
from tests.invitro.reference import is_allowed
from webstrata.invitro import InvitroServer, Web

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKERS = 4


class Page(HTMLParser):
    """Links with their anchors, title, base, and the text that a visitor sees."""

    def __init__(self, url: str, answer: Answer) -> None:
        super().__init__()
        self.links: list[tuple[str, str, bool]] = []
        self.title = ""
        self.text: list[str] = []
        self._base = url
        self._within: list[str] = []
        self._link: tuple[str, bool] | None = None
        self._anchor = ""
        charset = answer.headers["content-type"].partition("charset=")[2] or "utf-8"
        self.feed(answer.body.decode(charset))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag == "base":
            self._base = named["href"]
        elif tag == "a":
            self._link = (urljoin(self._base, named["href"]), "nofollow" in named.get("rel", ""))
            self._anchor = ""
        elif tag in ("title", "style") or "display:none" in named.get("style", ""):
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._link is not None:
            self.links.append((self._link[0], self._anchor, self._link[1]))
            self._link = None
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if "title" in self._within:
            self.title += data
        elif not self._within:
            self.text.append(data)
            self._anchor += data if self._link else ""


@dataclass
class Crawl:
    """A breadth-first search from the home pages over a few connections."""

    server: InvitroServer
    pages: dict[str, list[str]] = field(default_factory=dict)
    """Links of every address that answered with a page."""

    def run(self, seeds: list[str]) -> None:
        """Visit everything that can be reached."""
        with ExitStack() as open_clients:
            clients = [open_clients.enter_context(Client(self.server)) for _ in range(WORKERS)]
            self._visit(clients, seeds)

    def _visit(self, clients: list[Client], seeds: list[str]) -> None:
        robots: dict[str, Answer] = {}
        seen: set[str] = set()
        level = seeds
        while level:
            level = [url for url in dict.fromkeys(level) if url not in seen]
            seen.update(level)
            for host in {urlsplit(url).netloc for url in level} - set(robots):
                robots[host] = self._ask(clients[0], f"http://{host}/robots.txt")
            allowed = [url for url in level if self._may_visit(url, robots[urlsplit(url).netloc])]
            level = []
            for url, answer in self._fetch(clients, allowed):
                if answer.status in (301, 302):
                    level.append(urljoin(url, answer.headers["location"]))
                elif answer.status == 200:
                    self.pages[url] = [link for link, _, _ in Page(url, answer).links]
                    level += self.pages[url]

    @staticmethod
    def _ask(client: Client, url: str) -> Answer:
        try:
            return client.get(url)
        except RemoteDisconnected:  # some hosts always hang up
            return Answer(0, {}, b"")

    @staticmethod
    def _may_visit(url: str, robots: Answer) -> bool:
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        return is_allowed(robots.status, robots.body, target)

    def _fetch(self, clients: list[Client], urls: list[str]) -> list[tuple[str, Answer]]:
        waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        for url in urls:
            waiting.put(url)
        found: list[tuple[str, Answer]] = []

        def work(client: Client) -> None:
            while True:
                try:
                    url = waiting.get_nowait()
                except queue.Empty:
                    return
                answer = self._ask(client, url)
                if answer.headers.get("retry-after") == "1":
                    answer = self._ask(client, url)
                found.append((url, answer))

        threads = [threading.Thread(target=work, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


@pytest.mark.parametrize(
    ("preset", "month"),
    [
        *(("tiny", month) for month in range(3)),
        *(pytest.param("small", month, marks=pytest.mark.slow) for month in range(4)),
    ],
)
def test_a_plain_search_over_http_finds_the_true_graph(preset: str, month: int) -> None:
    web = Web(preset, seed=7)
    graph = web.graph(month)
    with web.serve(month) as server:
        crawl = Crawl(server)
        crawl.run(web.home_pages(month))
    assert sorted(crawl.pages) == sorted(graph.urls)
    urls = list(graph.urls)
    for node, url in enumerate(urls):
        found = {link for link in crawl.pages[url] if link in crawl.pages}
        assert found == {urls[target] for target in graph.successors(node)}, url
    assert graph.num_nodes > 200
    assert graph.num_arcs > 5 * graph.num_nodes


@pytest.fixture(scope="module", params=[("tiny", 2), ("small", 3)], ids=["tiny", "small"])
def server(request: pytest.FixtureRequest) -> Iterator[InvitroServer]:
    preset, month = request.param
    with Web(preset, seed=11, flaky_share=0).serve(month) as server:
        yield server


def sample(server: InvitroServer, number: int = 150) -> list[str]:
    urls = server.web.graph(server.month).urls
    return [urls[place] for place in range(0, len(urls), max(1, len(urls) // number))]


def test_links_text_title_and_topic_are_those_of_the_page(server: InvitroServer) -> None:
    web, month = server.web, server.month
    with Client(server) as client:
        seen = 0
        for url in sample(server):
            facts = web.facts(url, month) or {}
            page = Page(url, client.get(url))
            if not facts["text"]:
                continue  # the page for what is not there
            seen += 1
            told = [(link.url, link.anchor, link.nofollow) for link in web.links(url, month)]
            assert sorted(page.links) == sorted(told)
            assert page.title == facts["title"]
            visible = " ".join(" ".join(page.text).split())
            for line in web.text(url, month).splitlines():
                assert " ".join(line.split()) in visible
            assert web.topic(url, month) == facts["topic"] < web.settings.topics
    assert seen > 100


def test_a_duplicate_has_the_bytes_of_its_original(server: InvitroServer) -> None:
    web, month = server.web, server.month
    with Client(server) as client:
        same = elsewhere = 0
        for url in web.graph(month).urls:
            original = web.duplicate_of(url, month)
            if original is None:
                continue
            bodies = [client.get(address).body for address in (url, original)]
            if "sid=" in url or "sid=" in original:
                # links of a session carry its identifier, and counters count it
                bodies = [
                    re.sub(rb"sid=\w+|Advertisement \d+|2026-\d+: visitor \d+", b"", body) for body in bodies
                ]
                bodies = [re.sub(rb"(&amp;|[?])(?=\")", b"", body) for body in bodies]
            assert bodies[0] == bodies[1], (url, original)
            same += 1
            elsewhere += urlsplit(url).netloc != urlsplit(original).netloc
    assert same > 20


def test_months_are_told_apart_over_http() -> None:
    web = Web("small", seed=7, flaky_share=0)
    changes = web.changes(0, 1)
    with (
        web.serve(0) as before,
        web.serve(1) as after,
        Client(before) as then,
        Client(after) as now,
    ):
        for url in changes.died[:40]:
            assert then.get(url).status == 200
        for url in changes.born[:40]:
            assert now.get(url).status == 200
        for url in itertools.islice(changes.changed, 40):
            assert then.get(url).body != now.get(url).body
    assert min(len(changes.died), len(changes.born), len(changes.changed)) > 40
