"""The virtualizer: what the workbench cannot hold, one queue for each host, on disk (BUBING, section 3.6).

Within a host records come out in the order in which they went in, always. `docs/decisions/frontier.md` says
why this structure and not the paper's k queues.

Structure. What comes in is staged: a batch in memory for each host. When the batches exceed the stage, the
largest are written in one go, each as a chunk, until half of the stage is free again. Files ``hosts-N``,
the segments, are chunks one behind the other; a chunk is

=======  ============================================================
8 bytes  the place of the host's next chunk, once there is one
4 bytes  the host
4 bytes  length of what follows
the rest records, each a length of four bytes and its bytes
=======  ============================================================

with numbers in little-endian order. A place is N · 2³² + offset. Memory holds for each host with something
waiting: the place of its first chunk and how many of its bytes were pulled, the place of its last chunk,
how many records wait on disk and in its batch, the batch. A host of which nothing is waiting takes no
memory.

Invariants: the chunks of a host are linked in the order of their places; its batch comes after them; a
segment is deleted when its chunks have been read or dropped, at the latest when the next one begins. When
the segments have become larger than twice what is waiting in them (and four stages), the hosts that begin
in the oldest one are written anew, whole, at the end, until that is no longer so. By the first invariant
this empties the segment. A host that was moved is not moved again before all segments that were there have
gone.

Segments are appended to, but for one field: the link of a chunk is filled in when the next one is written. A
crawl that goes on makes them anew (`recovery`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.crawl.frontier.queue import join_records, split_records
from webstrata._core import testing as _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

STAGING_BYTES = 64 << 20
"""Memory for what was not written yet, unless told otherwise."""


class Virtualizer:
    """Queues of records by the number of a host.

    Parameters
    ----------
    folder
        Where its files are; made if it is not there.
    staging_bytes
        Records in memory, with their lengths. Batches grow by doubling: count on twice as much.

    Examples
    --------
    >>> from webstrata import testing
    >>> virtualizer = Virtualizer(testing.scratch() / "virtualizer", staging_bytes=16)
    >>> for host, record in [(0, b"/a"), (1, b"/x"), (0, b"/b"), (0, b"/c")]:
    ...     virtualizer.push(host, record)
    >>> virtualizer
    Virtualizer(num_hosts=2, num_records=4)
    >>> virtualizer.pull(0, max_bytes=3), virtualizer.pull(0), virtualizer.pull(0)
    ([b'/a', b'/b'], [b'/c'], [])
    """

    __slots__ = ("_core",)

    def __init__(self, folder: Path, *, staging_bytes: int = STAGING_BYTES) -> None:
        self._core = _core.Virtualizer(folder, staging_bytes)

    def __repr__(self) -> str:
        return f"Virtualizer(num_hosts={self.num_hosts}, num_records={self.num_records})"

    def push(self, host: int, record: bytes) -> None:
        """Put a record behind all others of its host.

        Examples
        --------
        >>> from webstrata import testing
        >>> virtualizer = Virtualizer(testing.scratch() / "virtualizer")
        >>> virtualizer.push(7, b"/a")
        >>> virtualizer.len_of(7)
        1
        """
        self._core.push(host, record)

    def push_many(self, hosts: Sequence[int], records: Iterable[bytes]) -> None:
        """Put many in, in their order, faster than one by one.

        Examples
        --------
        >>> from webstrata import testing
        >>> virtualizer = Virtualizer(testing.scratch() / "virtualizer")
        >>> virtualizer.push_many([7, 8, 7], [b"/a", b"/b", b"/c"])
        >>> virtualizer.pull(7)
        [b'/a', b'/c']
        """
        text, ends = join_records(records)
        self._core.push_many(np.asarray(hosts, np.uint32), text, ends)

    def pull(self, host: int, max_bytes: int = 1 << 16) -> list[bytes]:
        """Take the oldest records of a host, until they are `max_bytes` or more, or there are no more.

        Examples
        --------
        >>> from webstrata import testing
        >>> virtualizer = Virtualizer(testing.scratch() / "virtualizer")
        >>> virtualizer.push_many([7, 7, 7], [b"/a", b"/b", b"/c"])
        >>> virtualizer.pull(7, 1), virtualizer.pull(7, 4), virtualizer.pull(8)
        ([b'/a'], [b'/b', b'/c'], [])
        """
        return split_records(*self._core.pull(host, max_bytes))

    def drop_host(self, host: int) -> None:
        """Forget all that is waiting for a host; what comes later is kept.

        Examples
        --------
        >>> from webstrata import testing
        >>> virtualizer = Virtualizer(testing.scratch() / "virtualizer")
        >>> virtualizer.push(7, b"/a")
        >>> virtualizer.drop_host(7)
        >>> virtualizer.pull(7)
        []
        """
        self._core.drop_host(host)

    def len_of(self, host: int) -> int:
        """How many records of a host are waiting.

        Examples
        --------
        >>> from webstrata import testing
        >>> virtualizer = Virtualizer(testing.scratch() / "virtualizer")
        >>> virtualizer.push(7, b"/a")
        >>> virtualizer.len_of(7), virtualizer.len_of(8)
        (1, 0)
        """
        return self._core.len_of(host)

    @property
    def num_hosts(self) -> int:
        """Hosts of which something is waiting."""
        return self._core.num_hosts

    @property
    def num_records(self) -> int:
        """Records of all hosts."""
        return self._core.num_records

    @property
    def num_bytes(self) -> int:
        """The size of the files."""
        return self._core.num_bytes
