"""A collection as the pages hold it: opened again when something was built, with what is computed once.

Readers see the parts as they were when their request began: a build replaces parts, and the next request
opens the collection again. What is derived from parts (`Site.keep`) lives as long as these parts.
"""

from __future__ import annotations

import copy
import hashlib
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import numpy as np

from webstrata.collection.action import Action
from webstrata.collection.dates import find_last
from webstrata.errors import MissingError, WebstrataError
from webstrata.serve.page.view import MissingPart, TimeMark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from webstrata.api import Collection, Snapshot
    from webstrata.rank.ranking import Ranking
    from webstrata.rank.stored import RankedGraph

_T = TypeVar("_T")
_LOOK = 1.0
"""Seconds between two looks at the manifests."""
_NONE = object()
_MOST = 4096
"""Things that are kept of one state of the parts."""


@dataclass
class _Opened:
    collection: Collection
    version: str
    kept: dict[Any, Any]
    locks: dict[Any, threading.Lock]
    """One per key of `kept`, so that many first requests compute a thing once."""


class _Shared:
    """What all copies of a site have in common."""

    def __init__(self, collection: Collection, clock: Callable[[], float]) -> None:
        self.lock = threading.Lock()
        self.clock, self.looked = clock, clock()
        self.opened = _Opened(collection, read_version(collection), {}, {})


