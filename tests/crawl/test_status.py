"""The status of a running crawl as a result."""

from __future__ import annotations

import pytest

from webstrata.collection.cells import show_time
from webstrata.crawl.status import CrawlStatus, find_progress, find_rest

RATES = {"pages": 2.0, "bytes": 1024.0, "requests": 4.0}
STATUS = {
    "collection": "/data/uk",
    "snapshot": "2026-06",
    "state": "running",
    "seconds": 10.0,
    "counters": {"pages": 7, "status_200": 7, "status_404": 0, "failed_dns": 1, "discovered": 27},
    "rates": RATES,
    "means": RATES,
    "settings": {"max_pages": 14},
    "given_up": {"dns": 1},
    "shortage": "the disk is full",
}


def test_counters_that_counted_nothing_are_left_out() -> None:
    status = CrawlStatus(STATUS)
    rows = status.tables()["Counters"].to_arrow().to_pylist()
    names = [row["what"] for row in rows]
    assert names == ["pages", "URLs discovered", "responses 200", "failed: dns", "hosts left alone: dns"]
    assert status.summary.endswith("\nthe disk is full.")
    assert status["counters"]["pages"] == 7
    assert status.to_dict() == STATUS


def test_the_time_left_follows_from_the_first_limit_or_from_known_urls() -> None:
    assert find_progress(STATUS) == (0.5, 3.5)
    assert find_rest(STATUS) == (20, 5.0)
    assert find_progress(STATUS | {"settings": {}}) is None
    assert show_time(3_700) == "1:01:40"
    assert find_rest(STATUS | {"rates": {}}) is None
    assert pytest.approx(1.0) == CrawlStatus(STATUS)["rates"]["pages"] / 2
