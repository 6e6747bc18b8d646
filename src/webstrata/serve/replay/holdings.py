"""The captures of a collection as the replay origin sees them: all snapshots, as they are now.

**Which capture is meant.** Of the captures of exactly this URL, the one nearest to the time; the earlier of
two that are equally near. If there is none, the same of all URLs with its key, which has no scheme and no
``www.``, without redirects to the URL itself. This is the rule of `Collection.get`, but for the time: a page
has pictures that were captured seconds after it, so that the last capture *before* a page would be of an
older picture.

A URL that was taken down is not found, here or in the CDX server.
"""

from __future__ import annotations

import threading
import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from webstrata.archive.cdxj import Entry, surt
from webstrata.errors import MissingError, UrlError
from webstrata.serve.replay.lines import END, BlockTable, IndexLine, MergedLines, Range, forget_blocks
from webstrata.serve.replay.packages import WaczDownloads
from webstrata.serve.replay.rows import parse_timestamp
from webstrata.store.captures import AllCaptures, StoredCapture, read_capture
from webstrata.store.takedowns import find_takedowns
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webstrata.collection import Collection
    from webstrata.store.captures import Captures
    from webstrata.store.takedowns import Takedown, Takedowns

REFRESH = 0.5
"""Seconds after which a server looks for new snapshots and rebuilt parts."""
_MARK = b"__wb_method"


class Holding(NamedTuple):
    """What a collection holds at one moment."""

    captures: list[Captures]
    lines: MergedLines
    takedowns: Takedowns

    def shows(self, line: bytes) -> bool:
        """Whether the capture of a line is not taken down."""
        if not self.takedowns:
            return True
        if _MARK in line:
            return not self.takedowns.hides(Entry.parse(line).url)
        key = line[: line.index(b" ")].decode()
        return not any(rule.matches(key) for rule in self.takedowns.rules)

    def show(self, rows: Iterator[IndexLine]) -> Iterator[IndexLine]:
        """Those lines whose captures are not taken down."""
        return (row for row in rows if self.shows(row.line)) if self.takedowns else rows


