"""Numbers by the identifiers of a wiki's tables, and pairs of numbers sorted on disk.

Both hold more than memory may: `IdNumbers` is a file with a number for each identifier, mapped, so that the
system keeps of it what is asked for; `Pairs` is a file for each range of first numbers, and one of them at a
time is sorted.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.files import explained

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

MAX_ID = 1 << 32
"""Identifiers are below this; those of Wikipedia have far to go."""


class IdNumbers:
    """A number from 0 to 2³² − 2 for each identifier that was given one, and none for the others.

    Examples
    --------
    >>> from webstrata import testing
    >>> numbers = IdNumbers(testing.scratch() / "numbers")
    >>> numbers.put(np.array([7, 100_000]), np.array([0, 5]))
    >>> numbers.get(np.array([7, 8, 100_000, 10**9])).tolist()
    [0, -1, 5, -1]
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = 0
        self._map: npt.NDArray[np.uint32] = np.empty(0, np.uint32)

    def put(self, ids: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> None:
        """Give identifiers, from 0 to below `MAX_ID`, their numbers."""
        if not len(ids):
            return
        needed = int(ids.max()) + 1
        if needed > self._size:
            self._size = 1 << max(needed - 1, 1).bit_length()
            with explained(self._path, "write"), self._path.open("ab") as file:
                os.truncate(file.fileno(), 4 * self._size)  # what lies between takes no room on the disk
            self._map = np.memmap(self._path, np.uint32, "r+", shape=(self._size,))
        self._map[ids] = numbers + 1

    def get(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Their numbers, -1 where they have none."""
        found = np.full(len(ids), -1, np.int64)
        inside = (ids >= 0) & (ids < self._size)
        found[inside] = self._map[ids[inside]].astype(np.int64) - 1
        return found


class Pairs:
    """Pairs of numbers below 2³², given in any order, and back in theirs, each once.

    Examples
    --------
    >>> from webstrata import testing
    >>> pairs = Pairs(testing.scratch(), "arcs", num_sources=10, size_hint=10, memory=64)
    >>> pairs.add(np.array([9, 1, 9]), np.array([2, 3, 2]))
    >>> [(sources.tolist(), ends.tolist()) for sources, ends in pairs]
    [([1], [3]), ([9], [2])]
    """

    def __init__(
        self, folder: Path, name: str, *, num_sources: int, size_hint: int, memory: int = 64 << 20
    ) -> None:
        self._folder, self._name = folder, name
        # a pair takes 8 bytes, and as much again while it is sorted
        number = min(max(-(-16 * size_hint // memory), 1), 4096)
        self._width = max(-(-num_sources // number), 1)
        self._files = sorted({source // self._width for source in range(0, max(num_sources, 1), self._width)})
        self.num_added = 0

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number}"

    def add(self, firsts: npt.NDArray[np.int64], seconds: npt.NDArray[np.int64]) -> None:
        """Take pairs in."""
        if not len(firsts):
            return
        self.num_added += len(firsts)
        keys = np.sort(firsts.astype(np.uint64) << np.uint64(32) | seconds.astype(np.uint64))
        files = (keys >> np.uint64(32)).astype(np.int64) // self._width
        numbers, starts = np.unique(files, return_index=True)
        for number, start, stop in zip(numbers, starts, [*starts[1:], len(keys)], strict=True):
            path = self._path(int(number))
            with explained(path, "write"), path.open("ab") as file:
                file.write(keys[start:stop].data)

    def __iter__(self) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        for number in self._files:
            path = self._path(number)
            with explained(path, "read"):
                if not path.exists():
                    continue
                keys = np.fromfile(path, np.uint64)
            keys.sort()
            keys = keys[np.diff(keys, prepend=keys[:1] + np.uint64(1)) != 0]
            yield (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
