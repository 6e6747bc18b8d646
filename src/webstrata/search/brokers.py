"""Brokers: queries in, to the parts of an index, and one answer out of theirs (LECT).

A broker of documents asks for the frequencies of terms that it has not met, adds them up, and sends the query
with these to all parts; each gives its best k, and the best k of these are the best of all. Scores are those
of one index, since N, df and mean lengths are those of all parts together.

A broker of tiers does the same, but with one part after the other, until there are enough answers: cheaper,
and not exact where a document of a later tier would have scored more.

A broker of terms fetches the lists of the query's terms from the parts that have them, and scores and merges
them itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

import numpy as np

from webstrata.errors import MissingError
from webstrata.search.fields import FIELDS, SCORED, weight_list
from webstrata.search.partitions import FACTS, part_name, place_of, read_partition
from webstrata.search.postings import Key, Lengths, Merger, iter_keys, iter_phrase_keys, iter_terms
from webstrata.search.servers import DocumentServer, Pool, Servers, TermServer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.search.index import TextIndex
    from webstrata.search.query import Clause
    from webstrata.search.settings import SearchSettings

    Shipped = dict[Key, bytes]
    Top = tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32], npt.NDArray[np.float32]]


class Broker(ABC):
    """A partition of an index with its servers, a context manager; `top` is that of the index itself.

    Examples
    --------
    >>> import webstrata as ws
    >>> from types import SimpleNamespace
    >>> uk = ws.create(getfixture("tmp_path") / "uk")
    >>> BROKERS["terms"](SimpleNamespace(collection=uk), "terms")
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...uk: the index has no partition by terms; make it with `webstrata index
    ...uk --partition terms`
    """

    def __init__(self, index: TextIndex, kind: str, *, pool: Pool = "processes") -> None:
        collection, name = index.collection, part_name(kind)
        advice = f"make it with `webstrata index {collection.word} --partition {kind}`"
        if name not in collection.parts:
            raise MissingError(f"{collection.path}: the index has no partition by {kind}; {advice}")
        self._part = collection.open_part(name)
        if self._part.record.inputs.get("/search") != collection.parts.record("search").checksum:
            raise MissingError(f"{collection.path}: its partition by {kind} is of an older index; {advice}")
        self.index, self.kind, self._pool = index, kind, pool
        self.facts = read_partition(self._part.path / FACTS)
        self._stack = ExitStack()
        self.servers = self._make_servers(self._part.path)

    @abstractmethod
    def _make_servers(self, folder: Path) -> Servers:
        """The servers of the parts, not begun yet."""

    def __enter__(self) -> Self:
        self._stack.enter_context(self.servers)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    @abstractmethod
    def top(self, clause: Clause, limit: int, mask: int, settings: SearchSettings) -> Top:
        """Documents, scores and scores of their text alone, the best first."""


class DocumentBroker(Broker):
    """Asks all parts, or tiers one after the other."""

    def _make_servers(self, folder: Path) -> Servers:
        parts = [(folder / str(number), names) for number, names in enumerate(self.facts.segments)]
        self._numbers = [np.fromfile(path / "documents", "<u4") for path, _ in parts]
        self._frequencies: dict[str, int] = {}
        self._kept: set[str] = set()
        return Servers(DocumentServer, parts, pool=self._pool)

    def top(self, clause: Clause, limit: int, mask: int, settings: SearchSettings) -> Top:
        """Documents, scores and scores of their text alone, the best first."""
        factors = self._prepare(mask, settings)
        known = {term: self._frequencies[term] for term in self._learn(clause)}
        statistics = (self.facts.num_documents, self.facts.num_words, known)
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

    def _make_servers(self, folder: Path) -> Servers:
        codes = [
            np.fromfile(folder / "lengths" / name, np.uint8) if name in SCORED else None for name, _ in FIELDS
        ]
        self._lengths = Lengths(self.facts.num_documents, self.facts.num_words, codes)
        parts = [(folder / str(number),) for number in range(self.facts.parts)]
        return Servers(TermServer, parts, pool=self._pool)

    def top(self, clause: Clause, limit: int, mask: int, settings: SearchSettings) -> Top:
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
