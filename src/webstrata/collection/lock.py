"""One writer at a time: the lock of a collection or snapshot.

The lock is the kernel's (``flock`` on the file `.lock`), so it ends with the process that holds it, however
that ends. The file's text only says who holds it::

    {"pid": 4711, "machine": "tower", "command": "crawl uk 2026-06",
     "since": "2026-06-30T12:00:00+00:00"}

A holder that ends in order empties the file. A text in a file that nobody locks was left by a process that
died: its lock is taken over, and that is said. The worker processes of a holder share its lock
(`share_descriptor`), so nobody else writes before they have ended too. Readers need no lock.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import fcntl
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.errors import LockedError

if TYPE_CHECKING:
    from types import TracebackType

_PATIENCE = 5.0
"""Seconds in which the workers of a dead holder must have ended."""


class WriteLock:
    """The right to write below `folder`; a context manager that may be entered again by its holder.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with WriteLock(folder) as lock:
    ...     with lock:  # the holder may enter it again
    ...         lock.path.name
    '.lock'
    >>> with WriteLock(folder):
    ...     WriteLock(folder).acquire()
    Traceback (most recent call last):
    webstrata.errors.LockedError: ...: process ... (...) has been writing here since ...; wait until it is
    done, or stop it
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".lock"
        self.taken_over = ""
        self._guard = threading.Lock()
        self._descriptor = -1
        self._depth = 0
        self._thread = 0

    def acquire(self) -> None:
        """Take the lock, or raise `LockedError` with who has it; another thread of its holder counts too."""
        with self._guard:
            if self._depth == 0:
                self._descriptor = self._take()
                self._thread = threading.get_ident()
            elif self._thread != threading.get_ident():
                raise self._refusal(_read_holder(self._descriptor))
            self._depth += 1

    def release(self) -> None:
        """Give the lock back once it was released as often as acquired."""
        with self._guard:
            if self._depth == 0:
                raise ValueError("release: the lock is not held")
            self._depth -= 1
            if self._depth == 0:
                descriptor, self._descriptor = self._descriptor, -1
                try:
                    with contextlib.suppress(OSError):  # the text is for people; the lock ends either way
                        os.ftruncate(descriptor, 0)
                finally:
                    os.close(descriptor)

    def share_descriptor(self) -> int:
        """A copy of the held lock for a worker process: the lock ends when the last copy is closed."""
        return os.dup(self._descriptor)

    def holder(self) -> str:
        """Who is writing now, or an empty text."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return ""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _who(_read_holder(descriptor))
        except OSError:
            return ""
        finally:
            os.close(descriptor)
        return ""

    def _take(self) -> int:
        """An open, locked descriptor of the file, with our name in it."""
        deadline = time.monotonic() + _PATIENCE
        with explained(self.path.parent, "write"):
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                while True:
                    try:
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        holder = _read_holder(descriptor)
                        # workers of a dead holder are on their way out; everybody else is not waited for
                        if not _is_dead(holder) or time.monotonic() > deadline:
                            raise self._refusal(holder) from None
                        time.sleep(0.02)
                if left := _read_holder(descriptor):
                    place = self.path.parent
                    self.taken_over = f"{place}: took over the lock of {_who(left)}, which died while writing"
                with contextlib.suppress(OSError):  # a full disk: whoever writes next will say so
                    _describe_holder(descriptor)
            except BaseException:
                os.close(descriptor)
                raise
        return descriptor

    def _refusal(self, holder: dict[str, Any]) -> LockedError:
        since = holder.get("since", "a moment ago")
        return LockedError(
            f"{self.path.parent}: {_who(holder)} has been writing here since {since}; "
            "wait until it is done, or stop it"
        )

    def __enter__(self) -> WriteLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _describe_holder(descriptor: int) -> None:
    words = [Path(sys.argv[0]).name or "python", *sys.argv[1:]]
    text = json.dumps(
        {
            "pid": os.getpid(),
            "machine": socket.gethostname(),
            "command": " ".join(words),
            "since": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        }
    )
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


def _read_holder(descriptor: int) -> dict[str, Any]:
    """Who says to hold the lock; empty where nobody does."""
    text = os.pread(descriptor, 1 << 16, 0)
    try:
        holder = json.loads(text or b"{}")
    except ValueError:
        holder = None
    # a text that is only half written, or not ours, still says that somebody was here
    return holder if isinstance(holder, dict) else {"command": "an unknown command"}


def _is_dead(holder: dict[str, Any]) -> bool:
    """Whether the holder was a process of this machine that is no more."""
    if holder.get("machine") != socket.gethostname() or not isinstance(holder.get("pid"), int):
        return False
    try:
        os.kill(holder["pid"], 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass
    return False


def _who(holder: dict[str, Any]) -> str:
    elsewhere = holder.get("machine", "") not in ("", socket.gethostname())
    where = f" on {holder['machine']}" if elsewhere else ""
    return f"process {holder.get('pid', '?')}{where} ({holder.get('command', 'an unknown command')})"
