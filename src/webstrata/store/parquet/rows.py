"""Tables with many rows a node, sorted by it: Parquet files in which the rows of a node are found at once.

Row groups have `ROW_GROUP` rows, however the table came in pieces, so that the same rows give the same bytes.
The statistics of the groups tell where a node is; a reader unpacks the groups that hold it, and no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.collection.files import explained, open_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Keep = Callable[[pa.Table], pa.Array | None]
    """Marks the rows of a table that may be read; None if all of them may."""

ROW_GROUP = 1 << 16


def write_rows(path: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> int:
    """Write tables one behind the other, and say how many rows they have; the first column is the node.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "rows.parquet"
    >>> schema = pa.schema([("node", pa.uint32()), ("text", pa.string())])
    >>> table = pa.table({"node": [0, 2, 2], "text": ["a", "b", "c"]}, schema=schema)
    >>> write_rows(path, schema, [table.slice(0, 2), table.slice(2)])
    3
    >>> ParquetRows(path, "node").of(2)["text"].to_pylist()
    ['b', 'c']
    """
    total = 0
    with open_writer(path) as stream, pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for table in regroup(tables, ROW_GROUP):
            writer.write_table(table, row_group_size=ROW_GROUP)
            total += len(table)
    return total


def regroup(tables: Iterable[pa.Table], size: int) -> Iterator[pa.Table]:
    """The same rows in tables of `size` each, the last one smaller; none where there are no rows.

    Examples
    --------
    >>> tables = [pa.table({"a": [1]}), pa.table({"a": [2, 3, 4]})]
    >>> [table["a"].to_pylist() for table in regroup(tables, 3)]
    [[1, 2, 3], [4]]
    """
    waiting: list[pa.Table] = []
    count = 0
    for table in tables:
        waiting.append(table)
        count += len(table)
        if count >= size:
            joined = pa.concat_tables(waiting)
            whole = count - count % size
            for start in range(0, whole, size):
                yield joined.slice(start, size)
            waiting, count = [joined.slice(whole)], count - whole
    if count:
        yield pa.concat_tables(waiting)


def take(column: pa.ChunkedArray, places: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """The values at some places of a column, without putting its pieces together as Arrow does first.

    Examples
    --------
    >>> take(pa.chunked_array([["a", "b"], ["c"]]), np.array([2, 0, 2])).to_pylist()
    ['c', 'a', 'c']
    """
    ends = np.cumsum([len(chunk) for chunk in column.chunks])
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], [0, *ends.tolist()]).tolist()
    pieces = [
        chunk.take(pa.array(places[order[bounds[number] : bounds[number + 1]]] - (ends[number] - len(chunk))))
        for number, chunk in enumerate(column.chunks)
        if bounds[number] < bounds[number + 1]
    ]
    inverse = np.empty(len(places), np.int64)
    inverse[order] = np.arange(len(places))
    return pa.concat_arrays(pieces or [pa.array([], column.type)]).take(pa.array(inverse))


class ParquetRows:
    """A table that `write_rows` wrote, read by node, by column and in blocks.

    With `keep`, a function of a table with the columns `needs`, only rows that it marks are read; all if it
    gives None. `len` counts all rows that are stored.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "rows.parquet"
    >>> table = pa.table({"node": pa.array([1, 1, 3], pa.uint32())})
    >>> _ = write_rows(path, table.schema, [table])
    >>> rows = ParquetRows(path, "node")
    >>> len(rows), len(rows.of(1)), len(rows.of(2)), [len(block) for block in rows.blocks()]
    (3, 2, 0, [3])
    """

    def __init__(
        self,
        path: Path,
        key: str,
        *,
        mapped: bool = True,
        keep: Keep | None = None,
        needs: Sequence[str] = (),
    ) -> None:
        self._key, self._keep, self._needs = key, keep, needs
        with explained(path, "read"):
            # who goes through all of it reads: what was seen of a mapped file counts as memory
            self._file = pq.ParquetFile(path, memory_map=mapped)
        self._bounds: tuple[np.ndarray, np.ndarray] | None = None
        self._last: tuple[int, pa.Table] | None = None

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def _show(self, table: pa.Table) -> pa.Table:
        """The rows that may be shown."""
        kept = None if self._keep is None else self._keep(table)
        return table if kept is None else table.filter(kept)

    def _columns(self, columns: Sequence[str]) -> list[str] | None:
        """The columns to read for those asked for."""
        if not columns:
            return None
        return list(dict.fromkeys([*columns, *(self._needs if self._keep is not None else ())]))

    def of(self, node: int) -> pa.Table:
        """The rows of a node."""
        pieces = []
        for table in self.between(node, node):
            start, stop = np.searchsorted(table[self._key].to_numpy(), [node, node + 1])
            pieces.append(table.slice(start, stop - start))
        return pa.concat_tables(pieces) if pieces else self._file.schema_arrow.empty_table()

    def between(self, first: int, last: int) -> Iterator[pa.Table]:
        """The row groups that may have rows of the nodes from `first` to `last`."""
        if self._bounds is None:
            statistics = [
                self._file.metadata.row_group(group).column(0).statistics
                for group in range(self._file.num_row_groups)
            ]
            self._bounds = np.array([s.min for s in statistics]), np.array([s.max for s in statistics])
        begin, end = np.searchsorted(self._bounds[1], first), np.searchsorted(self._bounds[0], last, "right")
        for group in range(int(begin), int(end)):
            yield self._group(group)

    def _group(self, group: int) -> pa.Table:
        last = self._last  # another thread may put another group there
        if last is None or last[0] != group:  # neighbours are asked for one after the other
            last = self._last = group, self._file.read_row_group(group).combine_chunks()
        return self._show(last[1])

    def of_many(self, nodes: Iterable[int]) -> pa.Table:
        """The rows of nodes that come in order, one behind the other."""
        return pa.concat_tables([self._file.schema_arrow.empty_table(), *(self.of(node) for node in nodes)])

    @property
    def num_blocks(self) -> int:
        """How many row groups there are."""
        return int(self._file.num_row_groups)

    def blocks(self, *columns: str) -> Iterator[pa.Table]:
        """The columns named, or all, a row group at a time."""
        for group in range(self._file.num_row_groups):
            yield self.block(group, *columns)

    def block(self, group: int, *columns: str) -> pa.Table:
        """The columns named, or all, of one row group."""
        found = self._show(self._file.read_row_group(group, self._columns(columns)))
        return found.select(list(columns)) if columns else found

    def table(self, *columns: str) -> pa.Table:
        """The columns named, or all, of the whole table."""
        found = self._show(self._file.read(self._columns(columns)))
        return found.select(list(columns)) if columns else found
