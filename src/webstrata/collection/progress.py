"""Progress and cancellation, the same for every stage, in Python and in the core.

A stage opens a task and advances it; whoever started the stage decides what that looks like (nothing, a bar,
a line of JSON) and may cancel it. A kernel of the core takes ``task.advance`` as its callback: it is called
every 50 ms with the units done since, 0 too, and whatever it raises stops the kernel.

Examples
--------
>>> progress = Progress()
>>> with progress.task("counting", total=3, unit="pages") as task:
...     for _ in range(3):
...         task.advance()
>>> task.done
3
>>> progress.cancel()
>>> with progress.task("counting again") as task:
...     task.advance()
Traceback (most recent call last):
webstrata.errors.Cancelled: counting again was cancelled
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from webstrata.errors import Cancelled

if TYPE_CHECKING:
    from types import TracebackType

_log = logging.getLogger(__name__)


class Task:
    """One piece of work with a title, a count and, where it is known, a total."""

    def __init__(self, progress: Progress, title: str, total: int | None, unit: str) -> None:
        self.progress = progress
        self.title = title
        self.total = total
        self.unit = unit
        self.done = 0
        self.started = time.monotonic()

    def advance(self, amount: int = 1) -> None:
        """Count `amount` units as done, or raise `Cancelled`."""
        self.done += amount
        if self.progress.is_cancelled():
            raise Cancelled(f"{self.title} was cancelled")
        self.progress.changed(self)

    def __enter__(self) -> Task:
        self.progress.opened(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.closed(self)


class Progress:
    """What a stage reports to; this one stays silent. Subclasses draw by overriding the four hooks."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    def task(self, title: str, *, total: int | None = None, unit: str = "") -> Task:
        """A new task, to be used as a context manager."""
        return Task(self, title, total, unit)

    def cancel(self) -> None:
        """Make the next `Task.advance` raise; may be called from any thread."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        """Whether somebody asked for the end."""
        return self._cancelled.is_set()

    def note(self, sentence: str) -> None:
        """Tell the user something that is no progress: a lock taken over, shards found done."""
        _log.info(sentence)

    def opened(self, task: Task) -> None:
        """Hook: a task begins."""

    def changed(self, task: Task) -> None:
        """Hook: a task advanced, or its total became known."""

    def closed(self, task: Task) -> None:
        """Hook: a task ended, well or not."""
