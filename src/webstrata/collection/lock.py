"""One writer at a time: the lock of a collection or snapshot.

The lock is the kernel's (``flock`` on the file `.lock`), so it ends with the process that holds it, however
that ends. The file's text only says who holds it::

    {"pid": 4711, "machine": "tower", "command": "webstrata crawl uk 2026-06", "since":
    "2026-06-30T12:00:00+00:00"}

A holder that ends in order empties the file. A text in a file that nobody locks was left by a process that
died: its lock is taken over, and that is said. Readers need no lock.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import LockedError

if TYPE_CHECKING:
    from types import TracebackType


class WriteLock:
    """The right to write below `folder`; a context manager that may be entered again by its holder.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> with WriteLock(folder):
    ...     WriteLock(folder).acquire()
    Traceback (most recent call last):
    webstrata.errors.LockedError: ...: process ... (...) has been writing here since ...; wait until it is
    done, or stop it
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".lock"
        self.taken_over = ""
        self._descriptor = -1
        self._depth = 0

    def acquire(self) -> None:
        """Take the lock, or raise `LockedError` with who has it."""
        if self._depth == 0:
            with explained(self.path.parent, "write"):
                descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = _read_holder(descriptor)
                os.close(descriptor)
                since = holder.get("since", "a moment ago")
                raise LockedError(
                    f"{self.path.parent}: {_who(holder)} has been writing here since {since}; "
                    "wait until it is done, or stop it"
                ) from None
            self._descriptor = descriptor
            if left := _read_holder(descriptor):
                place = self.path.parent
                self.taken_over = f"{place}: took over the lock of {_who(left)}, which died while writing"
            self._describe_holder()
        self._depth += 1

    def release(self) -> None:
        """Give the lock back once it was released as often as acquired."""
        self._depth -= 1
        if self._depth == 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1

    def _describe_holder(self) -> None:
        words = [Path(sys.argv[0]).name or "python", *sys.argv[1:]]
        text = json.dumps(
            {
                "pid": os.getpid(),
                "machine": socket.gethostname(),
                "command": " ".join(words),
                "since": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            }
        )
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def __enter__(self) -> WriteLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _read_holder(descriptor: int) -> dict[str, str]:
    """Who says to hold the lock; empty where nobody does, or where the text is only half written."""
    try:
        holder = json.loads(os.pread(descriptor, 1 << 16, 0) or b"{}")
    except ValueError:
        return {"command": "an unknown command"}
    return holder if isinstance(holder, dict) else {}


def _who(holder: dict[str, str]) -> str:
    elsewhere = holder.get("machine", "") not in ("", socket.gethostname())
    where = f" on {holder['machine']}" if elsewhere else ""
    return f"process {holder.get('pid', '?')}{where} ({holder.get('command', 'an unknown command')})"
