"""Near-duplicates (STORE): pages most of whose words are the same, found without comparing all pairs.

**Fingerprints** (Broder et al.). The words of a page become n-grams, overlapping or not; each n-gram has a
64-bit Rabin fingerprint; those that are 0 mod p stand for the page. An inverted index from fingerprints to
pages gives the pairs that share one. With F(a) the fingerprints of a page,

    resemblance(a, b) = |F(a) ∩ F(b)| / |F(a) ∪ F(b)|,    containment(a, b) = |F(a) ∩ F(b)| / |F(a)|.

The Rabin fingerprint is the polynomial over GF(2) whose coefficients are the bits of the n-gram, mod
x⁶⁴ + x⁴ + x³ + x + 1; the bits of an n-gram are the 64-bit hashes of its words (`webstrata.store.simhash`),
one behind the other.

**Simhash** gives the pairs within Hamming distance k by permuted tables (`webstrata.store.simhash`).

Both make **candidates**, which are verified: near-duplicates have a cosine similarity of their vectors of
words, weighted by frequency, of `SIMILARITY` or more. What is joined by pairs is a cluster.

A fingerprint of more than `limit` pages is the navigation of a site or its like: there only neighbours in the
order of nodes are paired, which keeps the number of pairs linear, and still joins a large cluster link by
link. Memory: 16 bytes for each selected fingerprint, about words / p to a page, and 24 bytes a candidate. All
of this is NumPy; a kernel in the core will take its place and give the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from webstrata.store.simhash import close_pairs, hash_words, label_clusters, list_clusters
from webstrata.web.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.store.text import Text

    Words = npt.NDArray[np.uint64]

METHODS = ("fingerprint", "simhash")
N, P = 5, 4
"""Words of an n-gram, and of how many fingerprints one is kept."""
SIMILARITY = 0.95
"""The cosine of pages with about nine words of ten the same; frequent words and the navigation of a site make
it larger than that share. In vitro, planted variations (0.92 of the words) have 0.956 and more, other pages
of a site up to 0.926."""
LIMIT = 32
"""Pages with a fingerprint, above which only neighbours are paired."""
MIN_SHARED = 0.1
"""Resemblance that candidates by fingerprints have: with nine words of ten the same it is 0.4 and more."""


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
    hashes = hash_words([word.casefold() for word in words(text)])
    return np.unique(select(rabin(hashes, n, overlapping=overlapping), p))


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
    documents: Sequence[npt.NDArray[np.uint64]], *, limit: int = LIMIT
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The pairs of documents that share a fingerprint, by an inverted index, and how many each pair shares.

    Examples
    --------
    >>> sets = [np.array(values, np.uint64) for values in ([1, 2], [2, 3], [1, 2, 9])]
    >>> pairs, shared = sharing_pairs(sets)
    >>> pairs.tolist(), shared.tolist()
    ([[0, 1], [0, 2], [1, 2]], [1, 2, 1])
    """
    sizes = [len(values) for values in documents]
    values = np.concatenate([np.empty(0, np.uint64), *documents])
    owners = np.repeat(np.arange(len(documents)), sizes)
    order = np.argsort(values, kind="stable")  # the owners of a fingerprint stay in their order
    values, owners = values[order], owners[order]
    _, starts = np.unique(values, return_index=True)
    lengths = np.diff(starts, append=len(values)).astype(np.int64)
    reach = np.repeat(np.where(lengths > limit, 2, lengths), lengths)  # how far each is paired
    found = [np.empty(0, np.int64)]
    for step in range(1, int(reach.max(initial=1))):
        first = np.flatnonzero((reach[:-step] > step) & (values[:-step] == values[step:]))
        found.append(owners[first] << 32 | owners[first + step])
    keys, shared = np.unique(np.concatenate(found), return_counts=True)
    return np.stack([keys >> 32, keys & (1 << 32) - 1], axis=1), shared


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


