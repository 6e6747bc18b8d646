"""The URL cache: the URLs met last, so that the frequent ones stay away from the sieve (BUBING, section 3).

Most links lead to what was just seen. The cache is asked before the sieve, and before a URL is sent to
another agent; what it knows goes no further. It is approximate in one direction only: a URL that it calls
known did come in, while one that it calls new may have come in long ago, and then the sieve decides.

Structure: ⌊bytes / 64⌋ sets of eight 64-bit hashes, each set one line of the processor's cache. The set of
a hash h is ⌊(h · c mod 2⁶⁴) · sets / 2⁶⁴⌋ with c = 0x9E3779B97F4A7C15. Within a set hashes stand in the
order of their last use: one that comes in goes to the front, and the last one falls out if it was not
there. An empty place holds 0; whether the hash 0 came in is kept apart. Nothing is on disk: a crawl that
begins again with an empty cache is slower for a moment, and right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._core import testing as _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class UrlCache:
    """A fixed number of bytes for the hashes met last.

    Parameters
    ----------
    num_bytes
        Its size: eight bytes for a hash, and at least one set of eight. Memory is taken as sets are used.

    Examples
    --------
    >>> cache = UrlCache(1 << 20)
    >>> cache.insert(17), cache.insert(17)
    (True, False)
    >>> cache
    UrlCache(num_bytes=1048576)
    """

    __slots__ = ("_core",)

    def __init__(self, num_bytes: int) -> None:
        self._core = _core.UrlCache(num_bytes)

    def __repr__(self) -> str:
        return f"UrlCache(num_bytes={self.num_bytes})"

    def insert(self, hash: int) -> bool:
        """Take a hash in, and tell whether it was not there.

        Examples
        --------
        >>> cache = UrlCache(64)
        >>> [cache.insert(hash) for hash in (1, 2, 1)]
        [True, True, False]
        """
        return self._core.insert(hash)

    def insert_many(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Take hashes in, in their order, and tell which were not there; faster than one by one.

        Examples
        --------
        >>> import numpy as np
        >>> UrlCache(64).insert_many(np.array([1, 2, 1], np.uint64))
        array([ True,  True, False])
        """
        return self._core.insert_many(hashes)

    @property
    def num_bytes(self) -> int:
        """The size, rounded to whole sets."""
        return self._core.num_bytes
