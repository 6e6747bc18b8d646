"""A first-in, first-out queue of byte strings that may be larger than memory.

What goes in is collected in the tail, a buffer; what comes out is taken from the head, another one. A full
tail becomes the head if nothing is before it, so that a queue of less than two buffers never touches the
disk. Otherwise it is appended to the last of the files ``NAME-0``, ``NAME-1``, …; a file that has reached
64 buffers is followed by the next. An empty head is filled from the first file, one buffer (or one long
record) at a time; a file that was read to its end is deleted.

In memory and in files a record is its length, four bytes in little-endian order, and its bytes. A file is a
whole number of records. Invariant: head, then files in the order of their numbers, then tail, is the queue.

Files are only appended to, and do not outlive the crawl: one that goes on makes its queues anew (`recovery`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import testing as _core

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

BUFFER = 1 << 20
"""Bytes of each of the two buffers, unless told otherwise."""


class DiskQueue:
    """A queue whose files are in a folder of its own, or under a name of its own.

    Parameters
    ----------
    folder
        Where its files are; made if it is not there.
    name
        What their names begin with.
    buffer
        Bytes of the head and of the tail. At most these two, and one record each, are in memory.

    Examples
    --------
    >>> from webstrata import testing
    >>> queue = DiskQueue(testing.scratch() / "urls", "late")
    >>> queue.push(b"/a")
    >>> queue.push(b"/b")
    >>> len(queue), queue.pop(), queue.pop(), queue.pop()
    (2, b'/a', b'/b', None)
    """

    __slots__ = ("_core",)

    def __init__(self, folder: Path, name: str = "queue", *, buffer: int = BUFFER) -> None:
        self._core = _core.DiskQueue(folder, name, buffer)

    def __repr__(self) -> str:
        return f"<DiskQueue of {len(self)}>"

    def __len__(self) -> int:
        return len(self._core)

    def push(self, record: bytes) -> None:
        """Put a record, perhaps an empty one, behind all others.

        Examples
        --------
        >>> from webstrata import testing
        >>> queue = DiskQueue(testing.scratch() / "urls")
        >>> queue.push(b"/a")
        >>> queue
        <DiskQueue of 1>
        """
        self._core.push(record)

    def pop(self) -> bytes | None:
        """Take the oldest record; None if there is none.

        Examples
        --------
        >>> from webstrata import testing
        >>> queue = DiskQueue(testing.scratch() / "urls")
        >>> queue.push(b"/a")
        >>> queue.pop(), queue.pop()
        (b'/a', None)
        """
        return self._core.pop()


def join_records(records: Iterable[bytes]) -> tuple[bytes, NDArray[np.uint64]]:
    """One text of many records, and the place where each ends: how records travel to the core.

    Examples
    --------
    >>> join_records([b"/a", b"", b"/b/c"])
    (b'/a/b/c', array([2, 2, 6], dtype=uint64))
    """
    pieces = list(records)
    return b"".join(pieces), np.cumsum([len(piece) for piece in pieces], dtype=np.uint64)


def split_records(text: bytes, ends: NDArray[np.uint64]) -> list[bytes]:
    """The records that were joined.

    Examples
    --------
    >>> split_records(*join_records([b"/a", b"", b"/b/c"]))
    [b'/a', b'', b'/b/c']
    """
    places = [0, *ends.tolist()]
    return [text[start:end] for start, end in pairwise(places)]
