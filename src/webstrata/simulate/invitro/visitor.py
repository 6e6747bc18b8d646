"""A plain visitor of an in-vitro web: one request at a time, breadth-first, polite.

It knows nothing of the truth: it reads robots.txt, parses pages and follows their links and redirects, so
what it finds is what is served. It is for trying a server and its judge, and slow on purpose; the crawler is
another room.
"""

from __future__ import annotations

import http.client
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from webstrata.collection.progress import Progress
from webstrata.web.robots import rules_for_status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstrata.simulate.invitro.server import Server
    from webstrata.web.robots import Robots

_SLACK = 0.01
USER_AGENT = "webstrata-visitor (+http://localhost/)"


class _Links(HTMLParser):
    """Gathers where the links of a page lead."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.base = url
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href")
        if target and tag == "base":
            self.base = urljoin(self.base, target)
        elif target and tag == "a":
            self.found.append(urldefrag(urljoin(self.base, target)).url)


@dataclass
class Visit:
    """What a visitor saw: the links of each page, and the status of everything it asked for."""

    pages: dict[str, list[str]] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


class Visitor:
    """Asks one server for one thing at a time, and waits between visits to a host and to an address."""

    def __init__(self, server: Server, *, host_delay: float, ip_delay: float) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self._delays = {"host": host_delay, "ip": ip_delay}
        self._addresses = server.addresses()
        self._free: dict[tuple[str, str], float] = defaultdict(float)
        self._robots: dict[str, Robots] = {}

    def fetch(self, url: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body of an address, asked for when its host and its address may be asked."""
        host = urlsplit(url).netloc
        keys = [("host", host), ("ip", self._addresses.get(host, host))]
        time.sleep(max(0.0, *(self._free[key] - time.monotonic() for key in keys)))
        try:
            self._connection.request("GET", url, headers={"User-Agent": USER_AGENT})
            answer = self._connection.getresponse()
            status, headers, body = answer.status, answer.headers, answer.read()
        except (http.client.HTTPException, OSError):  # a server that hangs up is no reason to stop
            self._connection.close()
            status, headers, body = 0, http.client.HTTPMessage(), b""
        for key in keys:
            # a little more than asked for, since two clocks tell it
            self._free[key] = time.monotonic() + 1.1 * self._delays[key[0]] + _SLACK
        return status, headers, body

    def may_fetch(self, url: str) -> bool:
        """Whether the robots.txt of the host, fetched once, allows an address; one that fails forbids all."""
        parts = urlsplit(url)
        if parts.netloc not in self._robots:
            status, _, body = self.fetch(f"http://{parts.netloc}/robots.txt")
            self._robots[parts.netloc] = rules_for_status(status, body, USER_AGENT.partition(" ")[0])
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        return self._robots[parts.netloc].allows(target)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def visit(
    server: Server,
    seeds: Iterable[str],
    *,
    pages: int,
    host_delay: float = 4.0,
    ip_delay: float = 0.5,
    progress: Progress | None = None,
) -> Visit:
    """Walk breadth-first from `seeds` until so many pages are there.

    Examples
    --------
    >>> from webstrata.simulate.invitro import Web
    >>> web = Web("tiny", seed=7)
    >>> with web.serve() as server:
    ...     seen = visit(server, web.home_pages()[:1], pages=3, host_delay=0, ip_delay=0)
    >>> len(seen.pages), set(seen.pages) <= set(web.graph().urls)
    (3, True)
    """
    started = time.monotonic()
    visitor = Visitor(server, host_delay=host_delay, ip_delay=ip_delay)
    queue = deque(seeds)
    known = set(queue)
    seen = Visit()
    with (progress or Progress()).task("visiting", total=pages, unit="pages") as task:
        while queue and len(seen.pages) < pages:
            url = queue.popleft()
            if not visitor.may_fetch(url):
                continue
            status, headers, body = visitor.fetch(url)
            seen.statuses[url] = status
            links: list[str] = []
            if status == 200:
                links = seen.pages[url] = _read_links(url, headers, body)
                task.advance()
            elif status in (301, 302) and headers["Location"]:
                links = [urljoin(url, headers["Location"])]
            for link in links:
                if link.startswith("http://") and link not in known:
                    known.add(link)
                    queue.append(link)
    visitor.close()
    seen.seconds = time.monotonic() - started
    return seen


def _read_links(url: str, headers: http.client.HTTPMessage, body: bytes) -> list[str]:
    parser = _Links(url)
    parser.feed(body.decode(headers.get_content_charset("utf-8"), "replace"))
    return parser.found
