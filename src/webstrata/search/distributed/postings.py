"""Postings as they are shipped from where a term lives to where a query is answered, and how they are merged.

The list of a term is two arrays, gaps between documents and counts, each in numbers of 1, 2 or 4 bytes, the
fewest that the largest of them needs::

    byte 0         bytes of a gap, 1, 2 or 4
    byte 1         bytes of a count
    then           the gaps: the first document, then each less the one before it; little-endian
    then           the counts, as many

Where the words stand is a list of its own, which travels for phrases alone::

    byte 0         bytes of a gap, 1, 2 or 4
    then           for each document, as often as it has the term: the first place, then the gaps

A clause (see `query`) is answered from such lists alone: what matches and what it scores are two arrays,
unions and intersections are merges of them. This is how a partition by terms works; the formula is that of
the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webstrata._core.search import K1, LENGTHS, B
from webstrata.errors import FormatError
from webstrata.search.fields import NUMBERS, SCORED, Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from webstrata.search.query import Clause

Key = tuple[int, str]
"""A field, and a term in it."""


class Scored(NamedTuple):
    """Documents, ascending, and their scores."""

    documents: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


NONE = Scored(np.zeros(0, np.int64), np.zeros(0))
Counted = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Documents, ascending, and how often each has something."""


def pack(documents: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint32]) -> bytes:
    r"""The bytes of a list.

    Examples
    --------
    >>> pack(np.array([3, 4, 9], "u4"), np.array([1, 300, 2], "u4"))
    b'\x01\x02\x03\x01\x05\x01\x00,\x01\x02\x00'
    """
    gaps = np.diff(documents, prepend=np.uint32(0)).astype(np.uint32)
    (one, first), (other, second) = _narrow(gaps), _narrow(counts)
    return bytes((one, other)) + first + second


def _narrow(numbers: npt.NDArray[np.uint32]) -> tuple[int, bytes]:
    """Numbers in the fewest bytes that the largest needs, and how many these are."""
    most = int(numbers.max(initial=0))
    size = 1 if most < 1 << 8 else 2 if most < 1 << 16 else 4
    return size, numbers.astype(f"<u{size}").tobytes()


def pack_places(counts: npt.NDArray[np.uint32], places: npt.NDArray[np.uint32]) -> bytes:
    r"""The bytes of the places of a term, given how many each document has.

    Examples
    --------
    >>> pack_places(np.array([2, 1], "u4"), np.array([3, 10, 4], "u4"))
    b'\x01\x03\x07\x04'
    """
    gaps = np.diff(places, prepend=np.uint32(0)).astype(np.uint32)
    first = _starts(counts)
    gaps[first] = places[first]
    size, data = _narrow(gaps)
    return bytes((size,)) + data


