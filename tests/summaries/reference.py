"""What the kernels of summaries compute, in plain Python: codes bit by bit as SUM defines them."""

from __future__ import annotations

from collections import Counter
from math import log2

from webstrata.web.words import words


def unary(number: int) -> str:
    return "0" * number + "1"


def low_bits(number: int, count: int) -> str:
    """So many lowest bits of a number, the lowest first, as a stream that is little-endian has them."""
    return "".join(str(number >> bit & 1) for bit in range(count))


def gamma(number: int) -> str:
    """The length of x + 1 less 1 in unary, then its bits without the highest."""
    octave = (number + 1).bit_length() - 1
    return unary(octave) + low_bits(number + 1, octave)


def delta(number: int) -> str:
    """As γ, with the length in γ."""
    octave = (number + 1).bit_length() - 1
    return gamma(octave) + low_bits(number + 1, octave)


def minimal_binary(number: int, end: int) -> str:
    """A number below `end` in ⌊log₂ end⌋ bits, or one more; the bit more comes last."""
    bits = end.bit_length() - 1
    limit = (1 << bits + 1) - end
    if number < limit:
        return low_bits(number, bits)
    number += limit
    return low_bits(number >> 1, bits) + str(number & 1)


def zeta(number: int, k: int) -> str:
    """In unary which power of 2ᵏ x + 1 has reached, then where between that power and the next it is."""
    h = ((number + 1).bit_length() - 1) // k
    low = 1 << h * k
    return unary(h) + minimal_binary(number + 1 - low, (1 << (h + 1) * k) - low)


def nu(number: int) -> int:
    return 2 * number if number >= 0 else 2 * abs(number) - 1


def encode(length: int, pairs: list[tuple[int, int]]) -> str:
    """A summary in the coding of SUM with its own codes; terms are ranks."""
    bits = delta(length) + zeta(len(pairs), 3)
    before = -1
    for term, _ in pairs:
        bits += zeta(term - before - 1, 2)
        before = term
    counts = [count for _, count in reversed(pairs)]
    for nth, count in enumerate(counts):
        bits += gamma(nu(count - counts[nth - 1]) if nth else count - 1)
    return bits


def count_terms(text: str, stop_words: set[str]) -> tuple[int, Counter[str]]:
    """The number of words of a text, and how often each comes that is no stop word; nothing is stemmed."""
    found = words(text)
    return len(found), Counter(word for word in map(str.casefold, found) if word not in stop_words)


def elias_fano_bits(count: int, end: int) -> float:
    """Bits of an Elias–Fano sequence, at most."""
    return count * (2 + log2(max(end / count, 1)))
