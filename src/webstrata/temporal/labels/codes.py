"""Canonical Huffman codes, and bits in NumPy arrays.

An optimal code (Huffman 1952) is made canonical (Schwartz and Kallick 1964): symbols are ordered by the
length of their code, then by value; the first code is all zeros, and each next one is the one before plus
1, with zeros appended where lengths grow. So the lengths in order say everything. The only symbol of a code
has no bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

MAX_LENGTH = 48
"""Of a code; nothing that counts fewer than 2³² arcs comes near it."""


@dataclass(frozen=True)
class Book:
    """A canonical code: its symbols in the order of their codes."""

    symbols: Numbers
    lengths: NDArray[np.uint8]

    @property
    def codes(self) -> Numbers:
        """The code of each symbol, to be written with its length.

        Examples
        --------
        >>> make_book([7, 8, 9], [5, 1, 1]).codes.tolist()
        [0, 2, 3]
        """
        if len(self.lengths) == 0:
            return np.zeros(0, np.uint64)
        # left-aligned codes are sums of what those before them take
        taken = np.uint64(1) << (np.uint64(MAX_LENGTH) - self.lengths.astype(np.uint64))
        aligned = np.cumsum(taken) - taken
        codes: Numbers = aligned >> (np.uint64(MAX_LENGTH) - self.lengths.astype(np.uint64))
        return codes

    def encode(self, symbols: Numbers) -> tuple[Numbers, NDArray[np.uint8]]:
        """The code of each of these symbols and its length; all must be in the book.

        Examples
        --------
        >>> codes, lengths = make_book([7, 8, 9], [5, 1, 1]).encode(np.array([9, 7], np.uint64))
        >>> codes.tolist(), lengths.tolist()
        ([3, 0], [2, 1])
        """
        order = np.argsort(self.symbols)
        places = order[np.searchsorted(self.symbols, symbols, sorter=order)]
        return self.codes[places], self.lengths[places]


def make_book(symbols: NDArray[np.uint64] | list[int], counts: NDArray[np.int64] | list[int]) -> Book:
    """The optimal code of symbols that occur so often.

    Examples
    --------
    >>> book = make_book([4, 5, 6, 7], [1, 1, 2, 4])
    >>> book.symbols.tolist(), book.lengths.tolist()
    ([7, 6, 4, 5], [1, 2, 3, 3])
    """
    values = np.asarray(symbols, np.uint64)
    lengths = code_lengths(np.asarray(counts, np.int64))
    order = np.lexsort((values, lengths))
    return Book(values[order], lengths[order])


def code_lengths(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The length of each symbol's code in an optimal one; what does not occur must not be there.

    Examples
    --------
    >>> code_lengths(np.array([1, 1, 2, 4])).tolist(), code_lengths(np.array([9])).tolist()
    ([3, 3, 2, 1], [0])
    """
    if len(counts) <= 1:
        return np.zeros(len(counts), np.uint8)
    lengths = _depths(counts)
    while int(lengths.max()) > MAX_LENGTH:
        counts = (counts + 1) // 2
        lengths = _depths(counts)
    return lengths


def _depths(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Huffman's tree by two queues: leaves in order, and inner nodes, which are made in order."""
    number = len(counts)
    order = np.argsort(counts, kind="stable")
    leaves: list[int] = counts[order].tolist()
    inner: list[int] = []
    parents = [0] * (2 * number - 1)
    leaf = node = 0
    for made in range(number - 1):
        weight = 0
        for _ in range(2):
            if node >= len(inner) or (leaf < number and leaves[leaf] <= inner[node]):
                weight += leaves[leaf]
                parents[leaf] = number + made
                leaf += 1
            else:
                weight += inner[node]
                parents[number + node] = number + made
                node += 1
        inner.append(weight)
    depths = [0] * (2 * number - 1)
    for place in range(2 * number - 3, -1, -1):
        depths[place] = depths[parents[place]] + 1
    found = np.zeros(number, np.uint8)
    found[order] = np.minimum(depths[:number], 255)
    return found


def to_bits(codes: Numbers, lengths: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The lowest bits of each number one behind the other, highest first: zeros and ones.

    Examples
    --------
    >>> to_bits(np.array([5, 0, 1], np.uint64), np.array([3, 0, 2], np.uint8)).tolist()
    [1, 0, 1, 0, 1]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    shifts = np.repeat(ends - 1, lengths) - np.arange(total)
    return (np.repeat(codes, lengths) >> shifts.astype(np.uint64) & np.uint64(1)).astype(np.uint8)


def elias_fano(values: Numbers) -> tuple[int, bytes, bytes, bytes]:
    """Values that never fall: bits of the low parts, low parts, high parts, and samples of these.

    The l lowest bits of each value stand one behind the other. In the high parts the bit v >> l, plus i, is
    set for the i-th value v. Every 128th of these bits has its place less its number in the samples, in 32
    bits.

    Examples
    --------
    >>> low_bits, lows, highs, samples = elias_fano(np.array([3, 8, 21], np.uint64))
    >>> low_bits, lows.hex(), highs.hex(), samples.hex()
    (2, 'c4', '91', '00000000')
    """
    if len(values) == 0:
        return 0, b"", b"", b""
    low_bits = max(int(values[-1]) // len(values), 1).bit_length() - 1
    lengths = np.full(min(len(values), 1 << 18), low_bits, np.uint8)
    # a whole number of bytes each time
    lows = b"".join(
        np.packbits(to_bits(block, lengths[: len(block)])).tobytes()
        for block in np.array_split(values, range(1 << 18, len(values), 1 << 18))
    )
    numbers = np.arange(len(values), dtype=np.uint64)
    places = (values >> np.uint64(low_bits)) + numbers
    bits = np.zeros(int(places[-1]) + 1, np.uint8)
    bits[places] = 1
    samples = (places - numbers)[::128].astype(">u4")
    return low_bits, lows, np.packbits(bits).tobytes(), samples.tobytes()


def ranked_marks(marks: NDArray[np.bool_]) -> tuple[bytes, bytes]:
    """Bits, and how many of them are set before every 512th, in 32 bits.

    Examples
    --------
    >>> bits, ranks = ranked_marks(np.arange(1000) % 2 == 0)
    >>> len(bits), np.frombuffer(ranks, ">u4").tolist()
    (125, [0, 256])
    """
    if len(marks) == 0:
        return b"", b""
    counts = np.add.reduceat(marks, np.arange(0, len(marks), 512), dtype=np.int64)
    ranks = (np.cumsum(counts) - counts).astype(">u4")
    return np.packbits(marks).tobytes(), ranks.tobytes()
