"""What a computation took: seconds of CPU and of the clock, and the most memory the process held.

CPU seconds are those of all threads, and of processes that were started and have ended. The peak is that of
the process as a whole while the block ran; where the system cannot be asked to forget an earlier peak (Linux
can), it is the peak since the process began.

Where a computation uses what another one has left, it would have had to make that itself: `borrow` adds what
that took, to the block that is being measured.
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True)
class Cost:
    """What a computation took.

    Examples
    --------
    >>> Cost(1.0, 2.0, 100) + Cost(0.5, 0.5, 300)
    Cost(cpu_seconds=1.5, wall_seconds=2.5, peak_bytes=300)
    """

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_bytes: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.cpu_seconds + other.cpu_seconds,
            self.wall_seconds + other.wall_seconds,
            max(self.peak_bytes, other.peak_bytes),
        )


_measuring: ContextVar[Meter | None] = ContextVar("measuring", default=None)


def borrow(cost: Cost) -> None:
    """Count what something took that was made earlier, in the block that is being measured, if one is.

    Examples
    --------
    >>> with Meter() as meter:
    ...     borrow(Cost(100.0, 50.0, 0))
    >>> meter.cost.cpu_seconds >= 100
    True
    """
    meter = _measuring.get()
    if meter is not None:
        meter.borrowed += cost


class Meter:
    """Measures a block: ``with Meter() as meter: …``, then ``meter.cost``; one in another counts for both.

    Examples
    --------
    >>> with Meter() as meter:
    ...     _ = sum(range(1000))
    >>> meter.cost.wall_seconds > 0, meter.cost.peak_bytes > 0
    (True, True)
    """

    def __init__(self) -> None:
        self.cost = Cost()
        self.borrowed = Cost()
        self._begun = (0.0, 0.0)
        self._outer: Meter | None = None

    def __enter__(self) -> Meter:
        self._outer = _measuring.get()
        _measuring.set(self)
        if self._outer is None:
            _forget_peak()
        self._begun = _cpu_seconds(), time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        cpu, wall = self._begun
        self.cost = Cost(_cpu_seconds() - cpu, time.monotonic() - wall, _peak_bytes()) + self.borrowed
        _measuring.set(self._outer)
        if self._outer is not None:
            self._outer.borrowed += self.borrowed


def _cpu_seconds() -> float:
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _forget_peak() -> None:
    # no Linux, or not allowed: then the peak is since the process began
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_bytes() -> int:
    try:
        status = Path("/proc/self/status").read_text()
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
