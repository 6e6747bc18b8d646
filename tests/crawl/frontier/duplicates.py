"""Which page was the first with a fingerprint: an exact map of 64-bit numbers on disk, with flat memory.

The crawl asks with the fingerprint of a page and its number; if another page had the fingerprint before, it
gets that one's number, and the page is a duplicate. Nothing is ever changed or taken out.

Structure: one file, of 2^k buckets of 4096 bytes. A bucket is the number of its pairs (8 bytes), 8 bytes of
zeros, and room for 255 pairs of a key and a value, 8 bytes each in little-endian order. The bucket of a key
x is ⌊(x · c mod 2⁶⁴) · 2^k / 2⁶⁴⌋ with c = 0x9E3779B97F4A7C15; if it is full, the pair is in the next that
is not (after the last comes the first). Invariant: between a key's own bucket and the one where it is, all
are full; so a search ends at the first bucket that is not. At most 70% of all places are taken: then a file
with 2^(k+1) buckets is written beside (the same name with the ending ``.new``) and renamed. Bucket b
becomes 2b and 2b + 1, so both files are gone through in order. Of random keys about one bucket in 10⁸
overflows.

Buckets in memory are written back only when others need their place (write-back): bucket b has one possible
place, b mod the number of places. With random keys nothing smarter would find more of them.

Buckets are written where they are, so that a file cannot be cut back to an earlier state: a crawl that goes
on makes the map anew (`recovery`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import testing as _core

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

CACHE_BYTES = 64 << 20
"""Memory for buckets, unless told otherwise."""


class DiskMap:
    """Numbers by number; each key keeps the value it got first.

    Parameters
    ----------
    path
        The file; one that is there is emptied.
    cache_bytes
        Memory for buckets, never less than two of 4096 bytes.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = DiskMap(testing.scratch() / "fingerprints")
    >>> pages.get_or_insert(0xFEED, 1), pages.get_or_insert(0xFEED, 2)
    (None, 1)
    >>> len(pages)
    1
    """

    __slots__ = ("_core",)

    def __init__(self, path: Path, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._core = _core.DiskMap(path, cache_bytes)

    def __repr__(self) -> str:
        return f"<DiskMap of {len(self)}>"

    def __len__(self) -> int:
        return len(self._core)

    def get_or_insert(self, key: int, value: int) -> int | None:
        """The value that the key has; if it has none, None, and it gets this one.

        Examples
        --------
        >>> from webstrata import testing
        >>> pages = DiskMap(testing.scratch() / "fingerprints")
        >>> [pages.get_or_insert(key, page) for page, key in enumerate((5, 6, 5))]
        [None, None, 0]
        """
        return self._core.get_or_insert(key, value)

    def get_or_insert_many(
        self, keys: NDArray[np.uint64], values: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """The values that keys have or get, in their order, and which of them had one before.

        Examples
        --------
        >>> import numpy as np
        >>> from webstrata import testing
        >>> pages = DiskMap(testing.scratch() / "fingerprints")
        >>> pages.get_or_insert_many(np.array([5, 6, 5], np.uint64), np.arange(3, dtype=np.uint64))
        (array([0, 1, 0], dtype=uint64), array([False, False,  True]))
        """
        found, had_one = self._core.get_or_insert_many(keys, values)
        return np.where(had_one, found, values), had_one
