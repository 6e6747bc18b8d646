"""Lines of the indexes of several snapshots, merged, forwards or backwards, from any place.

An index is ZipNum (`webstrata.archive.cdxj`): blocks of about 300 lines, sorted by key and timestamp, and a
summary with the first key of each block. A `BlockTable` finds a key by bisecting the summary, in O(log n).

**Pages.** The blocks of all snapshots that overlap a range of keys are ordered by their first lines. A page
is `size` of these blocks: it has the lines from the first line of its first block up to the first line of the
next page. So a page is found without reading the pages before it (`MergedLines.cut`), by bisection in
all summaries at once.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webstrata.archive.cdxj import Index

END = b"\xff"
"""Behind every line, since keys are ASCII."""
KEPT_BLOCKS = 512
"""Unpacked blocks that are kept, of all indexes of the process; one takes some 100 KB."""


class Range(NamedTuple):
    """The lines from `low` up to, and without, `high`."""

    low: bytes
    high: bytes


class IndexLine(NamedTuple):
    """A line of an index, and the number of the index among those that were merged."""

    line: bytes
    place: int


class BlockTable:
    """The blocks of one index by number.

    Examples
    --------
    >>> from webstrata import testing
    >>> table = BlockTable(testing.snapshot().captures.index)
    >>> len(table), table.first(0)
    (1, b'example,garden)/ 20260601000005')
    >>> len(list(table.forward(Range(b"example,news)", b"example,news*"))))
    2
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        data = np.frombuffer(index.summary, np.uint8) if len(index.summary) else np.zeros(0, np.uint8)
        self._starts = np.concatenate([[0], np.flatnonzero(data == ord("\n")) + 1])
        del data  # it would keep the file mapped

    def __len__(self) -> int:
        return len(self._starts) - 1

    def first(self, number: int) -> bytes:
        """Key and timestamp of the first line of a block."""
        start = int(self._starts[number])
        summary = self._index.summary
        return bytes(summary[start : summary.find(b"\t", start)])

    def find(self, bound: bytes) -> int:
        """How many blocks begin before `bound`."""
        return bisect_left(range(len(self)), bound, key=self.first)

    def overlapping(self, lines: Range) -> tuple[int, int]:
        """The numbers of the first block that may have lines of a range, and of the one after the last."""
        return max(self.find(lines.low) - 1, 0), self.find(lines.high)

    def forward(self, lines: Range) -> Iterator[bytes]:
        """The lines of a range in order."""
        for number in range(*self.overlapping(lines)):
            block = _unpack(self, number)
            yield from block[bisect_left(block, lines.low) : bisect_left(block, lines.high)]

    def backward(self, lines: Range) -> Iterator[bytes]:
        """The lines of a range, the last one first."""
        for number in reversed(range(*self.overlapping(lines))):
            block = _unpack(self, number)
            yield from reversed(block[bisect_left(block, lines.low) : bisect_left(block, lines.high)])

    def unpack(self, number: int) -> list[bytes]:
        """The lines of a block."""
        return self._index.unpack(self._index.parse_place(int(self._starts[number]))).splitlines()


@lru_cache(KEPT_BLOCKS)
def _unpack(table: BlockTable, number: int) -> list[bytes]:
    return table.unpack(number)


def forget_blocks() -> None:
    """Let all unpacked blocks go, and with them the files of parts that were replaced.

    Examples
    --------
    >>> forget_blocks()
    """
    _unpack.cache_clear()


class MergedLines:
    """The lines of several indexes as those of one.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshots = list(testing.collection())
    >>> lines = MergedLines([BlockTable(snapshot.captures.index) for snapshot in snapshots])
    >>> news = Range(b"example,news)/ ", b"example,news)/!")
    >>> [row.line[15:23] for row in lines.forward(news)]
    [b'20260401', b'20260501', b'20260601']
    >>> [row.place for row in lines.backward(news)]
    [2, 1, 0]
    """

    def __init__(self, tables: Sequence[BlockTable]) -> None:
        self._tables = list(tables)

    def forward(self, lines: Range) -> Iterator[IndexLine]:
        """The lines of a range in order, those that are equal by the number of their index."""
        feeds = [_tag(table.forward(lines), place) for place, table in enumerate(self._tables)]
        return feeds[0] if len(feeds) == 1 else merge(*feeds)

    def backward(self, lines: Range) -> Iterator[IndexLine]:
        """The lines of a range, the last one first."""
        feeds = [_tag(table.backward(lines), place) for place, table in enumerate(self._tables)]
        return feeds[0] if len(feeds) == 1 else merge(*feeds, reverse=True)

    def count_blocks(self, lines: Range) -> int:
        """How many blocks a range overlaps; none where it has no line."""
        spans = [table.overlapping(lines) for table in self._tables]
        count = sum(end - start for start, end in spans)
        # a block that begins before the range may end before it too
        if count <= len(self._tables) and next(self.forward(lines), None) is None:
            return 0
        return count

    def cut(self, lines: Range, start: int, end: int) -> Range:
        """The part of a range that begins with its block number `start` and ends before number `end`."""
        low = lines.low if start == 0 else max(lines.low, self._select(lines, start))
        return Range(low, max(low, min(lines.high, self._select(lines, end))))

    def _select(self, lines: Range, rank: int) -> bytes:
        """The first line of the block with this rank among the blocks that overlap a range."""
        spans = [table.overlapping(lines) for table in self._tables]
        if rank >= sum(end - start for start, end in spans):
            return lines.high
        while True:
            # the middle of the longest list divides all of them
            widest = max(range(len(spans)), key=lambda place: spans[place][1] - spans[place][0])
            start, end = spans[widest]
            middle = (start + end) // 2
            pivot = (self._tables[widest].first(middle), widest)
            cuts = [self._count_below(place, pivot, span) for place, span in enumerate(spans)]
            below = sum(cut - begin for cut, (begin, _) in zip(cuts, spans, strict=True))
            if below == rank:
                return pivot[0]
            if below > rank:
                spans = [(begin, cut) for cut, (begin, _) in zip(cuts, spans, strict=True)]
            else:
                rank -= below + 1
                cuts[widest] += 1
                spans = [(cut, finish) for cut, (_, finish) in zip(cuts, spans, strict=True)]

    def _count_below(self, place: int, pivot: tuple[bytes, int], span: tuple[int, int]) -> int:
        """The first block of a table, within a span, that is not before the pivot."""
        table = self._tables[place]
        return bisect_left(range(span[1]), pivot, lo=span[0], key=lambda number: (table.first(number), place))


def _tag(lines: Iterator[bytes], place: int) -> Iterator[IndexLine]:
    return (IndexLine(line, place) for line in lines)
