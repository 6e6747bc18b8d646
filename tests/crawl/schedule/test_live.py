"""A crawl on a schedule tells the core what a crawl of its own would not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.crawl.schedule.clock import CrawlClock
from webstrata.crawl.schedule.live import ScheduledCrawl
from webstrata.crawl.schedule.schedule import Schedule
from webstrata.crawl.schedule.settings import BASES, ContinuousSettings
from webstrata.invitro import Web
from webstrata.invitro.continuous import BEGINNING
from webstrata.invitro.server import fitting_settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow  # virtual days pass in seconds, which a busy machine may need for the first visits alone
@pytest.mark.parametrize("basis", BASES)
def test_what_counts_as_a_change_is_the_choice_of_the_user(tmp_path: Path, basis: str) -> None:
    """Half of the hosts show a counter that is another one on every visit: a change of bytes alone."""
    web = Web("living", seed=3, volatile_share=1.0, page_death_rate=0.0, honest_share=0.0,
              slowest_change=0.0, fastest_change=0.0)  # fmt: skip
    collection = ws.create(tmp_path / "uk")
    snapshot = collection.add("2026-01")
    clock = CrawlClock(86_400.0, time.time(), float(BEGINNING))
    schedule = Schedule(
        collection.path / "continuous", ContinuousSettings(budget="3/page/day", basis=basis), clock
    )
    with web.serve(origins=True, speed=clock.speed, started=clock.since) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        crawl = ScheduledCrawl(
            snapshot,
            snapshot.settings(ws.CrawlSettings, fitting_settings(web) | {"workers": 1}),
            schedule=schedule,
            until=BEGINNING + 4 * 86_400,
            seeds=web.home_pages(),
            hosts=hosts,
            parses=False,
        )
        result = crawl.run()
    schedule.close()
    assert result.end == "exhausted"
    found = schedule.outcomes
    assert found["first"] > 100
    assert found["changed"] + found["unchanged"] > 50
    share = found["changed"] / (found["changed"] + found["unchanged"])
    # a counter is a part of the text, and neither main content nor a link
    assert share > 0.95 if basis in ("bytes", "fingerprint") else share < 0.05, (basis, dict(found))
