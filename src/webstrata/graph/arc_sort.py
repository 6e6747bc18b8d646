"""Arcs in any order to rows in the order of nodes, in bounded memory.

An arc is a number of 64 bits, its source above its target. Arcs fill a buffer; a full one is sorted by digits
in a thread of its own and, unless it is the only one, written to a **run**: a file of sorted numbers, 8 bytes
each, of which every `STEP`-th stays in memory. These tell where to cut the nodes into ranges of about equally
many arcs, and where each range is in each run; the pieces of a range are then read, sorted together and made
rows, several ranges at once. Only the range of one node alone can be larger than its share.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]

MEMORY = 1 << 30
"""Bytes in which arcs are sorted where nobody says otherwise."""
STEP = 1 << 12
"""Every so many numbers of a run, one is remembered."""
MAX_RANGE = 1 << 23
"""Arcs of a range at most, however much memory there is: beyond it sorting gets slower, not faster."""
MAX_NODES = 1 << 32

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class RowBlock(NamedTuple):
    """Rows of successive nodes."""

    first: int
    """The first of the nodes."""
    offsets: npt.NDArray[np.uint64]
    targets: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint32]
    """For each target how often the arc was there; empty if nobody asked for it."""

    def sources(self) -> npt.NDArray[np.uint32]:
        """The source of each arc, beside `targets`."""
        nodes = np.arange(self.first, self.first + len(self.offsets) - 1, dtype=np.uint32)
        return np.repeat(nodes, np.diff(self.offsets).astype(np.int64))


@dataclass
class _Run:
    """Sorted numbers, in memory or in a file."""

    keys: Keys | None = None
    path: Path | None = None
    length: int = 0
    samples: Keys = field(default_factory=lambda: np.zeros(0, np.uint64))

    def read(self, start: int, out: Keys) -> None:
        """Fill `out` with the numbers from a place on."""
        if self.keys is not None:
            out[:] = self.keys[start : start + len(out)]
            return
        assert self.path is not None
        with explained(self.path, "read"), self.path.open("rb", buffering=0) as stream:
            stream.seek(8 * start)
            rest = out.data.cast("B")
            while len(rest):
                count = stream.readinto(rest)
                if not count:
                    raise EOFError(f"{self.path}: {len(rest)} bytes are missing")
                rest = rest[count:]

    def find(self, key: int) -> int:
        """The place of the first number that is not below `key`."""
        block = max(int(np.searchsorted(self.samples, np.uint64(key))) - 1, 0)
        keys = np.empty(min(STEP, self.length - block * STEP), np.uint64)
        self.read(block * STEP, keys)
        return block * STEP + int(np.searchsorted(keys, np.uint64(key)))


def write_run(path: Path, keys: Keys) -> None:
    """Write sorted numbers so that `ArcSorter.add_run` takes them.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "run"
    >>> write_run(path, np.array([1 << 32, 2 << 32 | 5], np.uint64))
    >>> with ArcSorter(path.parent, num_nodes=6) as sorter:
    ...     sorter.add_run(path, num_nodes=6)
    ...     [block.targets.tolist() for block in sorter.rows()]
    [[0, 5]]
    """
    with explained(path, "write"), path.open("wb", buffering=0) as stream:
        rest = np.ascontiguousarray(keys).data.cast("B")
        while len(rest):
            rest = rest[stream.write(rest[: 1 << 26]) or 0 :]


def to_keys(sources: npt.NDArray[Any], targets: npt.NDArray[Any], out: Keys) -> None:
    """Put arcs into `out` as numbers of 64 bits.

    Examples
    --------
    >>> keys = np.zeros(1, np.uint64)
    >>> to_keys(np.array([1]), np.array([2]), keys)
    >>> keys.tolist()
    [4294967298]
    """
    np.left_shift(sources, _HALF, out=out, dtype=np.uint64, casting="unsafe")
    np.bitwise_or(out, targets, out=out, dtype=np.uint64, casting="unsafe")


class ArcSorter:
    """Takes arcs in any order, and gives them back as rows, each arc once; a context manager.

    Parameters
    ----------
    folder
        Where runs are written that do not fit into memory; they are removed in the end.
    num_nodes
        How many nodes there are; one more than the largest number where not given.
    memory
        Bytes that buffers may take, all threads together; at least 16 MiB.
    workers
        Threads; one per core where not given.
    counted
        Whether to count how often each arc is there.
    by_source
        Whether arcs of one source are added in the order of their targets, as those of a transpose are: then
        half of the digits need no sorting.
    progress
        Where it reports, in arcs.

    Examples
    --------
    >>> from webstrata import testing
    >>> with ArcSorter(testing.scratch()) as sorter:
    ...     sorter.add(np.array([2, 0]), np.array([1, 2]))
    ...     sorter.add(np.array([0]), np.array([1]))
    ...     [(block.offsets.tolist(), block.targets.tolist()) for block in sorter.rows()]
    [([0, 2, 2, 3], [1, 2, 1])]
    """

    def __init__(
        self,
        folder: Path,
        *,
        num_nodes: int | None = None,
        memory: int = MEMORY,
        workers: int | None = None,
        counted: bool = False,
        by_source: bool = False,
        progress: Progress | None = None,
    ) -> None:
        if memory < 16 << 20:
            raise ValueError(f"memory: expected at least {16 << 20} bytes, got {memory}")
        if num_nodes is not None and not 0 <= num_nodes <= MAX_NODES:
            raise ValueError(f"num_nodes: expected at most {MAX_NODES}, got {num_nodes}")
        self._folder, self._counted, self._by_source = folder, counted, by_source
        self._workers = workers or len(os.sched_getaffinity(0))
        self._bound, self._largest = num_nodes, -1
        # one buffer is filled while the others are sorted, each with as much to sort into
        self._capacity = max(memory // (16 * (self._workers + 1)), STEP)
        # of each range: its numbers, as much to sort into, its rows, and the piece that is being compressed
        self._range = min(max(memory // (40 * (self._workers + 1)), STEP), MAX_RANGE)
        self._pairs: list[tuple[Keys, Keys]] = []
        self._filling: tuple[Keys, Keys] | None = None
        self._filled = 0
        self._sorting: deque[tuple[tuple[Keys, Keys], Future[_Run]]] = deque()
        self._runs: list[_Run] = []
        self._own: list[Path] = []
        self._progress = progress or Progress()
        self.num_arcs = 0
        """Arcs that were added, the same one again too."""

    def __enter__(self) -> Self:
        self._pool = ThreadPoolExecutor(self._workers, "sort")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._runs.clear()
        for path in self._own:
            path.unlink(missing_ok=True)

    @property
    def num_nodes(self) -> int:
        """How many nodes there are, as given or as seen."""
        return self._largest + 1 if self._bound is None else self._bound

    def add(self, sources: npt.NDArray[Any], targets: npt.NDArray[Any]) -> None:
        """Take arcs, two arrays of whole numbers."""
        if len(sources) != len(targets):
            raise ValueError(f"targets: expected the {len(sources)} of the sources, got {len(targets)}")
        if len(sources) == 0:
            return
        self._check("sources", sources)
        self._check("targets", targets)
        self.num_arcs += len(sources)
        start = 0
        while start < len(sources):
            keys = self._room()[0]
            stop = min(start + self._capacity - self._filled, len(sources))
            place = slice(self._filled, self._filled + stop - start)
            to_keys(sources[start:stop], targets[start:stop], keys[place])
            self._filled, start = place.stop, stop

    def add_run(self, path: Path, *, num_nodes: int) -> None:
        """Take arcs that `write_run` wrote, of nodes below `num_nodes`; the file stays."""
        with explained(path, "read"):
            length = path.stat().st_size // 8
            if length:
                samples = np.array(np.memmap(path, np.uint64, "r")[::STEP])
                self._runs.append(_Run(path=path, length=length, samples=samples))
        self.num_arcs += length
        self._largest = max(self._largest, num_nodes - 1)

    def rows(self) -> Iterator[RowBlock]:
        """Every node with its row, in blocks; the sorter is empty then."""
        if self._filled:
            self._sort(spill=bool(self._runs or self._sorting))
        while self._sorting:
            self._collect()
        self._pairs.clear()
        self._filling = None
        ranges = self._cut()
        waiting: deque[Future[RowBlock]] = deque()
        for first, end, places in ranges:
            if len(waiting) > self._workers:
                yield waiting.popleft().result()
            waiting.append(self._pool.submit(self._merge, first, end, places))
        while waiting:
            yield waiting.popleft().result()

    def _check(self, name: str, numbers: npt.NDArray[Any]) -> None:
        if not np.issubdtype(numbers.dtype, np.integer):
            raise ValueError(f"{name}: expected whole numbers, got {numbers.dtype}")
        least = 0 if np.issubdtype(numbers.dtype, np.unsignedinteger) else int(numbers.min())
        most = int(numbers.max())
        bound = MAX_NODES if self._bound is None else self._bound
        if least < 0 or most >= bound:
            raise ValueError(
                f"{name}: expected numbers below the {bound} nodes, got {least if least < 0 else most}"
            )
        self._largest = max(self._largest, most)

    def _room(self) -> tuple[Keys, Keys]:
        """The buffers that are being filled, with room in them."""
        if self._filling is not None and self._filled == self._capacity:
            self._sort(spill=True)
        if self._filling is None:
            if len(self._sorting) == self._workers:
                self._collect()
            elif not self._pairs:
                self._pairs.append((np.empty(self._capacity, np.uint64), np.empty(self._capacity, np.uint64)))
            self._filling, self._filled = self._pairs.pop(), 0
        return self._filling

    def _sort(self, *, spill: bool) -> None:
        """Begin to sort what was filled."""
        assert self._filling is not None
        pair, length = self._filling, self._filled
        path = self._folder / f"run-{len(self._own):06}" if spill else None
        if path is not None:
            self._own.append(path)
        work = self._pool.submit(
            _make_run, pair, length, path, once=not self._counted, by_source=self._by_source
        )
        self._sorting.append((pair, work))
        self._filling, self._filled = None, 0

    def _collect(self) -> None:
        pair, work = self._sorting.popleft()
        self._runs.append(work.result())
        self._pairs.append(pair)

    def _cut(self) -> Iterator[tuple[int, int, list[tuple[_Run, int, int]]]]:
        """Ranges of nodes with about as many arcs each, and where they are in which runs."""
        samples = [run.samples for run in self._runs]
        seen = np.sort(np.concatenate([np.zeros(0, np.uint64), *samples]) >> _HALF)
        share = max(self._range // STEP, 1)
        # nodes without arcs take room too
        cuts = np.union1d(seen[share::share], np.arange(0, self.num_nodes, 4 * MAX_RANGE, dtype=np.uint64))
        bounds = [*cuts[cuts > 0].tolist(), self.num_nodes] if self.num_nodes else []
        first, begins = 0, [0] * len(self._runs)
        for end in bounds:
            key = end << 32
            ends = [run.length if end == self.num_nodes else run.find(key) for run in self._runs]
            pieces = [
                (run, begin, stop)
                for run, begin, stop in zip(self._runs, begins, ends, strict=True)
                if begin < stop
            ]
            yield first, end, pieces
            first, begins = end, ends

    def _merge(self, first: int, end: int, pieces: list[tuple[_Run, int, int]]) -> RowBlock:
        keys = np.empty(sum(stop - begin for _, begin, stop in pieces), np.uint64)
        place = 0
        for run, begin, stop in pieces:
            run.read(begin, keys[place : place + stop - begin])
            place += stop - begin
        if len(pieces) > 1:
            # runs stand in the order in which their arcs came, so that what `by_source` says is true here too
            core.sort_keys(keys, np.empty_like(keys), False, self._by_source)
        return RowBlock(first, *core.keys_to_rows(keys, first, end, self._counted))


def _make_run(
    pair: tuple[Keys, Keys], length: int, path: Path | None, *, once: bool, by_source: bool
) -> _Run:
    keys = pair[0][:length]
    kept = core.sort_keys(keys, pair[1][:length], once, by_source)
    samples = keys[:kept:STEP].copy()
    if path is None:
        return _Run(keys=keys[:kept], length=kept, samples=samples)
    write_run(path, keys[:kept])
    return _Run(path=path, length=kept, samples=samples)