class Holdings:
    """The captures of one collection, opened once and again when a part was built.

    Examples
    --------
    >>> from webstrata import testing
    >>> holdings = Holdings("uk", testing.collection())
    >>> found = holdings.find("http://news.example/", "20260510")
    >>> found.entry.timestamp, holdings.read(found).status
    ('20260501000007', 200)
    """

    def __init__(
        self, name: str, collection: Collection, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name, self.collection = name, collection
        self.packages = WaczDownloads()
        self._all = AllCaptures(collection)
        self._clock = clock
        self._lock = threading.Lock()
        self._tables: dict[int, tuple[Captures, BlockTable]] = {}
        self._held: Holding | None = None
        self._since = 0.0

    def now(self) -> Holding:
        """What there is; looked up at most twice per second."""
        held = self._held
        if held is not None and self._clock() - self._since < REFRESH:
            return held._replace(takedowns=find_takedowns(self.collection))
        with self._lock:
            captures = self._all.list()
            known, self._tables = self._tables, {}
            if any(id(each) not in known for each in captures):
                forget_blocks()
            for each in captures:
                self._tables[id(each)] = known.get(id(each)) or (each, BlockTable(each.index))
            lines = MergedLines([self._tables[id(each)][1] for each in captures])
            self._held = Holding(captures, lines, find_takedowns(self.collection))
            self._since = self._clock()
            return self._held

    def find_takedown(self, url: str) -> Takedown | None:
        """The takedown that hides a URL."""
        return find_takedowns(self.collection).find(url)

    def find(self, url: str, timestamp: str = "") -> FoundLine | None:
        """The capture of a URL nearest to a timestamp; the last one without a timestamp."""
        holding = self.now()
        url = normalize(url)
        key = surt(url)
        whole = Range(f"{key} ".encode(), f"{key}!".encode())
        like = None
        for row in self._nearest(holding, whole, timestamp):
            entry = Entry.parse(row.line)
            target = find_redirect(entry)
            if entry.url == url and target != url:
                return FoundLine(holding, entry, row.place)
            if like is None and (target is None or surt(target) != key):
                like = FoundLine(holding, entry, row.place)
        return like

    def neighbours(self, url: str, number: int = 3) -> list[str]:
        """Captured URLs next to one that was not captured, in the order of keys."""
        holding = self.now()
        key = surt(normalize(url)).encode()
        before = holding.show(holding.lines.backward(Range(b"", key)))
        behind = holding.show(holding.lines.forward(Range(key, END)))
        found = [Entry.parse(row.line).url for row in [*islice(before, number)][::-1]]
        found += [Entry.parse(row.line).url for row in islice(behind, number)]
        return list(dict.fromkeys(found))

    def read(self, found: FoundLine) -> StoredCapture:
        """A capture with its records; the payload of a revisit may be in any snapshot."""
        captures = found.holding.captures
        near = [captures[found.place], *reversed(captures[: found.place]), *captures[found.place + 1 :]]
        return read_capture(found.entry, near)

    def _nearest(self, holding: Holding, lines: Range, timestamp: str) -> Iterator[IndexLine]:
        """The lines of one key by their distance from a time."""
        if not timestamp:
            return holding.show(holding.lines.backward(lines))
        return walk_from(holding, lines, timestamp)


class FoundLine(NamedTuple):
    """A line of the index that was looked for."""

    holding: Holding
    entry: Entry
    place: int
    """The snapshot, among those of `holding`."""


def walk_from(holding: Holding, lines: Range, timestamp: str) -> Iterator[IndexLine]:
    """The lines of one key by their distance from a timestamp; the earlier first of two equally near ones.

    Examples
    --------
    >>> from webstrata import testing
    >>> holding = Holdings("uk", testing.collection()).now()
    >>> news = Range(b"example,news)/ ", b"example,news)/!")
    >>> [row.line[15:23] for row in walk_from(holding, news, "20260510000000")]
    [b'20260501', b'20260601', b'20260401']
    """
    moment = parse_timestamp(timestamp)
    middle = lines.low + moment.strftime("%Y%m%d%H%M%S").zfill(14).encode()
    # a capture at the very moment is among the later ones, and is nearest
    before = holding.show(holding.lines.backward(Range(lines.low, middle)))
    behind = holding.show(holding.lines.forward(Range(middle, lines.high)))

    def measure(row: IndexLine | None) -> float:
        if row is None:
            return float("inf")
        start = row.line.index(b" ") + 1
        return abs((parse_timestamp(row.line[start : start + 14].decode()) - moment).total_seconds())

    earlier, later = next(before, None), next(behind, None)
    while earlier is not None or later is not None:
        if earlier is not None and measure(earlier) <= measure(later):
            yield earlier
            earlier = next(before, None)
        elif later is not None:
            yield later
            later = next(behind, None)


def find_redirect(entry: Entry) -> str | None:
    """The normal form of the URL that a capture redirects to.

    Examples
    --------
    >>> fields = {"url": "http://a.uk/", "status": "301", "redirect": "/b"}
    >>> find_redirect(Entry("uk,a)/", "20260601000000", fields))
    'http://a.uk/b'
    """
    target = entry.fields.get("redirect", "")
    if not target or target == "-" or not 300 <= entry.status < 400:
        return None
    try:
        return normalize(urljoin(entry.url, target))
    except (UrlError, ValueError):
        return None


def explain_missing(name: str, url: str, takedown: Takedown | None) -> MissingError:
    """The error for a URL that is not served.

    Examples
    --------
    >>> str(explain_missing("uk", "http://example.org/", None))
    'uk: http://example.org/ was not captured'
    """
    if takedown is not None:
        return MissingError(f"{name}: {url} was taken down on {takedown.date[:10]}")
    return MissingError(f"{name}: {url} was not captured")
