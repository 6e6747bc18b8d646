"""Rows that belong together, and rows that lead to others: numbers alone, whatever they stand for.

Classes come as **edges**: pairs of rows, in a file of 32-bit numbers, since there may be many. `join_classes`
lets each row lead to the smallest of its class; a round goes once over the file and at least halves the
longest way (the method is FastSV's), so a few are enough. Redirects lead from row to row, and
`follow_redirects` finds where a chain ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.store.sorting import Sorter

_EDGES = 1 << 18
"""Edges that are looked at together."""


class Counts:
    """Which values occur more than once, roughly: all that do, and a few that do not.

    Examples
    --------
    >>> counts = Counts()
    >>> counts.add(pa.chunked_array([["x", "y", "x", None]]))
    >>> counts.may_repeat(pa.chunked_array([["x", "y", None]])).tolist()
    [True, False, False]
    """

    _SLOTS = 1 << 22

    def __init__(self) -> None:
        self._counts = np.zeros(self._SLOTS, np.uint8)

    def add(self, values: pa.ChunkedArray, weight: int = 1) -> None:
        """Count values, each so many times."""
        slots, counts = np.unique(self._find(pc.drop_null(values)), return_counts=True)
        self._counts[slots] = np.minimum(self._counts[slots].astype(np.int64) + counts * weight, 2)

    def may_repeat(self, values: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
        """Whether each value was added more than once, as far as is known; no for none."""
        found = np.zeros(len(values), bool)
        found[pc.is_valid(values).to_numpy(zero_copy_only=False)] = (
            self._counts[self._find(pc.drop_null(values))] > 1
        )
        return found

    def _find(self, values: pa.ChunkedArray) -> npt.NDArray[np.int64]:
        if pa.types.is_integer(values.type):
            numbers = values.to_numpy()
            hashes = (numbers ^ numbers >> np.uint64(32)).astype(np.int64)
        else:
            texts = pc.cast(values, pa.binary()).to_pylist()
            hashes = np.fromiter(map(crc32, texts), np.int64, len(texts))
        slots: npt.NDArray[np.int64] = hashes & (self._SLOTS - 1)
        return slots


def number_groups(values: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """The number of the group that each of sorted values is in.

    Examples
    --------
    >>> number_groups(pa.chunked_array([["a", "a", "b"]])).tolist()
    [0, 0, 1]
    """
    changes = np.zeros(len(values), np.int64)
    if len(values) > 1:
        is_other = pc.not_equal(values.slice(1), values.slice(0, len(values) - 1))
        changes[1:] = is_other.to_numpy(zero_copy_only=False)
    return np.cumsum(changes)


def pair_groups(sorter: Sorter) -> Iterator[npt.NDArray[np.uint32]]:
    """Edges that hold rows with the same key together; the sorter has columns ``key`` and ``row``.

    Examples
    --------
    >>> from webstrata.store.sorting import Sorter
    >>> schema = pa.schema([("key", pa.string()), ("row", pa.int64())])
    >>> sorter = Sorter(getfixture("tmp_path"), "digests", schema)
    >>> sorter.add(pa.table({"key": ["x", "y", "x"], "row": [0, 1, 2]}))
    >>> [edges.tolist() for edges in pair_groups(sorter)]
    [[[2, 0]]]
    """
    held = sorter.schema.empty_table()  # the first row of the last group
    for table in sorter.tables():
        table = pa.concat_tables([held, table]).combine_chunks()
        group, rows = number_groups(table["key"]), table["row"].to_numpy()
        firsts = np.flatnonzero(np.diff(group, prepend=-1))
        first = rows[firsts][group]
        kept = first != rows
        yield np.stack([rows[kept], first[kept]], axis=1).astype(np.uint32)
        held = table.slice(int(firsts[-1]), 1)


def join_classes(leads: npt.NDArray[np.uint32], edges: Path) -> None:
    """Let every row of a class lead to its smallest, when each leads to itself before.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "edges"
    >>> np.array([[3, 2], [2, 1], [5, 4]], np.uint32).tofile(path)
    >>> leads = np.arange(6, dtype=np.uint32)
    >>> join_classes(leads, path)
    >>> leads.tolist()
    [0, 1, 1, 1, 4, 4]
    """
    has_changed = True
    while has_changed:
        has_changed = False
        with edges.open("rb") as stream:
            while len(pairs := np.fromfile(stream, np.uint32, 2 * _EDGES)):
                ends = pairs.reshape(-1, 2).T
                parents = [leads[end] for end in ends]
                grand = [leads[parent] for parent in parents]
                smallest = np.minimum(*grand)
                if all(np.array_equal(smallest, found) for found in (*parents, *grand)):
                    continue
                has_changed = True
                for rows in (*parents, *ends):
                    np.minimum.at(leads, rows, smallest)


def follow_redirects(leads: npt.NDArray[np.uint32], is_redirect: npt.NDArray[np.bool_]) -> None:
    """Let redirects lead to the end of their chain; those in a circle go on leading to each other.

    Examples
    --------
    >>> leads = np.array([1, 2, 2, 4, 3], np.uint32)
    >>> follow_redirects(leads, np.array([True, True, False, True, True]))
    >>> leads[:3].tolist(), leads[3] in (3, 4)
    ([2, 2, 2], True)
    """
    rows = np.flatnonzero(is_redirect).astype(np.uint32)
    under_way = rows
    for _ in range(len(leads).bit_length()):  # each round follows twice as many steps as the one before
        under_way = under_way[is_redirect[leads[under_way]]]
        leads[under_way] = leads[leads[under_way]]
    leads[rows] = leads[leads[rows]]  # the end of a chain may be a duplicate
