"""Near-duplicates (STORE): pages with more than nine tenths of their words the same, without all comparisons.

**What counts.** With c_a(w) how often a word occurs in a page, its case folded, the share of common words is

    common(a, b) = 2 Σ_w min(c_a(w), c_b(w)) / (Σ_w c_a(w) + Σ_w c_b(w)):

of all words of both pages, those that have their like in the other. Near-duplicates have `RESEMBLANCE` of
their words in common, as STORE defines it. They are verified by the cosine of their vectors (c_a(w)) too,
which sees what the share does not, that the words which differ are those that make the page: it is
`SIMILARITY` or more. What is joined by pairs is a cluster. Both are computed for candidates alone, which are
found in one of two ways:

**Fingerprints** (Broder et al.). The words of a page become n-grams, overlapping or not; each n-gram has a
64-bit Rabin fingerprint; those that are 0 mod p stand for the page, and the smallest where none is. An
inverted index from fingerprints to pages gives the pairs that share one. With F(a) the fingerprints of a
page,

    resemblance(a, b) = |F(a) ∩ F(b)| / |F(a) ∪ F(b)|,    containment(a, b) = |F(a) ∩ F(b)| / |F(a)|,

and candidates have a resemblance of `MIN_SHARED` or more: with one word of ten another, scattered, 0.4 of the
5-grams are the same. Of pages with many it is estimated: by the share of F(a) ∩ F(b) among the 128 smallest
of F(a) ∪ F(b), which are drawn as if by chance; where it is 0.2, that is off by 0.035 in the mean. The
Rabin fingerprint is the polynomial over GF(2) whose coefficients are the bits of the n-gram, mod
x⁶⁴ + x⁴ + x³ + x + 1; the bits of an n-gram are the 64-bit hashes of its words
(`webstrata.store.duplicates.simhash`), one behind the other.

**Simhash** gives the pairs within Hamming distance k by permuted tables
(`webstrata.store.duplicates.simhash`).

A fingerprint of more than `LIMIT` pages is **frequent**: the navigation of a site or its like, whose pairs
would be too many. Pages with little else must be found all the same. Two pages of a resemblance of r share
one of their rarest |F| - ⌈r |F|⌉ + 1 fingerprints (prefix filtering), so of the frequent ones only those are
looked at that are among these, with r = `SURE`: what resembles more is found, whatever it shares. Where even
then more than `FREQUENT_LIMIT` pages come together, each is paired with the `LIMIT` before it alone, which
keeps the number of pairs linear, and joins a cluster link by link.

The work is done in the core, on all cores; the functions of this module up to `common` are the formulas, with
which it is compared. Of the index each page sees the lists that it stands in: it goes through them once, and
marks the pages that it meets, so that a pair which shares hundreds of fingerprints is looked at once.
**Memory** stays within a budget: the index is made in as many passes as the budget asks for, each for a range
of fingerprints, 28 bytes for each (about words / p to a page). On top come 8 bytes for each candidate, 32 for
each pair found, and for each page 28, and 4 for each core.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from webstrata._core import store as _core
from webstrata.collection.progress import Progress
from webstrata.store.duplicates.signatures import N, P, SignatureSelection, sign, to_buffers
from webstrata.store.duplicates.simhash import close_pairs, hash_words, label_clusters, list_clusters
from webstrata.web.words import load_core, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.store.duplicates.signatures import Signatures
    from webstrata.store.text import Text

METHODS = ("fingerprint", "simhash")
RESEMBLANCE = 0.9
"""Share of their words that near-duplicates have in common (STORE: more than 90%)."""
SIMILARITY = 0.8
"""Cosine of their vectors of words. With words that occur once it is the same number as the share; pages of a
few dozen words, with the ones that differ repeated, have less."""
LIMIT = 32
"""Pages with a fingerprint, above which it is frequent."""
FREQUENT_LIMIT = 1024
"""Pages that have a frequent fingerprint among their rarest, above which not all of them are paired."""
SURE = 0.8
"""Resemblance from which on pairs are found even if all that they share is frequent."""
MIN_SHARED = 0.2
"""Resemblance that candidates by fingerprints have."""
BUDGET = 1 << 30
"""Bytes for the inverted index, and for the words of pages that are compared."""
_AT_ONCE = 1024
"""Texts of an array."""


# ---- fingerprints


def select(fingerprints: npt.NDArray[np.uint64], p: int = P) -> npt.NDArray[np.uint64]:
    """The fingerprints that are 0 mod p, in their order.

    Examples
    --------
    >>> select(np.array([938, 664, 463, 822, 492], np.uint64), 4).tolist()
    [664, 492]
    """
    kept: npt.NDArray[np.uint64] = fingerprints[fingerprints % np.uint64(p) == 0]
    return kept


def rabin(hashes: npt.NDArray[np.uint64], n: int = N, *, overlapping: bool = True) -> npt.NDArray[np.uint64]:
    """The Rabin fingerprint of each n-gram of words given by their hashes; of all words, if they are fewer.

    Examples
    --------
    >>> [hex(number) for number in rabin(np.array([1, 2, 3], np.uint64), 2).tolist()]
    ['0x19', '0x35']
    >>> [hex(number) for number in rabin(np.array([1, 2, 3, 4], np.uint64), 2, overlapping=False).tolist()]
    ['0x19', '0x29']
    """
    n = min(n, len(hashes))
    if n == 0:
        return np.empty(0, np.uint64)
    starts = np.arange(0, len(hashes) - n + 1, 1 if overlapping else n)
    table = _rabin_table()
    found = hashes[starts]
    for place in range(1, n):
        # times x⁶⁴ and reduced, a byte at a time; then the next word
        shifted = np.zeros_like(found)
        for byte in range(8):
            shifted ^= table[byte][(found >> np.uint64(8 * byte)).astype(np.uint8)]
        found = shifted ^ hashes[starts + place]
    return found


@cache
def _rabin_table() -> npt.NDArray[np.uint64]:
    """For each byte of a polynomial, by its place and value, what it is times x⁶⁴, reduced."""
    bits = [0b11011]  # x⁶⁴ itself
    for _ in range(63):
        bits.append((bits[-1] << 1 & (1 << 64) - 1) ^ (0b11011 if bits[-1] >> 63 else 0))
    table = np.zeros((8, 256), np.uint64)
    for place in range(64):
        has_bit = np.arange(256) >> (place % 8) & 1 == 1
        table[place // 8][has_bit] ^= np.uint64(bits[place])
    return table


def fingerprints(text: str, *, n: int = N, p: int = P, overlapping: bool = True) -> npt.NDArray[np.uint64]:
    """The fingerprints that stand for a text, sorted, each once.

    Examples
    --------
    >>> one = fingerprints("tropical fish include fish found in tropical environments around the world", p=1)
    >>> two = fingerprints("Tropical fish include fish found in warm environments around the world", p=1)
    >>> len(one), resemblance(one, two), containment(one[:3], one)
    (7, 0.16666666666666666, 1.0)
    """
    found = np.unique(
        rabin(hash_words([word.casefold() for word in words(text)]), n, overlapping=overlapping)
    )
    kept = select(found, p)
    return kept if len(kept) else found[:1]


def resemblance(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> float:
    """|A ∩ B| / |A ∪ B| of two sorted sets, 1 for two empty ones.

    Examples
    --------
    >>> resemblance(np.array([1, 2, 3], np.uint64), np.array([2, 3, 4], np.uint64))
    0.5
    """
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both / (len(a) + len(b) - both) if len(a) + len(b) else 1.0


def containment(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> float:
    """|A ∩ B| / |A| of two sorted sets, 1 where A is empty.

    Examples
    --------
    >>> containment(np.array([1, 2], np.uint64), np.array([2, 3, 4], np.uint64))
    0.5
    """
    return len(np.intersect1d(a, b, assume_unique=True)) / len(a) if len(a) else 1.0


def sharing_pairs(
    documents: Sequence[Signatures],
    *,
    limits: tuple[int, int] = (LIMIT, FREQUENT_LIMIT),
    sure: float = SURE,
    least: float = MIN_SHARED,
    first_new: int = 0,
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> npt.NDArray[np.int64]:
    """The pairs of documents that share a fingerprint and resemble each other, by an inverted index; sorted.

    Parameters
    ----------
    documents
        Signatures of some snapshots; documents are numbered through all of them.
    limits
        Documents with a fingerprint, above which it is frequent; documents that have a frequent one among
        their rarest, above which not all of them are paired.
    sure
        Resemblance from which on pairs are found even if all that they share is frequent.
    least
        The smallest resemblance.
    first_new
        Of each pair the second document at least has this number or a larger one.
    budget
        Bytes of memory for the index.
    progress
        Where to report to.

    Examples
    --------
    >>> import pyarrow as pa
    >>> long = " ".join(map(chr, range(97, 123)))
    >>> sharing_pairs([sign([pa.array([long, "another", long + " one"])], SignatureSelection(p=1))]).tolist()
    [[0, 2]]
    """
    sets = [(found.offsets, found.fingerprints) for found in documents]
    total = sum(len(found.fingerprints) for found in documents)
    with (progress or Progress()).task("pairing", total=2 * total, unit="fingerprints") as task:
        return _core.sharing_pairs(sets, limits, sure, least, first_new, budget, task.advance)


# ---- verification and clusters


def count_words(text: str) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """The hashes of the words of a text, sorted, and how often each occurs.

    Examples
    --------
    >>> hashes, counts = count_words("Fish and fish")
    >>> sorted(counts.tolist())
    [1, 2]
    """
    hashes, counts = np.unique(hash_words([word.casefold() for word in words(text)]), return_counts=True)
    return hashes, counts.astype(np.int64)


def cosine(
    a: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]],
    b: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]],
) -> float:
    """The cosine of the angle between two vectors of words, 0 where one has none.

    Examples
    --------
    >>> round(cosine(count_words("fish and fish"), count_words("fish and chips")), 3)
    0.775
    """
    _, here, there = np.intersect1d(a[0], b[0], assume_unique=True, return_indices=True)
    length = float(np.sqrt((a[1] @ a[1]) * (b[1] @ b[1])))
    return float(a[1][here] @ b[1][there]) / length if length else 0.0


def common(
    a: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]],
    b: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]],
) -> float:
    """The share of their words that two texts have in common, by `count_words` of each; 0 where one has none.

    Examples
    --------
    >>> common(count_words("fish and fish"), count_words("fish and chips"))
    0.6666666666666666
    """
    _, here, there = np.intersect1d(a[0], b[0], assume_unique=True, return_indices=True)
    total = int(a[1].sum() + b[1].sum())
    return 2 * int(np.minimum(a[1][here], b[1][there]).sum()) / total if len(a[0]) and len(b[0]) else 0.0


@dataclass(frozen=True)
class NearDuplicates:
    """The near-duplicates among pages, numbered through all snapshots that were looked in, oldest first."""

    pairs: npt.NDArray[np.int64]
    """Two pages each, the smaller number first, sorted."""
    shares: npt.NDArray[np.float64]
    """Of each pair the share of common words."""
    similarities: npt.NDArray[np.float64]
    """Of each pair the cosine."""
    labels: npt.NDArray[np.int64]
    """For each page the smallest of its cluster."""
    candidates: int
    """Pairs that were compared."""
    starts: tuple[int, ...] = (0,)
    """The number of the first page of each snapshot."""

    @property
    def clusters(self) -> Sequence[npt.NDArray[np.int64]]:
        """The pages of each cluster of two or more, the largest first."""
        return list_clusters(self.labels)

    def locate(self, page: int) -> tuple[int, int]:
        """Which snapshot a page is of, and its node there."""
        place = int(np.searchsorted(self.starts, page, "right")) - 1
        return place, page - self.starts[place]


class Strings:
    """Texts in memory, to be looked at as those of a snapshot are.

    Examples
    --------
    >>> len(Strings(["fish", "tank"]))
    2
    """

    def __init__(self, texts: Sequence[str] | pa.Array) -> None:
        if not isinstance(texts, pa.Array):
            # an array of all would be copied again and again while it grows
            starts = range(0, max(len(texts), 1), _AT_ONCE)
            texts = pa.concat_arrays(
                [pa.array(texts[start : start + _AT_ONCE], pa.large_string()) for start in starts]
            )
        self.array = texts

    def __len__(self) -> int:
        return len(self.array)

    def take(self, nodes: npt.NDArray[np.int64]) -> pa.Array:
        """The texts of these numbers."""
        return self.array.take(pa.array(nodes))


def find_near_duplicates(
    text: Text | Strings,
    *,
    earlier: Sequence[Text | Strings] = (),
    signatures: Sequence[Signatures] = (),
    method: str = "fingerprint",
    resemblance: float = RESEMBLANCE,
    similarity: float = SIMILARITY,
    distance: int = 3,
    selection: SignatureSelection | None = None,
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> NearDuplicates:
    """The near-duplicates among the pages of a snapshot, given its text, and between it and earlier ones.

    Parameters
    ----------
    text
        ``snapshot.text``.
    earlier
        The same of earlier snapshots: their pages are compared with those of this one, not with each other.
    signatures
        Of the earlier ones and of this one, where they are kept (`webstrata.store.duplicates.signatures`);
        otherwise they are computed, and not stored.
    method
        How candidates are found: ``fingerprint`` or ``simhash``.
    resemblance
        Share of their words that near-duplicates have in common at least.
    similarity
        Cosine similarity that they have at least.
    distance
        Hamming distance of candidates by simhash. 3 is that of the papers; of pages of a few hundred words
        with one in ten another it finds less than half, 7 nearly all, at many times the work.
    selection
        Which n-grams stand for a page: 5 words, 0 mod 4, overlapping.
    budget
        Bytes of memory for the index, and for the words of pages that are compared.
    progress
        Where to report to, and who can cancel.

    Examples
    --------
    >>> long = " ".join(map(chr, range(97, 123)))
    >>> texts = Strings([long, "another", long + " one"])
    >>> found = find_near_duplicates(texts, selection=SignatureSelection(p=1))
    >>> [cluster.tolist() for cluster in found.clusters], found.shares.round(2).tolist()
    ([[0, 2]], [0.98])
    >>> found = find_near_duplicates(Strings([long]), earlier=[Strings([long, "another"])])
    >>> found.pairs.tolist(), found.locate(2)
    ([[0, 2]], (1, 0))
    """
    if method not in METHODS:
        raise ValueError(f"method: expected {' or '.join(METHODS)}, got {method!r}")
    progress = progress or Progress()
    sources = [*earlier, text]
    starts = np.cumsum([0, *map(len, sources)])
    if method == "fingerprint":
        if not signatures:
            signatures = [_sign(source, selection, progress) for source in sources]
        pairs = sharing_pairs(signatures, first_new=int(starts[-2]), budget=budget, progress=progress)
        num_words = np.concatenate([found.words for found in signatures])
    else:
        pairs, num_words = _pair_by_simhash(sources, distance, int(starts[-2]), progress)
    # a page has not more words in common with another than it has
    here, there = num_words.astype(np.float64)[pairs.T]
    pairs = pairs[2 * np.minimum(here, there) >= resemblance * (here + there)]
    shares, cosines = _compare(sources, starts, pairs, num_words, budget, progress)
    near = (shares >= resemblance) & (cosines >= similarity)
    labels = label_clusters(int(starts[-1]), pairs[near])
    return NearDuplicates(
        pairs[near], shares[near], cosines[near], labels, len(pairs), tuple(starts[:-1].tolist())
    )


def _sign(source: Text | Strings, selection: SignatureSelection | None, progress: Progress) -> Signatures:
    with progress.task("signing", total=len(source), unit="pages") as task:
        if isinstance(source, Strings):
            return sign([source.array], selection, progress=task.advance)
        return sign((batch["text"] for batch in source.scan("text")), selection, progress=task.advance)


def _pair_by_simhash(
    sources: Sequence[Text | Strings], distance: int, first_new: int, progress: Progress
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Close pairs of different simhashes, and of those with the same one each with the first."""
    simhashes, num_words = (np.concatenate(columns) for columns in zip(*map(_hash, sources), strict=True))
    has_words = np.flatnonzero(num_words > 0)
    values, first, places = np.unique(simhashes[has_words], return_index=True, return_inverse=True)
    same = np.stack([first[places], np.arange(len(places))], axis=1)
    close = first[close_pairs(values, distance, progress=progress)]
    pairs = np.concatenate([same[same[:, 0] != same[:, 1]], np.sort(close, axis=1).reshape(-1, 2)])
    pairs = np.unique(has_words[pairs], axis=0)
    return pairs[pairs[:, 1] >= first_new], num_words