@dataclass(frozen=True)
class NearDuplicates:
    """The near-duplicates among the pages of a snapshot."""

    pairs: npt.NDArray[np.int64]
    """Two nodes each, the smaller first, sorted."""
    similarities: npt.NDArray[np.float64]
    """Of each pair."""
    labels: npt.NDArray[np.int64]
    """For each node the smallest of its cluster."""
    candidates: int
    """Pairs that were compared."""

    @property
    def clusters(self) -> Sequence[npt.NDArray[np.int64]]:
        """The nodes of each cluster of two or more, the largest first."""
        return list_clusters(self.labels)


def find_near_duplicates(
    text: Text,
    *,
    method: str = "fingerprint",
    similarity: float = SIMILARITY,
    distance: int = 3,
    n: int = N,
    p: int = P,
) -> NearDuplicates:
    """The near-duplicates among the pages of a snapshot, given its text.

    Parameters
    ----------
    text
        ``snapshot.text``.
    method
        How candidates are found: ``fingerprint`` or ``simhash``.
    similarity
        Cosine similarity that near-duplicates have at least.
    distance
        Hamming distance of candidates by simhash. 3 is that of the papers; of pages of a few hundred words
        with one in ten another it finds less than half, 7 nearly all, at many times the work.
    n, p
        Words of an n-gram, and of how many fingerprints one is kept.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from webstrata.store.text import COLUMNS, TEXT, Text, write_text
    >>> long = " ".join(map(chr, range(97, 123)))
    >>> rows = [{"title": "", "headings": [], "text": text} for text in (long, "another", long + " one")]
    >>> columns = pa.Table.from_pylist([{"simhash": 0}] * 3, schema=COLUMNS)
    >>> write_text(getfixture("tmp_path"), [pa.RecordBatch.from_pylist(rows, schema=TEXT)], columns)
    >>> found = find_near_duplicates(Text(getfixture("tmp_path")), p=1)
    >>> [cluster.tolist() for cluster in found.clusters], found.similarities.round(2).tolist()
    ([[0, 2]], [0.98])
    """
    if method == "fingerprint":
        pairs = _pair_by_fingerprints(text, n, p)
    elif method == "simhash":
        pairs = _pair_by_simhash(text, distance)
    else:
        raise ValueError(f"method: expected {' or '.join(METHODS)}, got {method!r}")
    vectors = _count_words_of(text, np.unique(pairs))
    similarities = np.array([cosine(vectors[a], vectors[b]) for a, b in pairs.tolist()], np.float64)
    near = similarities >= similarity
    labels = label_clusters(len(text), pairs[near])
    return NearDuplicates(pairs[near], similarities[near], labels, len(pairs))


def _pair_by_fingerprints(text: Text, n: int, p: int) -> npt.NDArray[np.int64]:
    documents = [
        fingerprints(page, n=n, p=p) for batch in text.scan("text") for page in batch["text"].to_pylist()
    ]
    pairs, _ = sharing_pairs(documents)
    close = [resemblance(documents[a], documents[b]) >= MIN_SHARED for a, b in pairs.tolist()]
    kept: npt.NDArray[np.int64] = pairs[np.array(close, bool)]
    return kept


def _pair_by_simhash(text: Text, distance: int) -> npt.NDArray[np.int64]:
    """Close pairs of different simhashes, and of those with the same one each with the first."""
    simhashes = text.columns("simhash")["simhash"].to_numpy()
    has_words = np.flatnonzero(text.columns("words")["words"].to_numpy() > 0)
    values, first, places = np.unique(simhashes[has_words], return_index=True, return_inverse=True)
    same = np.stack([first[places], np.arange(len(places))], axis=1)
    close = first[close_pairs(values, distance)]
    pairs = np.concatenate([same[same[:, 0] != same[:, 1]], np.sort(close, axis=1).reshape(-1, 2)])
    return np.unique(has_words[pairs], axis=0)


def _count_words_of(
    text: Text, nodes: npt.NDArray[np.int64]
) -> dict[int, tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]]:
    return {node: count_words(text.row(node)["text"]) for node in nodes.tolist()}