class Site:
    """One collection that is served.

    Parameters
    ----------
    collection
        Opened.
    name
        What it is called in paths of the replay origin, and of pages where several are served.
    base
        What the paths of its pages begin with: empty, or ``/name``.
    replay
        The replay origin, or empty where there is none.

    Examples
    --------
    >>> from webstrata import testing
    >>> site = Site(testing.collection(), "uk")
    >>> site.page("http://garden.example/pond?a=1", at="2026-06")
    '/page/http://garden.example/pond%3Fa=1?at=2026-06'
    >>> [(mark.date, mark.count) for mark in site.marks()]
    [('2026-04', 13), ('2026-05', 13), ('2026-06', 15)]
    """

    def __init__(
        self,
        collection: Collection,
        name: str,
        *,
        base: str = "",
        replay: str = "",
        models: tuple[str, ...] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.base, self.replay, self.models = name, base, replay, models
        self._shared = _Shared(collection, clock)
        self._pinned: _Opened | None = None

    def with_replay(self, origin: str) -> Site:
        """The same site for one request: with the parts as they are now, and this replay origin."""
        found = copy.copy(self)
        found.replay, found._pinned = origin, self._now
        return found

    @property
    def _now(self) -> _Opened:
        if self._pinned is not None:
            return self._pinned
        shared = self._shared
        with shared.lock:
            if shared.clock() - shared.looked >= _LOOK:
                shared.looked = shared.clock()
                current = shared.opened.collection
                version = read_version(current)
                if version != shared.opened.version:
                    shared.opened = _Opened(type(current).open(current.path), version, {}, {})
            return shared.opened

    @property
    def collection(self) -> Collection:
        """The collection as it is now."""
        return self._now.collection

    @property
    def version(self) -> str:
        """Another text whenever a part was built, for ETag."""
        return self._now.version

    def keep(self, key: object, make: Callable[[Collection], _T]) -> _T:
        """What `make` computes from the parts, once for as long as they stay the same."""
        opened = self._now
        found = opened.kept.get(key, _NONE)
        if found is _NONE:
            with self._shared.lock:
                lock = opened.locks.setdefault(key, threading.Lock())
            with lock:
                found = opened.kept.get(key, _NONE)
                if found is _NONE:
                    found = opened.kept[key] = make(opened.collection)
            with self._shared.lock:
                opened.locks.pop(key, None)
                # some keys have words of clients
                if len(opened.kept) > _MOST:
                    for old in list(opened.kept)[: _MOST // 2]:
                        opened.kept.pop(old, None)
        made: _T = found
        return made

    # ---- snapshots

    @property
    def dates(self) -> list[str]:
        """The dates of the snapshots that have pages, oldest first."""
        return self.keep("dates", lambda collection: [one.date for one in collection if "pages" in one.parts])

    def snapshot(self, at: str | None = None) -> Snapshot:
        """The last snapshot at or before a date; the last one of all where no date is given."""
        collection = self.collection
        dates = self.dates or collection.dates
        if not dates:
            raise MissingError(
                f"{self.name}: the collection has no snapshot",
                fix=Action("ingest", str(collection.path), "SNAPSHOT", ("FILE",)),
            )
        return collection[find_last(dates, at) if at else dates[-1]]

    def marks(
        self, counts: Mapping[str, int] | None = None, chosen: set[str] | None = None
    ) -> list[TimeMark]:
        """The time strip: pages of every snapshot, or other counts."""
        if counts is None:
            counts = self.keep(
                "pages",
                lambda collection: {
                    date: int(collection[date].parts.record("pages").counts.get("nodes", 0))
                    for date in self.dates
                },
            )
        return [
            TimeMark(date, int(counts.get(date, 0)), chosen is None or date in chosen) for date in self.dates
        ]

    def ranking(self, date: str, method: str = "pagerank", level: str = "page") -> Ranking | None:
        """The stored ranking of a snapshot; none where there is none."""
        found = self._rankings(date, method, level)
        return found[1] if found is not None else None

    def ranked_graph(self, date: str, method: str = "pagerank", level: str = "page") -> RankedGraph | None:
        """What a stored ranking is of, to find nodes by name."""
        found = self._rankings(date, method, level)
        return found[0] if found is not None else None

    def _rankings(self, date: str, method: str, level: str) -> tuple[RankedGraph, Ranking] | None:
        def read(collection: Collection) -> tuple[RankedGraph, Ranking] | None:
            from webstrata.rank.part import part_name
            from webstrata.rank.settings import RankSettings
            from webstrata.rank.stored import RankedGraph, read_stored

            snapshot = collection[date]
            if part_name(method, level) not in snapshot.parts or "graph" not in snapshot.parts:
                return None
            graph = RankedGraph(snapshot, level)
            found = read_stored(graph, RankSettings(method=method, level=level))
            return None if found is None else (graph, found)

        return self.keep(("rank", date, method, level), read)

    def lacks(self, what: str, *parts: str, snapshot: str = "") -> MissingPart:
        """What cannot be shown, with the command that builds these parts."""
        path = str(self.collection.path)
        return MissingPart(what, Action("build", path, snapshot, parts).command)

    # ---- addresses of pages

    def page(self, url: str, **query: object) -> str:
        """The address of the page about a URL."""
        return f"{self.base}/page/{quote(url, safe=':/,;@!$*()=+~')}{write_query(query)}"

    def path(self, name: str, **query: object) -> str:
        """The address of another page by its name, as ``search`` or ``hosts/example.org``."""
        return f"{self.base}/{quote(name, safe='/.:-')}{write_query(query)}"

    def capture(self, url: str, timestamp: str) -> str:
        """The address of a capture on the replay origin; empty where there is none."""
        if not self.replay:
            return ""
        return f"{self.replay}/{quote(self.name)}/{timestamp}/{quote(url, safe=':/?&=,;@!$*()+~%')}"


def write_query(values: Mapping[str, object]) -> str:
    """The query of an address; what is empty is left out.

    Examples
    --------
    >>> write_query({"q": "a b", "at": None, "from_": "2026"})
    '?q=a%20b&from=2026'
    """
    given = {name.rstrip("_"): value for name, value in values.items() if value not in (None, "", False)}
    words = [f"{name}={quote(str(value), safe='')}" for name, value in given.items()]
    return f"?{'&'.join(words)}" if words else ""


def read_version(collection: Collection) -> str:
    """A digest of what was built: the checksum of every part of a collection and its snapshots.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.empty()
    >>> before = read_version(uk)
    >>> _ = uk.add("2026-06")
    >>> read_version(uk) == before
    False
    """
    digest = hashlib.sha256()
    holders: list[Any] = [collection, *collection]
    for holder in holders:
        digest.update(getattr(holder, "date", "").encode() + b"\0")
        try:
            for record in holder.parts:
                digest.update(f"{record.name} {record.generation} {record.checksum}\n".encode())
        except WebstrataError as error:
            digest.update(str(error).encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Movement:
    """How many pages of a snapshot are new, changed or gone since the one before; by host for the last."""

    new: int
    changed: int
    gone: int
    hosts: tuple[tuple[str, int, int, int], ...] = ()
    """Hosts with most of them: name, new, changed, gone."""


def find_movements(collection: Collection, most: int = 8) -> dict[str, Movement]:
    """What moved from each snapshot to the next, by the versions that the text index knows.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = find_movements(testing.collection())
    >>> {date: (one.new, one.changed, one.gone) for date, one in found.items()}
    {'2026-05': (1, 5, 1), '2026-06': (2, 4, 0)}
    """
    from itertools import pairwise

    import pyarrow.compute as pc

    index = collection.text_index
    keys = index.documents["row_key"].combine_chunks()
    encoded = pc.dictionary_encode(keys)
    codes, names = encoded.indices.to_numpy(), encoded.dictionary
    number = len(names)
    found = {}
    for place, (_, date) in enumerate(pairwise(index.snapshots)):
        then = (index.labels >> np.uint64(place) & np.uint64(1)).astype(bool)
        now = (index.labels >> np.uint64(place + 1) & np.uint64(1)).astype(bool)
        was, is_now, same = (np.zeros(number, bool) for _ in range(3))
        was[codes[then]], is_now[codes[now]], same[codes[then & now]] = True, True, True
        kinds = (is_now & ~was, was & is_now & ~same, was & ~is_now)
        new, changed, gone = (int(kind.sum()) for kind in kinds)
        found[date] = Movement(new, changed, gone, _by_host(kinds, names, most))
    return found


def _by_host(kinds: tuple[Any, ...], names: Any, most: int) -> tuple[tuple[str, int, int, int], ...]:  # noqa: ANN401
    from collections import Counter

    counters = [
        Counter(str(names[int(place)].as_py()).partition(")")[0] for place in np.flatnonzero(kind)[:200_000])
        for kind in kinds
    ]
    total: Counter[str] = sum(counters, Counter())
    return tuple(
        (
            ".".join(reversed(host.partition(" ")[0].split(","))),
            *(counter[host] for counter in counters),
        )  # type: ignore[misc]
        for host, _ in total.most_common(most)
    )
