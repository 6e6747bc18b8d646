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


class ContextsReader:
    """One summary of the coding `contexts`, read as `docs/formats/summaries.md` says; `model` is unpacked."""

    def __init__(self, data: bytes, model: bytes, num_terms: int) -> None:
        words = [int.from_bytes(model[at : at + 2], "little") for at in range(0, 2 * (739 * 16 + 512), 2)]
        self.tables = [words[16 * table : 16 * table + 16] for table in range(739)]
        self.choices, self.classes = words[739 * 16 :], model[-num_terms:]
        self.x, self.data = int.from_bytes(data[:4], "little"), data[4:]
        self.bits_left, self.all_bits = 8 * len(data), int.from_bytes(data, "little")
        self.size, self.num_terms = len(data), num_terms

    def symbol(self, sizes: list[int]) -> int:
        y, symbol = self.x % 1024, 0
        while y >= sizes[symbol]:
            y, symbol = y - sizes[symbol], symbol + 1
        self.x = sizes[symbol] * (self.x // 1024) + y
        if self.x < 1 << 16:
            self.x = self.x << 16 | int.from_bytes(self.data[:2], "little")
            self.data = self.data[2:]
        return symbol

    def bits(self, count: int) -> int:
        self.bits_left -= count
        return self.all_bits >> self.bits_left & (1 << count) - 1

    def number(self, table: int, shift: int = 0) -> int:
        symbol = self.symbol(self.tables[table])
        if symbol < 8:
            return (symbol << shift) + self.bits(shift)
        if symbol < 15:
            more = symbol // 2 - 2 + shift
            return (2 + symbol % 2 << more) + self.bits(more)
        return (96 + self.bits(self.bits(6)) << shift) + self.bits(shift)

    def copied(self, reference: dict[int, int]) -> dict[int, int]:
        history, kept = 0, []
        for term, count in reference.items():
            context = (self.classes[term] // 16 * 4 + min(count, 4) - 1) * 8 + history
            yes = self.symbol([self.choices[context], 1024 - self.choices[context]]) == 0
            history = (2 * history + yes) % 8
            kept += [term] * yes
        ends = (1, 2, 3, 4, 6, 9, 16, 32, 2**32)
        counts = {}
        for term in kept:
            q = 1 + sum(reference[term] > end for end in ends[:-1])
            counts[term] = 1 + self.number(387 + 16 * q + self.classes[term] % 16)
        return counts

    def read(self, before: list[dict[int, int]]) -> tuple[int, dict[int, int]]:
        """The length, and counts by rank in their order; `before` has those of the summaries before it."""
        distance = self.number(0)
        reference = before[-distance] if distance else {}
        counts = self.copied(reference)
        others, place, terms = self.number(2 if distance else 1), 0, list[int]()
        size = min(int(log2(others + 1)), 11)
        for left in range(others, 0, -1):
            u, v = int(log2(place + 1)), min(int(log2(left + 1)), 11)
            w = int(log2(max(int(log2(self.num_terms + 1)) - u, 1) + 1))
            gap = self.number(3 + 12 * u + v, max(u + w - v - 4, 0))
            free = (rank for rank in range(place, self.num_terms) if rank not in reference)
            term = next(rank for nth, rank in enumerate(free) if nth == gap)
            terms.append(term)
            place = term + 1
            for before_it in terms[-2:-1] if left > 1 else terms[-2:]:
                counts[before_it] = 1 + self.number(547 + 16 * size + self.classes[before_it] % 16)
        rest = self.x - (1 << 16)
        rest = self.bits(32) if rest == 65535 else rest
        assert self.bits_left // 8 == self.size - len(self.data)
        return (sum(counts.values()) + rest) % 2**32, dict(sorted(counts.items()))


def count_terms(text: str, stop_words: set[str]) -> tuple[int, Counter[str]]:
    """The number of words of a text, and how often each comes that is no stop word; nothing is stemmed."""
    found = words(text)
    return len(found), Counter(word for word in map(str.casefold, found) if word not in stop_words)


def elias_fano_bits(count: int, end: int) -> float:
    """Bits of an Elias–Fano sequence, at most."""
    return count * (2 + log2(max(end / count, 1)))
