"""The pages that a change search begins with: those that match the query best.

A source of seeds is anything that takes a query, the label of a snapshot and a number, and gives so many of
its nodes with their scores, the best first. Where it has a method `score` too, that gives the scores of other
nodes, the neighbours of seeds. `IndexSeeds` asks the text index, with

    text(u) = BM25F(u) + ν · names(u),

where names(u) is the BM25F score of title and URL alone and ν is `NAME_WEIGHT`: something that happened is
often what a page is called, and one word in a long text says less. `SummarySeeds` needs none: it adds up the
BM25 weights of summaries (see `webstrata.summaries.weights`), from a matrix that it keeps in memory, 12 bytes
a posting, which is enough for collections of some ten thousand pages.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from webstrata.collection.action import Action
from webstrata.errors import MissingError, QueryError, UsageError
from webstrata.search.fields import SCORED
from webstrata.search.files import PART as INDEX
from webstrata.search.index import TextIndex
from webstrata.search.settings import SearchSettings
from webstrata.summaries.archive import Archive
from webstrata.summaries.query import find_terms

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.collection import Collection


NAME_WEIGHT = 1.0
"""What the words of title and URL count once more (see ``docs/decisions/changes.md``)."""
_NAMES = ("title", "url")


class QuerySeeds(NamedTuple):
    """Nodes of a snapshot with the scores of their text, the best first."""

    nodes: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


class SeedSource(Protocol):
    """What finds seeds."""

    def __call__(self, query: str, label: str, number: int) -> QuerySeeds:
        """So many pages of a snapshot that match best."""
        ...


def check_query(query: str) -> str:
    """The query, or `UsageError` where there is nothing in it.

    Examples
    --------
    >>> check_query("tropical fish")
    'tropical fish'
    >>> check_query(" ")
    Traceback (most recent call last):
    webstrata.errors.UsageError: the query is empty; write some words to look for
    """
    if not query.strip():
        raise UsageError("the query is empty; write some words to look for")
    return query


class IndexSeeds:
    """Seeds by the text index: BM25F of all fields and of names, without what links to a page add.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> found = IndexSeeds(collection)("tropical fish", "2026-06", 2)
    >>> [collection["2026-06"].urls[int(node)] for node in found.nodes]
    ['http://reef.example/fish', 'http://kitchen.example/soup']
    """

    told = "BM25 of the text index"

    def __init__(self, collection: Collection, *, name_weight: float = NAME_WEIGHT) -> None:
        self._index = TextIndex.open(collection)
        # how well a page is linked is for the walks to say
        self._settings = replace(collection.settings(SearchSettings), link_weight=0.0)
        self._name_weight = name_weight
        names: dict[str, Any] = {f"{field}_weight": float(field in _NAMES) for field in SCORED}
        self._names = replace(self._settings, **names)

    def __call__(self, query: str, label: str, number: int) -> QuerySeeds:
        """So many pages of a snapshot that match best."""
        if label not in self._index.snapshots:
            collection = self._index.collection
            raise MissingError(
                f"{collection.path}: {label} is not in the text index",
                fix=Action.on(collection, "build", "text_index"),
            )
        text = self._read(check_query(query))
        found = self._index.search(text, at=label, limit=number, grouped=False, settings=self._settings)
        nodes = np.asarray(found.nodes, np.int64)
        scores = np.asarray(found.text_scores, np.float64) + self._score_names(text, label, nodes)
        order = np.argsort(-scores, kind="stable")
        return QuerySeeds(nodes[order], scores[order])

    def score(self, query: str, label: str, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The scores of some pages of a snapshot, 0 for those that do not match."""
        text = self._read(query)
        return self._index.score(text, label, nodes, self._settings) + self._score_names(text, label, nodes)

    def _score_names(
        self, text: str, label: str, nodes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64] | float:
        """What title and URL add to the scores of pages."""
        if not self._name_weight:
            return 0.0
        return self._name_weight * self._index.score(text, label, nodes, self._names)

    def documents(self, label: str) -> npt.NDArray[np.uint32]:
        """The document of each page of a snapshot: pages of two snapshots with one document are the same."""
        return self._index.maps[label]

    def _read(self, query: str) -> str:
        """The query as the index reads it; its words alone where it does not."""
        try:
            self._index.compiler(self._settings).compile(query)
        except QueryError as error:
            words = " ".join(re.findall(r"\w+", query))
            if not words:
                raise
            self.told = (
                f"BM25 of the text index, for the words alone since the query cannot be parsed ({error})"
            )
            return words
        self.told = IndexSeeds.told
        return query


def usual_seeds(collection: Collection) -> SeedSource:
    """Seeds by the text index where there is one, else by summaries.

    Examples
    --------
    >>> from webstrata import testing
    >>> type(usual_seeds(testing.collection())).__name__, type(usual_seeds(testing.empty())).__name__
    ('IndexSeeds', 'SummarySeeds')
    """
    return IndexSeeds(collection) if INDEX in collection.parts else SummarySeeds(collection)


class SummarySeeds:
    """Seeds by the BM25 weights of summaries.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> found = SummarySeeds(collection)("tropical fish", "2026-06", 2)
    >>> [collection["2026-06"].urls[int(node)] for node in found.nodes]
    ['http://reef.example/fish', 'http://reef.example/']
    """

    told = "BM25 of summaries"

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._known: dict[str, tuple[str, Archive, Any]] = {}

    def __call__(self, query: str, label: str, number: int) -> QuerySeeds:
        """So many pages of a snapshot that match best; equal ones in the order of nodes."""
        archive, weights = self._load(label)
        scores = np.asarray(weights[:, find_terms(archive, check_query(query))].sum(axis=1)).ravel()
        best = np.argsort(-scores, kind="stable")[:number]
        best = best[scores[best] > 0]
        return QuerySeeds(best.astype(np.int64), scores[best])

    def score(self, query: str, label: str, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The scores of some pages of a snapshot, 0 for those that do not match."""
        archive, weights = self._load(label)
        columns = weights[:, find_terms(archive, check_query(query))].tocsr()
        return np.asarray(columns[nodes].sum(axis=1), np.float64).ravel()

    def _load(self, label: str) -> tuple[Archive, Any]:
        """The summaries of a snapshot, and their weights by term; as they are now."""
        snapshot = self._collection[label]
        checksum = snapshot.parts.record("summaries").checksum
        if self._known.get(label, ("",))[0] != checksum:
            part = snapshot.open_part("summaries")
            archive = Archive(part.path, part)
            self._known[label] = checksum, archive, archive.matrix("bm25").tocsc()
        return self._known[label][1:]