def _hash(source: Text | Strings) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    """Simhash and number of words of each page."""
    if isinstance(source, Strings):
        found = _core.sign_texts(load_core(), *to_buffers(source.array), 1, 1 << 63, False, True)
        return found[3], found[2]
    table = source.columns("simhash", "words")
    return table["simhash"].to_numpy(), table["words"].to_numpy()


def _compare(
    sources: Sequence[Text | Strings],
    starts: npt.NDArray[np.int64],
    pairs: npt.NDArray[np.int64],
    num_words: npt.NDArray[np.uint32],
    budget: int,
    progress: Progress,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Shares of common words and cosines; as many pairs at a time as have words for the budget."""
    # a word takes 16 bytes in a vector, and about as many as text, before and after it is unpacked
    sizes = 48 * num_words.astype(np.int64)
    blocks = [pairs] if len(pairs) else []
    is_asked = np.zeros(len(sizes), bool)
    is_asked[pairs] = True
    if int(sizes[is_asked].sum()) > budget:
        places = np.cumsum(sizes[pairs].sum(axis=1)) // max(budget, 1)
        blocks = np.split(pairs, np.flatnonzero(np.diff(places)) + 1)
    shares, cosines = [np.empty(0)], [np.empty(0)]
    with progress.task("comparing", total=len(pairs), unit="pairs") as task:
        for block in blocks:
            texts, places = _gather(sources, starts, block)
            found = _core.compare_texts(
                load_core(), *to_buffers(texts), places.astype(np.uint32), lambda _amount: task.advance(0)
            )
            shares.append(found[0])
            cosines.append(found[1])
            task.advance(len(block))
    return np.concatenate(shares), np.concatenate(cosines)


def _gather(
    sources: Sequence[Text | Strings], starts: npt.NDArray[np.int64], pairs: npt.NDArray[np.int64]
) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """The texts of pairs, and where those of each pair are among them."""
    if len(sources) == 1 and isinstance(sources[0], Strings):
        return sources[0].array, pairs  # the core goes over those of no pair
    pages, places = np.unique(pairs, return_inverse=True)
    cuts = np.searchsorted(pages, starts[1:-1])
    texts = [
        source.take(part - start)
        for source, part, start in zip(sources, np.split(pages, cuts), starts, strict=False)
    ]
    return pa.concat_arrays(texts), places.reshape(-1, 2)
