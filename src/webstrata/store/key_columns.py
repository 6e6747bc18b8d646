"""Sorted columns of row keys, as the Arrow files of `urls` and `links` have them: finding keys, writing URLs.

`find_keys` is for a few keys, by bisection; `match_keys` for many, by hashing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.store.parquet.rows import take
from webstrata.web.row_key import from_row_key

if TYPE_CHECKING:
    import numpy.typing as npt


def from_row_keys(keys: pa.Array) -> pa.Array:
    """The URLs of many row keys, as `from_row_key` writes them; Python looks at hosts, not at pages.

    Examples
    --------
    >>> from_row_keys(pa.array(["org,a)/", "org,a)/b?c 8080 https", "::1)/"])).to_pylist()
    ['http://a.org/', 'https://a.org:8080/b?c', 'http://[::1]/']
    """
    parts = pc.extract_regex(
        keys.cast(pa.large_string()), r"^(?P<host>[^)]*\))(?P<target>[^ ]*)(?P<rest>.*)$"
    )
    hosts, rests = (pc.struct_field(parts, name).dictionary_encode() for name in ("host", "rest"))
    places = np.stack([column.indices.to_numpy() for column in (hosts, rests)])
    pairs, inverse = np.unique(places, axis=1, return_inverse=True)
    names, ends = hosts.dictionary.to_pylist(), rests.dictionary.to_pylist()
    origins = [from_row_key(names[host] + ends[rest]) for host, rest in pairs.T.tolist()]
    begins = pa.array(origins, pa.large_string()).take(pa.array(inverse.reshape(-1)))
    return pc.binary_join_element_wise(
        begins, pc.struct_field(parts, "target"), pa.scalar("", pa.large_string())
    )


class SortedKeys(Sequence[str]):
    """A mapped column of sorted strings.

    Examples
    --------
    >>> keys = SortedKeys(pa.chunked_array([["org,a)/"], ["org,b)/"]], pa.large_string()))
    >>> len(keys), keys[1], keys.find("org,b)/"), keys.find("org,c)/")
    (2, 'org,b)/', 1, None)
    """

    def __init__(self, column: pa.ChunkedArray) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return SortedKeys(self._column[place])
        return str(self._column[place].as_py())

    def find(self, key: str) -> int | None:
        """The place of a key; None if it is not there."""
        place = bisect_left(self, key)
        return place if place < len(self) and self[place] == key else None


def find_keys(column: pa.ChunkedArray, keys: pa.Array) -> npt.NDArray[np.int64]:
    """The places of some keys in a sorted column, -1 for none; all go through a step of bisection at a time.

    Examples
    --------
    >>> column = pa.chunked_array([["org,a)/"], ["org,b)/"]], pa.large_string())
    >>> find_keys(column, pa.array(["org,b)/", "org,c)/"], pa.large_string())).tolist()
    [1, -1]
    """
    low, high = np.zeros(len(keys), np.int64), np.full(len(keys), len(column), np.int64)
    last = max(len(column) - 1, 0)
    while len(column) and (low < high).any():
        middle = np.minimum((low + high) // 2, last)
        below = pc.less(take(column, middle), keys).to_numpy(zero_copy_only=False) & (low < high)
        low, high = np.where(below, middle + 1, low), np.where(below, high, np.minimum(middle, high))
    found: npt.NDArray[np.int64] = np.full(len(keys), -1)
    rows = np.flatnonzero(low < len(column))
    is_there = pc.equal(take(column, low[rows]), keys.take(pa.array(rows)))
    rows = rows[is_there.to_numpy(zero_copy_only=False)]
    found[rows] = low[rows]
    return found


def match_keys(keys: pa.Array, among: pa.ChunkedArray) -> pa.Array:
    """The places of many keys in a sorted column, null for none; hashes only the range that the keys span.

    Examples
    --------
    >>> column = pa.chunked_array([["org,a)/"], ["org,b)/"]], pa.large_string())
    >>> match_keys(pa.array(["org,b)/", "org,c)/"], pa.large_string()), column).to_pylist()
    [1, None]
    """
    bounds = pc.min_max(keys).as_py()
    if bounds["min"] is None:
        return pa.nulls(len(keys), pa.int32())
    sorted_keys = SortedKeys(among)
    first, end = bisect_left(sorted_keys, bounds["min"]), bisect_right(sorted_keys, bounds["max"])
    found = pc.index_in(keys, value_set=among.slice(first, end - first).combine_chunks())
    return pc.add(found, pa.scalar(first, pa.int32()))
