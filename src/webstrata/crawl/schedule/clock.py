"""The clock of a continuous crawl: ours, or that of a web whose time passes faster."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class CrawlClock:
    """Seconds since 1970 on the web's clock; it showed `shown` when ours showed `since`.

    Examples
    --------
    >>> clock = CrawlClock(speed=3600.0, since=100.0, shown=1000.0)
    >>> clock.at(101.0)
    4600.0
    """

    speed: float = 1.0
    since: float = 0.0
    shown: float = 0.0

    def at(self, real: float) -> float:
        """What it shows when our clock shows `real`."""
        return self.shown + (real - self.since) * self.speed

    def now(self) -> float:
        """What it shows now."""
        return self.at(time.time())

    def to_core(self) -> dict[str, Any]:
        """The clock as the core takes it."""
        since = int(self.since * 1e9)
        return {"clock": int(self.shown * 1e9) - since, "speed": (self.speed, since)}

    def to_dict(self) -> dict[str, float]:
        """As plain data."""
        return {"speed": self.speed, "since": self.since, "shown": self.shown}

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> CrawlClock:
        """From plain data."""
        return cls(float(given["speed"]), float(given["since"]), float(given["shown"]))
