"""Rows that belong together, and rows that lead to others: numbers alone, whatever they stand for.

`join_classes` finds the smallest row of each class, `follow_redirects` the end of each chain of redirects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


class EquivalenceCounts:
    """Which values occur more than once, roughly: all that do, and a few that do not.

    Examples
    --------
    >>> counts = EquivalenceCounts()
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


def number_values(values: pa.ChunkedArray) -> npt.NDArray[np.uint64]:
    """A number for each value, equal for equal ones; a missing value is like no other.

    Examples
    --------
    >>> number_values(pa.chunked_array([["x", None, "x", None]])).tolist()
    [0, 5, 0, 7]
    """
    codes = values.combine_chunks().dictionary_encode().indices
    own = pa.array(len(values) + np.arange(len(values)), pa.int64())
    found: npt.NDArray[np.uint64] = pc.coalesce(pc.cast(codes, pa.int64()), own).to_numpy().astype(np.uint64)
    return found


def join_classes(keys: Sequence[npt.NDArray[np.uint64]]) -> npt.NDArray[np.uint32]:
    """The smallest row that each row is joined with, where rows with an equal key of any kind are joined.

    Examples
    --------
    >>> first, second = np.array([7, 8, 7, 9], np.uint64), np.array([1, 2, 3, 2], np.uint64)
    >>> join_classes([first, second]).tolist()
    [0, 1, 0, 1]
    """
    groups = [np.unique(values, return_inverse=True)[1] for values in keys]
    found = np.arange(len(keys[0]), dtype=np.uint32)
    while len(found):
        before = found.copy()
        for group in groups:
            smallest = np.full(int(group.max()) + 1, len(found), np.uint32)
            np.minimum.at(smallest, group, found)
            found = smallest[group]
        if np.array_equal(before, found):
            break
    return found


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
