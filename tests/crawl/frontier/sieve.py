"""The sieve: a queue with memory (BUBING, section 3.1, after Mercator).

What is enqueued comes out once ever, however often it is enqueued, and in the order in which it came first.
Exact on 64-bit hashes: two URLs are confused only if their hashes are equal, which among n URLs is to be
expected n² / 2⁶⁵ times (0.0003 times in 10⁸). There is no filter that forgets, and none that has to be
sized.

Structure. ``pending`` is the array of the hashes since the last flush, each with its place among the
records; the records themselves wait in a queue on disk (files ``pending-N``, see `queue`).
What is known is ``recent``, a sorted array of at most 65 536 hashes, and runs, files ``known-N`` of sorted
hashes, eight bytes each in little-endian order. No hash is in two of these.

A flush sorts the array by hash and place and keeps the first of equal hashes; takes those out that are in
``recent`` or in a run, which is one pass over each; and goes through the waiting records, of which those
are released whose hash is left. Then these hashes join ``recent``. When that becomes too large it is
written as a run, together with all newer runs while the next one has less than twice as many hashes as what
is merged so far. So each run has at least twice as many as all after it together: there are at most log₂ n
of them, and a hash is written anew at most log₁.₅ n times. A run is read in order where the pending hashes
are dense; where the next one is expected more than 16 384 hashes ahead, its page is searched (interpolation
four times, then halving), so that a small flush costs a few reads per hash and not the file. Both ways give
the same answer.

Runs are written whole and never changed. The state of a sieve is the list of its runs, ``recent``, and
``pending`` with the state of its queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.crawl.frontier.queue import join_records, split_records
from webstrata._core import testing as _core
from webstrata._core.crawl import hash_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

CAPACITY = 1 << 22
"""Hashes in memory, unless told otherwise: 64 MiB, and up to as much again during a flush."""


class Sieve:
    """Lets each record through once.

    Parameters
    ----------
    folder
        Where its files are; made if it is not there.
    capacity
        Hashes in memory (16 bytes each) with which it is full. A larger sieve is flushed less often, and each
        flush reads all that is known once.

    Examples
    --------
    >>> from webstrata import testing
    >>> sieve = Sieve(testing.scratch() / "sieve")
    >>> for url in (b"http://a.uk/", b"http://b.uk/", b"http://a.uk/"):
    ...     sieve.enqueue(url)
    >>> sieve.flush()
    [b'http://a.uk/', b'http://b.uk/']
    >>> sieve.enqueue(b"http://b.uk/")
    >>> sieve.flush(), sieve.num_known
    ([], 2)
    """

    __slots__ = ("_core",)

    def __init__(self, folder: Path, *, capacity: int = CAPACITY) -> None:
        self._core = _core.Sieve(folder, capacity)

    def __repr__(self) -> str:
        return f"Sieve(num_pending={self.num_pending}, num_known={self.num_known})"

    def enqueue(self, record: bytes, hash: int | None = None) -> None:
        """Take in what may be known. Flush when the sieve is full; it does not do so by itself.

        Parameters
        ----------
        record
            What will be released.
        hash
            What it is known by; the hash of the record unless told.

        Examples
        --------
        >>> from webstrata import testing
        >>> sieve = Sieve(testing.scratch() / "sieve", capacity=2)
        >>> sieve.enqueue(b"/a", 1)
        >>> sieve.enqueue(b"/A", 1)
        >>> sieve.is_full, sieve.flush()
        (True, [b'/a'])
        """
        self._core.enqueue(hash_url(record) if hash is None else hash, record)

    def enqueue_many(self, records: Iterable[bytes], hashes: Sequence[int] | None = None) -> None:
        """Take in many, in their order, faster than one by one.

        Examples
        --------
        >>> from webstrata import testing
        >>> sieve = Sieve(testing.scratch() / "sieve")
        >>> sieve.enqueue_many([b"/a", b"/b", b"/a"])
        >>> sieve
        Sieve(num_pending=3, num_known=0)
        """
        text, ends = join_records(records)
        found = hash_records(text, ends) if hashes is None else np.asarray(hashes, np.uint64)
        self._core.enqueue_many(found, text, ends)

    def flush(self) -> list[bytes]:
        """What never came out before, in the order of its first coming.

        Examples
        --------
        >>> from webstrata import testing
        >>> sieve = Sieve(testing.scratch() / "sieve")
        >>> sieve.enqueue_many([b"/b", b"/a", b"/b"])
        >>> sieve.flush(), sieve.flush()
        ([b'/b', b'/a'], [])
        """
        released: list[bytes] = []
        self.flush_into(lambda text, ends: released.extend(split_records(text, ends)))
        return released

    def flush_into(self, release: Callable[[bytes, NDArray[np.uint64]], object]) -> int:
        """Flush with bounded memory, and return how many records were released.

        Parameters
        ----------
        release
            Called with batches of about a mebibyte: the text of the records, and the place where each ends.
            What it raises is raised, and then the sieve is of no further use.

        Examples
        --------
        >>> from webstrata import testing
        >>> sieve = Sieve(testing.scratch() / "sieve")
        >>> sieve.enqueue_many([b"/a", b"/b", b"/a"])
        >>> sieve.flush_into(print)
        b'/a/b' [2 4]
        2
        """
        return self._core.flush(release)

    @property
    def is_full(self) -> bool:
        """Whether as many hashes are pending as fit."""
        return self._core.is_full

    @property
    def num_pending(self) -> int:
        """Records since the last flush, repeated ones included."""
        return self._core.num_pending

    @property
    def num_known(self) -> int:
        """Hashes that ever came out."""
        return self._core.num_known

    @property
    def num_runs(self) -> int:
        """Files of known hashes."""
        return self._core.num_runs

    @property
    def last_flush_seconds(self) -> float:
        """What the last flush took, with what it called."""
        return self._core.last_flush_seconds


def hash_url(url: bytes) -> int:
    """The 64 bits by which the frontier knows a URL: XXH3 of its normal form.

    Examples
    --------
    >>> hex(hash_url(b""))
    '0x2d06800538d394c2'
    """
    text, ends = join_records([url])
    return int(hash_records(text, ends)[0])
