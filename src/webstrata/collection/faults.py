"""Faults on order, for tests: a full disk, a failing sync, a torn write, a crash at a named point.

A plan is a text, because a child process must be able to take it from ``WEBSTRATA_FAULTS``::

    no-space [path=GLOB] [after=BYTES]      writes fail once BYTES have gone into matching files
    over-quota [path=GLOB] [after=BYTES]    the same with the error of a quota
    write-fails [path=GLOB] [after=BYTES]   the same, as a broken disk does it
    torn [path=GLOB] [after=BYTES]          the write that passes BYTES is cut there, and the process dies
    sync-fails [path=GLOB] [after=N]        every sync after the first N fails
    crash [at=POINT] [after=N]              the process dies (SIGKILL) at its (N+1)th pass of POINT
    trace to=FILE [path=GLOB]               what writers do is noted in FILE

Rules are separated by ``;``; with ``times=N`` one makes N operations fail, and no more. The points that code
passes are `POINTS`; rooms add theirs by calling `webstrata.collection.files.crash_point` with a name of the
form ``room.what-just-happened``.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from webstrata._core.collection import set_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTS = (
    "file.created",
    "file.synced",
    "file.renamed",
    "build.begun",
    "build.filled",
    "build.described",
    "build.placed",
    "build.named",
    "build.linked",
    "build.swept",
    "shard.filled",
    "shard.done",
)
"""Every point of the collection room, in the order in which a build passes them."""


@contextmanager
def injected(plan: str) -> Iterator[None]:
    """Let the writers of this process fail by `plan` inside the block.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.files import replace_file
    >>> path = testing.scratch() / "a"
    >>> with injected("no-space after=2"):
    ...     replace_file(path, b"abc")
    Traceback (most recent call last):
    webstrata.errors.DiskFullError: ...: no space left to write; free some space on this disk and run the
    command again
    >>> path.exists()
    False
    """
    set_faults(plan)
    try:
        yield
    finally:
        set_faults("")
