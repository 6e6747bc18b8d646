"""What a file of labels says, in plain Python: written from docs/formats/temporal-labels.md, bit by bit."""

from __future__ import annotations

import heapq
import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.graph.reference import CodedList


def optimal_cost(counts: Sequence[int]) -> int:
    """The bits that an optimal prefix code takes for symbols that occur so often."""
    heap, total = list(counts), 0
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        total += joined
        heapq.heappush(heap, joined)
    return total


def canonical_codes(lengths: Sequence[int]) -> list[str]:
    """The code of each symbol, as text of zeros and ones."""
    codes: list[str] = []
    number = 0
    for nth, length in enumerate(lengths):
        if nth:
            number = (number + 1) << (length - lengths[nth - 1])
        codes.append(f"{number:0{length}b}" if length else "")
    return codes


class Stream:
    """Bits, and the codes that read them."""

    def __init__(self, data: bytes) -> None:
        self.bits, self.place = "".join(f"{byte:08b}" for byte in data), 0

    def number(self, width: int) -> int:
        found = self.bits[self.place : self.place + width]
        self.place += width
        return int(found, 2) if found else 0

    def symbol(self, codes: dict[str, int]) -> int:
        found = ""
        while found not in codes:
            found += self.bits[self.place]
            self.place += 1
        return codes[found]


def numbers_of(data: bytes) -> Iterator[list[int]]:
    """The arrays of a section that is compressed."""
    raw = zlib.decompress(data)
    place = 1
    for _ in range(raw[0]):
        width, length = struct.unpack_from(">BQ", raw, place)
        place += 9
        planes = [raw[place + k * length : place + (k + 1) * length] for k in range(width)]
        place += width * length
        yield [int.from_bytes(bytes(plane[nth] for plane in planes)) for nth in range(length)]


def squeezed_onto(bound: int, symbol: int) -> int:
    """The bits of a symbol at the places of those of the bound."""
    places = [place for place in range(64) if bound >> place & 1]
    return sum((symbol >> nth & 1) << place for nth, place in enumerate(places))


def decode(file: bytes, lists: Sequence[CodedList], targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """The labels of each list, of a file in either coding."""
    coding, flags, num_snapshots = file[10], file[11], file[12]
    lengths = struct.unpack_from(">9Q", file, len(file) - 136 + 48)
    sections, place = [], 16
    for length in lengths:
        sections.append(file[place : place + length])
        place += length + -length % 8
    stream = Stream(sections[0])
    distinct, which = numbers_of(sections[6])
    nodes = [distinct[number] for number in which]
    keys, counts, code_lengths, symbols = numbers_of(sections[8])
    books, place = [], 0
    for count in counts:
        codes = canonical_codes(code_lengths[place : place + count])
        books.append(dict(zip(codes, symbols[place : place + count], strict=True)))
        place += count
    if coding == 1:
        by_source = dict(zip(keys, books, strict=True))
        return [[stream.symbol(by_source[nodes[u]]) for _ in row] for u, row in enumerate(targets)]
    bounds = nodes if flags & 1 else [2**num_snapshots - 1] * len(nodes)
    marks = "".join(f"{byte:08b}" for byte in sections[4])
    labels: list[list[int]] = []
    for u, row in enumerate(targets):
        found = [bounds[u] & bounds[target] for target in row]
        if lists[u].reference:
            v = u - lists[u].reference
            for nth, target in enumerate(row):
                if target in targets[v]:
                    there = labels[v][targets[v].index(target)]
                    found[nth] &= there | ~bounds[v]
        if marks[u : u + 1] == "1":
            _correct(stream, books, [bounds[u] & bounds[target] for target in row], found)
        labels.append(found)
    return labels


def _correct(stream: Stream, books: list[dict[str, int]], bounds: list[int], labels: list[int]) -> None:
    mask, place = 2**64 - 1, 0
    while place < len(labels):
        code = stream.symbol(books[0 if place == 0 else 1])
        if code == 33:
            return
        place += (1 << code | stream.number(code)) - 1
        code = stream.symbol(books[2])
        length = 1 << code % 64 | stream.number(code % 64)
        if code < 64:
            bound = bounds[place]
            symbol = stream.symbol(books[3 + bound.bit_count()])
            mask = mask & ~bound | (labels[place] ^ squeezed_onto(bound, symbol))
        for nth in range(place, place + length):
            labels[nth] = mask & bounds[nth]
        place += length
