"""The clock of a continuous crawl."""

from __future__ import annotations

import time

import pytest

from webstrata.crawl.schedule.clock import CrawlClock


def test_time_passes_as_fast_as_the_clock_says() -> None:
    clock = CrawlClock(speed=86_400.0, since=1000.0, shown=5e8)
    assert clock.at(1001.5) - clock.at(1000.5) == 86_400.0
    assert CrawlClock.read(clock.to_dict()) == clock
    assert CrawlClock(1.0, 0.0, 0.0).now() == pytest.approx(time.time(), abs=5)


def test_the_core_gets_the_same_time() -> None:
    now, clock = 1_790_000_000.0, CrawlClock(speed=60.0, since=1_789_999_000.0, shown=1_767_225_600.0)
    told = clock.to_core()
    speed, since = told["speed"]
    ahead = (now * 1e9 - since) * (speed - 1)
    assert (now * 1e9 + told["clock"] + ahead) / 1e9 == pytest.approx(clock.at(now), abs=1e-3)
