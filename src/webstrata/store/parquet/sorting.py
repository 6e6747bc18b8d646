"""Tables that are larger than the memory they may take: sorted on disk, and read again in pieces.

`Sorter` takes tables in any order and gives their rows back by one column. What is waiting is sorted and
written as a *run* when it reaches `memory` bytes; runs are files of pieces of `PIECE` bytes, and are merged
by whole pieces: whatever is at or below the smallest last key of the pieces at hand can go out. Where there
are more than `FAN_IN` runs they are first made into fewer. `Spool` keeps tables in the order they came in.

Files are read and not mapped, since the pages of a mapped file count as memory of the process. They need not
outlive it, so nothing is synced.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.files import explained

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

MEMORY = 8 << 20
"""Bytes of rows that are sorted at a time."""
PIECE = 1 << 18
_AHEAD = 8
"""Pieces that are read beyond one of each run: to sort many rows at once costs less."""
FAN_IN = 48
_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)


@contextmanager
def frugal() -> Iterator[None]:
    """Let Arrow give memory back to the system at once, which the pool it has by default does not.

    Examples
    --------
    >>> with frugal():
    ...     pa.default_memory_pool().backend_name
    'system'
    """
    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)


class Spool:
    """Tables one behind the other in a file, to be gone through as often as needed.

    Examples
    --------
    >>> from webstrata import testing
    >>> spool = Spool(testing.scratch() / "spool", pa.schema([("a", pa.int64()), ("b", pa.string())]))
    >>> spool.add(pa.table({"a": [1, 2], "b": ["x", "y"]}))
    >>> spool.add(pa.table({"a": [3], "b": ["z"]}))
    >>> len(spool), [table["b"].to_pylist() for table in spool.tables("b")]
    (3, [['x', 'y'], ['z']])
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.schema = schema
        self._path = path
        self._size = 0
        self.num_pieces = 0
        with explained(path, "write"):
            self._sink = pa.OSFile(str(path), "wb")
            self._writer: pa.RecordBatchFileWriter | None = pa.ipc.new_file(
                self._sink, schema, options=_OPTIONS
            )

    def __len__(self) -> int:
        return self._size

    def add(self, table: pa.Table, max_rows: int | None = None) -> None:
        """Append rows; `tables` gives them back in pieces of at most so many."""
        if self._writer is None:
            raise ValueError("table: expected before the spool is read, got one afterwards")
        self._size += len(table)
        max_rows = max_rows or max(len(table), 1)
        self.num_pieces += -(-len(table) // max_rows)
        with explained(self._path, "write"):
            self._writer.write_table(table.combine_chunks(), max_chunksize=max_rows)

    def close(self) -> None:
        """Write what is left; reading does it too."""
        if self._writer is not None:
            with explained(self._path, "write"):
                self._writer.close()
                self._sink.close()
            self._writer = None

    def tables(self, *columns: str) -> Iterator[pa.Table]:
        """The tables as they came, or only some of their columns."""
        self.close()
        fields = sorted(self.schema.get_field_index(name) for name in columns) or None
        options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
        with explained(self._path, "read"), pa.OSFile(str(self._path)) as source:
            reader = pa.ipc.open_file(source, options=options)
            for place in range(reader.num_record_batches):
                yield pa.Table.from_batches([reader.get_batch(place)])

    def remove(self) -> None:
        """Delete the file."""
        self.close()
        with explained(self._path, "remove"):
            self._path.unlink(missing_ok=True)


class Sorter:
    """Rows in the order of their first column, which has no nulls; those with equal keys in any order.

    Examples
    --------
    >>> from webstrata import testing
    >>> schema = pa.schema([("key", pa.string()), ("number", pa.int64())])
    >>> sorter = Sorter(testing.scratch(), "words", schema, memory=1)
    >>> for word in ("c", "a", "b"):
    ...     sorter.add(pa.table({"key": [word], "number": [ord(word)]}))
    >>> [key for table in sorter.tables() for key in table["key"].to_pylist()]
    ['a', 'b', 'c']
    """

    def __init__(self, folder: Path, name: str, schema: pa.Schema, *, memory: int = MEMORY) -> None:
        self.schema = schema
        self._folder, self._name, self._memory = folder, name, memory
        self._key = schema.names[0]
        self._waiting: list[pa.Table] = []
        self._waiting_bytes = 0
        self._levels: list[list[Spool]] = [[]]
        """Runs, and behind them those that were made of `FAN_IN` of the level before."""
        self._num_runs = 0

    def add(self, table: pa.Table) -> None:
        """Take rows in."""
        if not len(table):
            return
        self._waiting.append(table)
        self._waiting_bytes += table.nbytes
        if self._waiting_bytes >= self._memory:
            self._spill()

    def tables(self) -> Iterator[pa.Table]:
        """All rows in order, in tables of no certain size; as often as asked for, when all are in."""
        runs = [run for level in self._levels for run in level]
        if not runs:
            if self._waiting:
                self._waiting = [self._sort(self._waiting)]
            return iter(self._waiting)
        if self._waiting:
            self._spill()
        return self._merge([run for level in self._levels for run in level])

    def remove(self) -> None:
        """Delete the files."""
        for level in self._levels:
            for run in level:
                run.remove()
        self._levels, self._waiting, self._waiting_bytes = [[]], [], 0

    def _spill(self) -> None:
        table = self._sort(self._waiting)
        self._waiting, self._waiting_bytes = [], 0
        self._levels[0].append(self._write([table]))
        for place, level in enumerate(self._levels):
            if len(level) < FAN_IN:
                break
            if place + 1 == len(self._levels):
                self._levels.append([])
            self._levels[place + 1].append(self._write(self._merge(level)))
            for run in level:
                run.remove()
            level.clear()

    def _write(self, tables: Iterable[pa.Table]) -> Spool:
        run = Spool(self._folder / f"{self._name}-{self._num_runs}", self.schema)
        self._num_runs += 1
        for table in tables:
            run.add(table, max(PIECE * len(table) // max(table.nbytes, 1), 1))
        run.close()
        return run

    def _sort(self, tables: Sequence[pa.Table]) -> pa.Table:
        table = pa.concat_tables(tables).combine_chunks()
        return table.take(pc.sort_indices(table[self._key].combine_chunks()))

    def _merge(self, runs: Sequence[Spool]) -> Iterator[pa.Table]:
        sources = [_Run(run, self._key) for run in runs]
        while sources:
            longer = [source for source in sources if source.has_more]
            for _ in range(_AHEAD if longer else 0):
                # the run that ends first holds the others up
                behind = min(longer, key=lambda source: source.last)
                behind.read()
                if not behind.has_more:
                    longer.remove(behind)
                if not longer:
                    break
            bound = min(source.last for source in longer) if longer else None
            found = [piece for source in sources for piece in source.take_until(bound)]
            sources = [source for source in sources if source.pieces]
            yield self._sort(found)


class _Run:
    """A run being merged: the pieces at hand, and whether there are more."""

    def __init__(self, run: Spool, key: str) -> None:
        self._key = key
        self._tables = run.tables()
        self._left = run.num_pieces
        self.pieces: deque[tuple[Any, pa.Table]] = deque()
        """With the last key of each."""
        self.read()

    @property
    def has_more(self) -> bool:
        return self._left > 0

    @property
    def last(self) -> Any:  # noqa: ANN401 (of whatever type the keys have)
        return self.pieces[-1][0]

    def read(self) -> None:
        """Bring the next piece, if there is one."""
        if self._left:
            piece = next(self._tables)
            self._left -= 1
            self.pieces.append((piece[self._key][len(piece) - 1].as_py(), piece))

    def take_until(self, bound: Any) -> Iterator[pa.Table]:  # noqa: ANN401
        """The rows at hand at or below a key, all for none; they are gone from here."""
        while self.pieces:
            last, piece = self.pieces[0]
            if bound is None or last <= bound:
                self.pieces.popleft()
                yield piece
                continue
            count = bisect_right(range(len(piece)), bound, key=partial(_read, piece[self._key]))
            self.pieces[0] = last, piece.slice(count)
            yield piece.slice(0, count)
            break
        if not self.pieces:
            self.read()


class Queue:
    """Sorted tables, taken from the front up to a key.

    Examples
    --------
    >>> tables = [pa.table({"key": ["a", "b"]}), pa.table({"key": ["c", "d"]})]
    >>> queue = Queue(tables, tables[0].schema)
    >>> queue.take_until("c")["key"].to_pylist(), queue.take_until("c")["key"].to_pylist()
    (['a', 'b', 'c'], [])
    """

    def __init__(self, tables: Iterable[pa.Table], schema: pa.Schema) -> None:
        self._tables = iter(tables)
        self._front = schema.empty_table()

    def take_until(self, bound: Any) -> pa.Table:  # noqa: ANN401 (of whatever type the keys have)
        """The rows at or below a key; they are gone from the queue."""
        found = []
        while True:
            keys = self._front.column(0)
            size = len(keys)
            count = bisect_right(range(size), bound, key=partial(_read, keys))
            found.append(self._front.slice(0, count))
            self._front = self._front.slice(count)
            if len(self._front):
                break
            following = next(self._tables, None)
            if following is None:
                break
            self._front = following
        return pa.concat_tables(found)


def _read(keys: pa.ChunkedArray, row: int) -> Any:  # noqa: ANN401
    return keys[row].as_py()
