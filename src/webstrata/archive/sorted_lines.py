"""Lines that are more than memory holds: sorted in runs on disk, which are merged.

A **run** is `MEMORY` bytes of lines, sorted by their bytes. At most `FAN_IN` runs are merged at a time: where
there are more, the first of them are made into one, which is put behind the others, until there are few
enough. So the number of open files and the memory do not grow with the file; a line is written once for each
time the number of runs is divided by `FAN_IN`.
"""

from __future__ import annotations

import heapq
from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING

from webstrata.collection.files import explained

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MEMORY = 16 << 20
"""Bytes of lines that are sorted at a time."""
FAN_IN = 64
"""Runs that are merged at a time: each is an open file, and a buffer."""


def sort_lines(source: Path, scratch: Path, *, memory: int = MEMORY, fan_in: int = FAN_IN) -> Iterator[bytes]:
    r"""The lines of a file in the order of their bytes, each with its end; runs on disk where memory ends.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "a").write_bytes(b"b\nc\na\n")
    >>> list(sort_lines(folder / "a", folder, memory=4))
    [b'a\n', b'b\n', b'c\n']
    """
    runs = _Runs(scratch)
    try:
        with source.open("rb") as stream:
            while lines := stream.readlines(memory):
                if not lines[-1].endswith(b"\n"):
                    lines[-1] += b"\n"
                lines.sort()
                if not runs.paths and not stream.peek(1):
                    yield from lines
                    return
                runs.write(lines)
                del lines
        # those made of others go to the end of the queue, so that no line is written more often than needed
        while len(runs.paths) > fan_in:
            runs.write(runs.merge(fan_in))
        yield from runs.merge(fan_in)
    finally:
        runs.remove()


class _Runs:
    """Files of sorted lines; they need not outlive a crash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self._taken: list[Path] = []
        self.paths: deque[Path] = deque()

    def write(self, lines: Iterable[bytes]) -> None:
        path = self._folder / f"run-{self._number}"
        self._number += 1
        with explained(path, "write"), path.open("wb") as out:
            self._taken.append(path)
            out.writelines(lines)
        self._taken.remove(path)
        self.paths.append(path)

    def merge(self, number: int) -> Iterator[bytes]:
        """The lines of the first runs, in order; the files go when all were given."""
        chosen = [self.paths.popleft() for _ in range(min(number, len(self.paths)))]
        self._taken += chosen
        with ExitStack() as stack:
            yield from heapq.merge(*(stack.enter_context(path.open("rb")) for path in chosen))
        for path in chosen:
            path.unlink()
            self._taken.remove(path)

    def remove(self) -> None:
        for path in (*self.paths, *self._taken):
            path.unlink(missing_ok=True)
