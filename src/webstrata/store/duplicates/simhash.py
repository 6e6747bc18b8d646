"""Simhash: 64 bits of a text that differ in few places where the texts differ in few words (STORE; Charikar).

Each word w has a weight (how often it occurs) and a hash h(w) of b bits. With v_i = Σ_w ±weight(w), plus
where bit i of h(w) is 1 and minus where it is 0, bit i of the simhash is 1 iff v_i > 0. The share of bits in
which two simhashes differ is, in the mean, the angle between the two vectors of weights divided by π.

h(w) is made of the ℓ bytes of the word in UTF-8, its letters case folded, cut into numbers b₁, b₂, … of eight
bytes each, the first byte lowest, zeros behind the last: h₀ = ℓ, hᵢ = mix(hᵢ₋₁ ⊕ bᵢ), where mix is the one to
one finalizer of MurmurHash3 (`mix`). No two words of up to eight bytes have the same. It is fast, where the
words of all pages are hashed, and no shield against somebody who looks for words that have the same. A text
without words has simhash 0. STORE's example leaves stop words out (`weigh_words`); the simhashes of a
snapshot have them, since pages are of any language (``docs/decisions/near-duplicates.md``).

**Pairs within Hamming distance k** are found by permuted tables (Manku et al., WWW 2007): the bits are cut
into m > k blocks; two simhashes that differ in at most k bits agree in m - k blocks at least, so for each
choice of m - k blocks the simhashes are sorted by them, and those that agree are compared. The core does
this on all cores, in 16 bytes for each simhash and 24 for each pair.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import store as _core
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    import numpy.typing as npt

BITS = 64
_CACHE = 1 << 20
"""Hashes of words that are kept; then it begins anew."""


def mix(number: int) -> int:
    """The finalizer of MurmurHash3: every bit of the number has its part in every bit of what comes back.

    Examples
    --------
    >>> hex(mix(1)), mix(0)
    ('0xb456bcfc34c2cb2c', 0)
    """
    number = (number ^ number >> 33) * 0xFF51AFD7ED558CCD % 2**64
    number = (number ^ number >> 33) * 0xC4CEB9FE1A85EC53 % 2**64
    return number ^ number >> 33


class _WordHashes(dict[str, int]):
    """The hash of a word, computed when it is first asked for."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _CACHE:
            self.clear()
        data = word.encode("utf-8", "surrogatepass")
        found = len(data)
        for place in range(0, len(data), 8):
            found = mix(found ^ int.from_bytes(data[place : place + 8], "little"))
        self[word] = found
        return found


_hashes = _WordHashes()


def hash_words(words: Iterable[str]) -> npt.NDArray[np.uint64]:
    """The 64-bit hash of each word.

    Examples
    --------
    >>> [hex(number) for number in hash_words(["fish", "found"]).tolist()]
    ['0x3a49027667ccc64a', '0x1d9654d29a7a9383']
    """
    return np.fromiter(map(_hashes.__getitem__, words), np.uint64)


def combine_hashes(
    hashes: npt.NDArray[np.uint64], weights: npt.NDArray[np.int64], *, bits: int = BITS
) -> tuple[int, npt.NDArray[np.int64]]:
    """The simhash of weighted hashes, and the vector v that it is the sign of, highest bit first.

    Examples
    --------
    >>> combine_hashes(np.array([0b10, 0b11], np.uint64), np.array([2, 1]), bits=2)
    (2, array([ 3, -1]))
    """
    table = np.unpackbits(hashes.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1)[:, BITS - bits :]
    vector = 2 * (weights @ table.astype(np.int64)) - weights.sum()
    packed = np.packbits(np.pad(vector > 0, (BITS - bits, 0))).tobytes()
    return int.from_bytes(packed, "big"), vector


def weigh_words(words: Iterable[str], *, stop_words: Container[str] = ()) -> dict[str, int]:
    """Words, case folded, with their frequencies, which are the weights of a simhash; without stop words.

    Examples
    --------
    >>> weigh_words("Tropical fish in tropical water".split(), stop_words={"in"})
    {'tropical': 2, 'fish': 1, 'water': 1}
    """
    counts = Counter(" ".join(words).casefold().split(" "))
    return {word: count for word, count in counts.items() if word and word not in stop_words}


