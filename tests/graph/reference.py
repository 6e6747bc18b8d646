"""What a graph in rows is, and what the bits of its lists say, in plain Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webstrata.graph.view import Rows


def to_rows(lists: Iterable[Iterable[int]]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Offsets and targets of successor lists."""
    offsets, targets = [0], []
    for successors in lists:
        targets += sorted(set(successors))
        offsets.append(len(targets))
    return np.array(offsets, dtype=np.uint64), np.array(targets, dtype=np.uint32)


def are_equal(one: Rows, other: Rows) -> bool:
    """Whether two graphs have the same offsets and targets."""
    return np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])


@dataclass
class CodedList:
    """A list as a BVGraph has it, not yet put together."""

    outdegree: int
    reference: int = 0
    blocks: list[int] = field(default_factory=list)
    """Lengths, alternately copied and left out; the rest is copied if their number is even."""
    intervals: list[tuple[int, int]] = field(default_factory=list)
    """First node and length."""
    residuals: list[int] = field(default_factory=list)


class BitReader:
    """Bits of bytes, the high ones first, and the codes of the default parameters."""

    def __init__(self, data: bytes) -> None:
        self.bits, self.place = "".join(f"{byte:08b}" for byte in data), 0

    def number(self, width: int) -> int:
        found = self.bits[self.place : self.place + width]
        self.place += width
        return int(found, 2) if found else 0

    def unary(self) -> int:
        zeros = self.bits.index("1", self.place) - self.place
        self.place += zeros + 1
        return zeros

    def gamma(self) -> int:
        width = self.unary()
        return (1 << width | self.number(width)) - 1

    def zeta3(self) -> int:
        """ζ₃ of x: h in unary, x + 1 - 2^(3h) in minimal binary among 2^(3h + 3) - 2^(3h) numbers."""
        h = self.unary()
        left, size = 1 << 3 * h, (1 << 3 * h + 3) - (1 << 3 * h)
        width = (size - 1).bit_length()
        short = (1 << width) - size
        found = self.number(width - 1)
        if found >= short:
            found = found * 2 + self.number(1) - short
        return left + found - 1


def signed(number: int) -> int:
    """The integer of a number: 0, 1, 2, 3 are 0, -1, 1, -2."""
    return number // 2 if number % 2 == 0 else -(number + 1) // 2


def read_lists(data: bytes, num_nodes: int) -> list[CodedList]:
    """The lists in a file `.graph` with the default parameters (WebGraph Framework I, section 4)."""
    bits = BitReader(data)
    lists: list[CodedList] = []
    known: list[list[int]] = []
    for node in range(num_nodes):
        coded = CodedList(bits.gamma())
        lists.append(coded)
        copied: list[int] = []
        if coded.outdegree:
            coded.reference = bits.unary()
        if coded.reference:
            before = known[node - coded.reference]
            coded.blocks = [bits.gamma() + (nth > 0) for nth in range(bits.gamma())]
            place = 0
            for nth, length in enumerate(coded.blocks):
                copied += before[place : place + length] if nth % 2 == 0 else []
                place += length
            copied += before[place:] if len(coded.blocks) % 2 == 0 else []
        missing = coded.outdegree - len(copied)
        if missing:
            end = 0
            for nth in range(bits.gamma()):
                start = node + signed(bits.gamma()) if nth == 0 else end + 1 + bits.gamma()
                length = 4 + bits.gamma()
                coded.intervals.append((start, length))
                end, missing = start + length, missing - length
        for nth in range(missing):
            gap = bits.zeta3()
            coded.residuals.append(node + signed(gap) if nth == 0 else coded.residuals[-1] + 1 + gap)
        found = {*copied, *coded.residuals}
        found |= {number for start, length in coded.intervals for number in range(start, start + length)}
        known.append(sorted(found))
        assert len(known[-1]) == coded.outdegree
    return lists
