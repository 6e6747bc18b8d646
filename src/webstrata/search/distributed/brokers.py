"""Brokers: queries in, to the parts of an index, and one answer out of theirs (LECT).

A broker of documents asks for the frequencies of terms that it has not met, adds them up, and sends the query
with these to all parts; each gives its best k, and the best k of these are the best of all. Scores are those
of one index, since N, df and mean lengths are those of all parts together.

A broker of tiers does the same, but with one part after the other, until there are enough answers: cheaper,
and not exact where a document of a later tier would have scored more.

A broker of terms fetches the lists of the query's terms from the parts that have them, and scores and merges
them itself.

**Statistics are refreshed in the background.** A broker that lives longer than a query keeps N, mean lengths
and the df of the terms that it has met. When a partition was built again for a larger index, `Broker.refresh`
lets the servers open it and asks all of them for these numbers again. With `refresh` seconds, a thread of the
broker does so now and then. Queries between two refreshes are answered with the old files and the old
numbers, which fit each other; a query that is under way is not disturbed.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from webstrata.collection.action import Action
from webstrata.errors import MissingError, WebstrataError
from webstrata.search.distributed.partitions import FACTS, part_name, place_of, read_partition
from webstrata.search.distributed.postings import (
    Key,
    Lengths,
    Merger,
    iter_keys,
    iter_phrase_keys,
    iter_terms,
)
from webstrata.search.distributed.servers import DocumentServer, Pool, Servers, TermServer
from webstrata.search.fields import FIELDS, SCORED, weight_list
from webstrata.search.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.search.hits import Hits
    from webstrata.search.index import TextIndex
    from webstrata.search.query import Clause

    Shipped = dict[Key, bytes]
    Top = tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32], npt.NDArray[np.float32]]

_log = logging.getLogger(__name__)


class Broker(ABC):
    """A partition of an index with its servers, a context manager; `top` is that of the index itself.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.distributed.partitions import ensure_partition
    >>> collection = testing.collection()
    >>> ensure_partition(collection, "terms", 2)
    >>> with BROKERS["terms"](collection.text_index, "terms", pool="threads") as broker:
    ...     broker.facts.parts, broker.kind
    (2, 'terms')
    """

    serves: type
    """The class of its servers."""

    def __init__(
        self,
        index: TextIndex,
        kind: str,
        *,
        pool: Pool = "processes",
        refresh: float = 0.0,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        collection, name = index.collection, part_name(kind)
        fix = Action.on(collection, "build", name)
        if name not in collection.parts:
            raise MissingError(f"{collection.path}: the index has no partition by {kind}", fix=fix)
        self._part = collection.open_part(name)
        if self._part.record.inputs.get("/text_index") != collection.parts.record("text_index").checksum:
            raise MissingError(f"{collection.path}: its partition by {kind} is of an older index", fix=fix)
        self.index, self.kind = index, kind
        self._period, self._stop = refresh, threading.Event()
        self._wait = wait or self._stop.wait
        self._lock = threading.Lock()
        self.num_refreshed = 0
        self._stack = ExitStack()
        self.servers = Servers(self.serves, self._open(), pool=pool)

    def _open(self) -> list[tuple[Any, ...]]:
        """Read what the part says; what each server opens of it."""
        self.facts = read_partition(self._part.path / FACTS)
        return self._open_parts(self._part.path)

    @abstractmethod
    def _open_parts(self, folder: Path) -> list[tuple[Any, ...]]:
        """What each server opens, and what of it the broker reads itself."""

    def _collect(self) -> None:  # noqa: B027 (what a broker of terms needs comes with the lists)
        """Ask the servers for the statistics that the broker keeps."""

    def __enter__(self) -> Self:
        self._stack.enter_context(self.servers)
        if self._period > 0:
            thread = threading.Thread(target=self._keep_fresh, name="statistics", daemon=True)
            thread.start()
            self._stack.callback(thread.join, 10)
            self._stack.callback(self._stop.set)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _keep_fresh(self) -> None:
        while not self._wait(self._period) and not self._stop.is_set():
            try:
                self.refresh()
            except (WebstrataError, OSError) as error:  # as while the index is being built; the next time
                _log.warning("statistics of the partition by %s were not refreshed: %s", self.kind, error)

    def refresh(self) -> bool:
        """Open the partition as it is now if it was built again, and renew all statistics; whether it was.

        A partition that is older than the index, or in another number of parts, is not opened.
        """
        collection, name = self.index.collection, part_name(self.kind)
        record = collection.parts.record(name)
        is_new = record.checksum != self._part.record.checksum
        if is_new and record.inputs.get("/text_index") == collection.parts.record("text_index").checksum:
            part, index = collection.open_part(name), self.index.open(collection)
            with self._lock:
                if part.counts.get("parts") != len(self.servers):
                    raise MissingError(
                        f"{collection.path}: its partition by {self.kind} is in {part.counts.get('parts')} "
                        f"parts now, and {len(self.servers)} are served; open it again"
                    )
                self._part, self.index = part, index
                self.servers.reopen(self._open())
                self._collect()
        else:
            is_new = False
            with self._lock:
                self._collect()
        self.num_refreshed += 1
        return is_new

    def top(self, clause: Clause, limit: int, mask: int, settings: SearchSettings) -> Top:
        """Documents, scores and scores of their text alone, the best first."""
        with self._lock:
            return self._top(clause, limit, mask, settings)

    @abstractmethod
    def _top(self, clause: Clause, limit: int, mask: int, settings: SearchSettings) -> Top:
        """The answer, while nothing is refreshed."""


class DocumentBroker(Broker):
    """Asks all parts, or tiers one after the other."""

    serves = DocumentServer

    def _open_parts(self, folder: Path) -> list[tuple[Any, ...]]:
        parts = [(folder / str(number), names) for number, names in enumerate(self.facts.segments)]
        self._numbers = [np.fromfile(path / "documents", "<u4") for path, _ in parts]
        if not hasattr(self, "_frequencies"):
            self._frequencies: dict[str, int] = {}
        self._kept: set[str] = set()
        self._totals = (self.facts.num_documents, self.facts.num_words)
        return list(parts)

    def _collect(self) -> None:
        terms = list(self._frequencies)
        found = self.servers.ask_all("statistics", terms)
        documents = sum(number for number, _, _ in found)
        words = np.sum([each for _, each, _ in found], axis=0).tolist()
        counts = np.sum([each for _, _, each in found], axis=0).tolist() if terms else []
        self._totals = documents, words
        self._frequencies = dict(zip(terms, counts, strict=True))

    @property
    def statistics(self) -> tuple[int, list[int], dict[str, int]]:
        """N, the words of each field, and the df of the terms that were met."""
        return *self._totals, dict(self._frequencies)

    def _top(self, clause: Clause, limit: int, mask: int, settings: SearchSettings) -> Top:
        """Documents, scores and scores of their text alone, the best first."""
        factors = self._prepare(mask, settings)
        known = {term: self._frequencies[term] for term in self._learn(clause)}
        statistics = (*self._totals, known)
        request = ("search", clause, weight_list(settings), limit, mask, factors, statistics)
        if self.kind != "tiers":
            return _best(self.servers.ask_all(*request), limit)
        found: list[Top] = []
        for number in range(len(self.servers)):
            found += self.servers.ask({number: request}).values()
            if sum(len(top[0]) for top in found) >= limit:
                break
        return _best(found, limit)

    def _prepare(self, mask: int, settings: SearchSettings) -> tuple[str, float] | None:
        """Give the servers labels and factors, once."""
        factors, used = self.index.factors(mask, settings.link_weight)
        name = f"{mask} {settings.link_weight}"
        for called, numbers in (("labels", self.index.labels), (name, factors)):
            if called not in self._kept and (called == "labels" or used):
                self.servers.ask({
                    part: ("keep", called, numbers[own]) for part, own in enumerate(self._numbers)
                })  # fmt: skip
                self._kept.add(called)
        return (name, 1 + settings.link_weight) if used else None

    def _learn(self, clause: Clause) -> list[str]:
        """The terms of a clause, each with its frequency known by now."""
        terms = list(dict.fromkeys(iter_terms(clause)))
        new = [term for term in terms if term not in self._frequencies]
        if new:
            counts = np.sum(self.servers.ask_all("frequencies", new), axis=0)
            self._frequencies |= dict(zip(new, counts.tolist(), strict=True))
        return terms


class TermBroker(Broker):
    """Fetches lists, and merges them."""

    serves = TermServer

    def _open_parts(self, folder: Path) -> list[tuple[Any, ...]]:
        codes = [
            np.fromfile(folder / "lengths" / name, np.uint8) if name in SCORED else None for name, _ in FIELDS
        ]
        self._lengths = Lengths(self.facts.num_documents, self.facts.num_words, codes)
        return [(folder / str(number),) for number in range(self.facts.parts)]

    def _top(self, clause: Clause, limit: int, mask: int, settings: SearchSettings) -> Top:
        """Documents, scores and scores of their text alone, the best first."""
        lists, places = self._fetch(dict.fromkeys(iter_keys(clause)), dict.fromkeys(iter_phrase_keys(clause)))
        found = Merger(self._lengths, weight_list(settings), lists.get, places.get).answer(clause)
        counts = (self.index.labels[found.documents] & np.uint64(mask)) != 0
        documents, texts = found.documents[counts].astype(np.uint32), found.scores[counts]
        factors, used = self.index.factors(mask, settings.link_weight)
        scores = texts * factors[documents] if used else texts
        return _best([(documents, scores.astype(np.float32), texts.astype(np.float32))], limit)

    def _fetch(self, keys: Iterable[Key], placed: Iterable[Key]) -> tuple[Shipped, Shipped]:
        """The lists of terms, and the places of some of them, one request for each part that has any."""
        wanted: dict[int, tuple[list[Key], list[Key]]] = {}
        for which, some in enumerate((keys, placed)):
            for key in some:
                wanted.setdefault(place_of(key[1], len(self.servers)), ([], []))[which].append(key)
        answers = self.servers.ask({part: ("lists", *some) for part, some in wanted.items()})
        lists: Shipped = {}
        places: Shipped = {}
        for part, both in wanted.items():
            data = iter(answers[part])
            for shipped, own in zip((lists, places), both, strict=True):
                shipped.update((key, found) for key in own if (found := next(data)) is not None)
        return lists, places


BROKERS: dict[str, type[Broker]] = {
    "documents": DocumentBroker,
    "tiers": DocumentBroker,
    "terms": TermBroker,
}


def _best(tops: Iterable[Top], limit: int) -> Top:
    """The best of several answers; of equal ones the earlier document."""
    documents, scores, texts = (np.concatenate(column) for column in zip(*tops, strict=True))
    order = np.lexsort((documents, -scores))[:limit]
    return documents[order], scores[order], texts[order]


def search_through(
    index: TextIndex,
    query: str,
    options: Mapping[str, object],
    *,
    partition: str | None = None,
    at: str | None = None,
    since: str | None = None,
    until: str | None = None,
    host: str | None = None,
) -> Hits:
    """The best pages for a query, from the index or from a partition of it.

    Examples
    --------
    >>> from webstrata import testing
    >>> hits = search_through(testing.collection().text_index, "fish", {"limit": 1}, at="2026-06")
    >>> [hit.url for hit in hits]
    ['http://reef.example/fish']
    """
    settings = index.collection.settings(SearchSettings, options)
    with ExitStack() as stack:
        through = stack.enter_context(BROKERS[partition](index, partition)) if partition else None
        return index.search(
            query, at=at, since=since, until=until, host=host, settings=settings, through=through
        )