def simhash(words: Iterable[str], *, stop_words: Container[str] = ()) -> int:
    """The simhash of a text, given its words, case folded here; their frequencies are the weights.

    Examples
    --------
    >>> one = simhash("tropical fish include fish found in tropical environments around the world".split())
    >>> two = simhash("Tropical fish include fish found in warm environments around the world".split())
    >>> (one ^ two).bit_count() < 20, simhash([])
    (True, 0)
    """
    counts = weigh_words(words, stop_words=stop_words)
    if not counts:
        return 0
    return combine_hashes(hash_words(counts), np.fromiter(counts.values(), np.int64))[0]


def count_bits(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """How many bits of each number are 1.

    Examples
    --------
    >>> count_bits(np.array([0, 255, 2**64 - 1], np.uint64)).tolist()
    [0, 8, 64]
    """
    if hasattr(np, "bitwise_count"):
        found: npt.NDArray[np.uint8] = np.bitwise_count(numbers)
        return found
    table = np.unpackbits(numbers.reshape(-1, 1).view(np.uint8), axis=1)
    summed: npt.NDArray[np.uint8] = table.sum(axis=1, dtype=np.uint8)
    return summed


def close_pairs(
    simhashes: npt.NDArray[np.uint64],
    k: int = 3,
    *,
    blocks: int | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.int64]:
    """All pairs of places whose simhashes differ in at most k bits, the smaller place first, sorted.

    Parameters
    ----------
    simhashes
        64 bits each.
    k
        The largest distance.
    blocks
        Into how many the bits are cut; more blocks make more tables with shorter lists. Chosen by the number
        of simhashes where not given.
    progress
        Where to report to.

    Examples
    --------
    >>> close_pairs(np.array([0b1111, 0b0001, 0b1110, 0], np.uint64), 1).tolist()
    [[0, 2], [1, 3]]
    """
    if not 0 <= k < BITS:
        raise ValueError(f"k: expected 0 to {BITS - 1}, got {k}")
    if blocks is None:
        blocks = _choose_blocks(len(simhashes), k)
    if not k < blocks <= BITS:
        raise ValueError(f"blocks: expected {k + 1} to {BITS}, got {blocks}")
    edges = [round(place * BITS / blocks) for place in range(blocks + 1)]
    masks = [(1 << high) - (1 << low) for low, high in pairwise(edges)]
    total = len(simhashes) * comb(blocks, k)
    with (progress or Progress()).task("pairing", total=total, unit="simhashes") as task:
        return _core.close_pairs(np.ascontiguousarray(simhashes), k, masks, task.advance)


def _choose_blocks(size: int, k: int) -> int:
    """As few blocks as make lists of about one simhash, where that takes a hundred tables at most."""
    for blocks in range(k + 1, BITS + 1):
        if comb(blocks, k) > 100:
            return max(blocks - 1, k + 1)
        if size >> (BITS * (blocks - k) // blocks) == 0:
            return blocks
    return k + 1


def nearest(
    simhashes: npt.NDArray[np.uint64], wanted: int, top: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """The places of the simhashes nearest to one, nearest first, and their distances.

    Examples
    --------
    >>> places, distances = nearest(np.array([0, 7, 1], np.uint64), 0, 2)
    >>> places.tolist(), distances.tolist()
    ([0, 2], [0, 1])
    """
    distances = count_bits(simhashes ^ np.uint64(wanted))
    places = np.argsort(distances, kind="stable")[:top]
    return places, distances[places]


def label_clusters(size: int, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each place the smallest one it is joined with by pairs, directly or through others (union-find).

    Examples
    --------
    >>> label_clusters(5, np.array([[0, 2], [2, 4]])).tolist()
    [0, 1, 0, 3, 0]
    """
    label = np.arange(size)
    while len(pairs):
        roots = label[pairs]
        pairs = pairs[roots[:, 0] != roots[:, 1]]
        roots = np.sort(label[pairs], axis=1)
        np.minimum.at(label, roots[:, 1], roots[:, 0])
        while not np.array_equal(shorter := label[label], label):  # every path becomes one step long
            label = shorter
    return label


def list_clusters(labels: npt.NDArray[np.int64]) -> Sequence[npt.NDArray[np.int64]]:
    """The members of each cluster of two or more, the largest first.

    Examples
    --------
    >>> [cluster.tolist() for cluster in list_clusters(np.array([0, 1, 0, 3, 0]))]
    [[0, 2, 4]]
    """
    order = np.argsort(labels, kind="stable")
    _, starts = np.unique(labels[order], return_index=True)
    clusters = [cluster for cluster in np.split(order, starts[1:]) if len(cluster) > 1]
    return sorted(clusters, key=lambda cluster: (-len(cluster), cluster[0]))