def _starts(counts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Where the places of each document begin."""
    return np.cumsum(counts, dtype=np.int64) - counts.astype(np.int64)


def unpack_places(data: bytes, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Places, document after document; `FormatError` where the bytes are none.

    Examples
    --------
    >>> packed = pack_places(np.array([2, 1], "u4"), np.array([3, 10, 4], "u4"))
    >>> unpack_places(packed, np.array([2, 1])).tolist()
    [3, 10, 4]
    """
    size = data[0] if data else 0
    total = int(counts.sum())
    if size not in (1, 2, 4) or len(data) != 1 + size * total or (len(counts) and counts.min() < 1):
        raise FormatError("a list of places that was shipped is none; build the partition again")
    sums = np.cumsum(np.frombuffer(data, f"<u{size}", total, 1), dtype=np.int64)
    starts = _starts(counts)
    before = np.where(starts > 0, sums[starts - 1], 0)  # what earlier documents have summed up to
    found: npt.NDArray[np.int64] = sums - np.repeat(before, counts)
    return found


def unpack(data: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Documents and counts of a list; `FormatError` where the bytes are none.

    Examples
    --------
    >>> documents, counts = unpack(pack(np.array([3, 4, 9], "u4"), np.array([1, 300, 2], "u4")))
    >>> documents.tolist(), counts.tolist()
    ([3, 4, 9], [1, 300, 2])
    """
    sizes = list(data[:2])
    if len(sizes) < 2 or not set(sizes) <= {1, 2, 4} or (len(data) - 2) % sum(sizes):
        raise FormatError("a list of postings that was shipped is none; build the partition again")
    number = (len(data) - 2) // sum(sizes)
    gaps = np.frombuffer(data, f"<u{sizes[0]}", number, 2)
    counts = np.frombuffer(data, f"<u{sizes[1]}", number, 2 + number * sizes[0])
    return np.cumsum(gaps, dtype=np.int64), counts.astype(np.int64)


def iter_terms(clause: Clause) -> Iterator[str]:
    """The terms that a clause is scored by.

    Examples
    --------
    >>> list(iter_terms(("boolean", [("must", ("word", "fish", [0])), ("not", ("phrase", ["a", "b"], [1]))])))
    ['fish', 'a', 'b']
    """
    kind = clause[0]
    if kind == "word":
        yield clause[1]
    elif kind == "phrase":
        yield from clause[1]
    elif kind == "filter":
        yield from iter_terms(clause[1])
    elif kind == "boolean":
        for _, inner in clause[1]:
            yield from iter_terms(inner)


def iter_keys(clause: Clause) -> Iterator[Key]:
    """The lists that a clause needs: of its terms in all fields that are scored, and of whole values.

    Examples
    --------
    >>> list(iter_keys(("boolean", [("must", ("word", "fish", [0])), ("not", ("whole", 6, "a.org"))])))
    [(0, 'fish'), (1, 'fish'), (2, 'fish'), (3, 'fish'), (4, 'fish'), (5, 'fish'), (6, 'a.org')]
    """
    kind = clause[0]
    if kind in ("word", "phrase"):
        # one IDF for all fields: the lists of all are needed, also where one is asked for
        for term in iter_terms(clause):
            yield from ((NUMBERS[name], term) for name in SCORED)
    elif kind == "whole":
        yield clause[1], clause[2]
    elif kind == "filter":
        yield from iter_keys(clause[1])
    elif kind == "boolean":
        for _, inner in clause[1]:
            yield from iter_keys(inner)


def iter_phrase_keys(clause: Clause) -> Iterator[Key]:
    """The terms whose places a clause needs, with their fields.

    Examples
    --------
    >>> word, phrase = ("word", "a", [0]), ("phrase", ["b", "c"], [1])
    >>> list(iter_phrase_keys(("boolean", [("must", word), ("must", phrase)])))
    [(1, 'b'), (1, 'c')]
    """
    if clause[0] == "phrase":
        yield from ((field, term) for field in clause[2] for term in clause[1])
    elif clause[0] == "filter":
        yield from iter_phrase_keys(clause[1])
    elif clause[0] == "boolean":
        for _, inner in clause[1]:
            yield from iter_phrase_keys(inner)


class Lengths(NamedTuple):
    """What scoring needs of all documents together."""

    num_documents: int
    num_words: Sequence[int]
    """Of each field."""
    codes: Sequence[npt.NDArray[np.uint8] | None]
    """Of each field the code of each document's length, where it is scored."""

    def norms(self, weights: Sequence[Weights]) -> npt.NDArray[np.float64]:
        """What scores need of the length of each document: k₁ (1 - b + b L / mean L).

        Examples
        --------
        >>> Lengths(2, [4], [np.array([1, 3], "u1")]).norms([(2.0, 1.0)]).round(2).tolist()
        [0.36, 0.84]
        """
        total = np.zeros(self.num_documents)
        mean = 0.0
        for (_, length), words, codes in zip(weights, self.num_words, self.codes, strict=True):
            if length > 0 and codes is not None:
                total += length * np.asarray(LENGTHS, np.float64)[codes]
                mean += length * words / max(self.num_documents, 1)
        return K1 * (1 - B + B * total / mean) if mean > 0 else np.full(self.num_documents, K1 * (1 - B))


class Merger:
    """Answers clauses from postings.

    Parameters
    ----------
    lengths
        Of all documents.
    weights
        Of each field.
    fetch
        The list of a term, or None where no document has it.
    fetch_places
        Its places, for phrases.

    Examples
    --------
    >>> lists = {(0, "fish"): pack(np.array([0, 1], "u4"), np.array([1, 2], "u4"))}
    >>> lengths = Lengths(2, [5], [np.array([2, 3], "u1")])
    >>> found = Merger(lengths, [(2.0, 1.0)], lists.get).answer(("word", "fish", [0]))
    >>> found.documents.tolist(), found.scores.round(4).tolist()
    ([0, 1], [0.233, 0.2485])
    """

    def __init__(
        self,
        lengths: Lengths,
        weights: Sequence[Weights],
        fetch: Callable[[Key], bytes | None],
        fetch_places: Callable[[Key], bytes | None] = lambda _: None,
    ) -> None:
        self._lengths, self._weights = lengths, weights
        self._fetch, self._fetch_places = fetch, fetch_places
        self._norms = lengths.norms(weights)

    def answer(self, clause: Clause) -> Scored:
        """What matches a clause, and what it scores."""
        kind = clause[0]
        if kind == "word":
            lists = [(field, *self._unpack(field, clause[1])) for field in clause[2]]
            return self._saturate(lists, self._idf(clause[1]))
        if kind == "phrase":
            lists = [(field, *self._find_phrase(field, clause[1])) for field in clause[2]]
            return self._saturate(lists, sum(map(self._idf, clause[1])))
        if kind == "boolean":
            return self._combine(clause[1])
        if kind == "whole":
            documents, _ = self._unpack(clause[1], clause[2])
            return Scored(documents, np.zeros(len(documents)))
        if kind == "filter":
            documents = self.answer(clause[1]).documents
            return Scored(documents, np.zeros(len(documents)))
        if kind == "all":
            number = self._lengths.num_documents
            return Scored(np.arange(number), np.ones(number))
        raise ValueError(f"clause: unknown kind {kind}")

    def _unpack(self, field: int, term: str) -> Counted:
        data = self._fetch((field, term))
        return (NONE.documents, NONE.documents) if data is None else unpack(data)

    def _idf(self, term: str) -> float:
        """That of a term, by how many documents have it in any field."""
        lists = [
            self._unpack(field, term)[0]
            for field, codes in enumerate(self._lengths.codes)
            if codes is not None
        ]
        df = len(np.unique(np.concatenate([NONE.documents, *lists])))
        return float(np.log1p((self._lengths.num_documents - df + 0.5) / (df + 0.5)))

    def _saturate(self, lists: Sequence[tuple[int, *Counted]], idf: float) -> Scored:
        """BM25F of weighted frequencies, added over fields."""
        weighted = [
            Scored(documents, counts.astype(np.float64) * (self._weights[field][0] or 1.0))
            for field, documents, counts in lists
        ]
        documents, x = _unite(weighted)
        scores: npt.NDArray[np.float64] = idf * (K1 + 1) * x / (x + self._norms[documents])
        return Scored(documents, scores)

    def _find_phrase(self, field: int, terms: Sequence[str]) -> Counted:
        """Documents in which terms stand one after the other in a field, and how often."""
        beginnings = None
        for number, term in enumerate(terms):
            data, placed = self._fetch((field, term)), self._fetch_places((field, term))
            if data is None or placed is None:
                return NONE.documents, NONE.documents
            documents, counts = unpack(data)
            # a document, and the place at which the phrase would begin; not below 0 for any term
            places = (unpack_places(placed, counts) + len(terms) - number).astype(np.uint64)
            found = np.repeat(documents.astype(np.uint64), counts) << np.uint64(32) | places
            beginnings = (
                found if beginnings is None else np.intersect1d(beginnings, found, assume_unique=True)
            )
        assert beginnings is not None  # a phrase has terms
        owners, times = np.unique(beginnings >> np.uint64(32), return_counts=True)
        return owners.astype(np.int64), times.astype(np.int64)

    def _combine(self, pairs: Sequence[tuple[str, Clause]]) -> Scored:
        by_kind: dict[str, list[Scored]] = {"must": [], "should": [], "not": []}
        for occur, clause in pairs:
            by_kind[occur].append(self.answer(clause))
        union = _unite(by_kind["should"])
        found = union
        if by_kind["must"]:
            found = by_kind["must"][0]
            for other in by_kind["must"][1:]:
                found = _add(found, other, needed=True)
            found = _add(found, union, needed=False)
        for other in by_kind["not"]:
            kept = ~np.isin(found.documents, other.documents, assume_unique=True)
            found = Scored(found.documents[kept], found.scores[kept])
        return found


def _unite(lists: Sequence[Scored]) -> Scored:
    if not lists:
        return NONE
    documents, places = np.unique(np.concatenate([each.documents for each in lists]), return_inverse=True)
    scores = np.concatenate([each.scores for each in lists])
    return Scored(documents, np.bincount(places, scores, minlength=len(documents)).astype(np.float64))


def _add(one: Scored, other: Scored, *, needed: bool) -> Scored:
    """The scores of documents with those of another list added; without those not in it, if it is needed."""
    places = np.searchsorted(other.documents, one.documents)
    there = np.zeros(len(places), bool)
    inside = places < len(other.documents)
    there[inside] = other.documents[places[inside]] == one.documents[inside]
    scores = one.scores.copy()
    scores[there] += other.scores[places[there]]
    return Scored(one.documents[there], scores[there]) if needed else Scored(one.documents, scores)
