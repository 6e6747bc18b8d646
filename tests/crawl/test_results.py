"""What a crawl did, in numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.crawl.origin import Origin, crawl, page, reply
from webstrata.crawl.results import REASONS, CrawlResult

if TYPE_CHECKING:
    from pathlib import Path


def test_a_crawl_that_did_nothing_divides_by_nothing() -> None:
    result = CrawlResult("exhausted", 0.0, {})
    assert (result.pages, result.rate, result.cpu_seconds) == (0, 0.0, 0.0)
    assert result.to_dict()["pages_per_cpu_second"] == 0.0
    assert result.skipped() == {}


def test_what_was_not_fetched_is_told_with_its_reason() -> None:
    result = CrawlResult("stopped", 1.0, {"disallowed": 3, "filtered": 0, "pages": 5, "foreign": 1})
    assert result.skipped() == {"URLs that robots.txt forbids": 3, "URLs of other agents": 1}
    assert result.rate == 5


def test_the_profile_of_an_answer_adds_up() -> None:
    counters = {
        "requests": 4,
        "fetcher_cpu_ns": 40_000,
        "parse_ns": 8_000,
        "encode_ns": 4_000,
        "frontier_cpu_ns": 400,
    }
    profile = CrawlResult("exhausted", 1.0, counters).profile()
    assert (profile["parse"], profile["encode"], profile["fetch"], profile["frontier"]) == (
        2.0,
        1.0,
        7.0,
        0.1,
    )


def test_a_crawl_reports_what_the_server_saw(tmp_path: Path) -> None:
    with Origin() as origin:
        body = page("home", "/gone", "mailto:a@b.test")
        origin.say("/", reply(body))
        found = crawl(tmp_path, origin, "http://a.test/")
    assert found.result is not None
    assert found.result.end in REASONS
    assert found["requests"] == len(origin.requests) == 3
    assert (found["robots"], found["pages"], found["captures"]) == (1, 1, 3)
    assert (found["links"], found["rejected"], found["payload"]) == (2, 1, len(body))
    assert (found["status_2xx"], found["status_4xx"], found["in_flight"], found["front"]) == (1, 2, 0, 0)
    report = json.loads((found.snapshot.working_folder("crawl") / "crawl.json").read_text())
    assert (report["pages"], report["end"]) == (1, "exhausted")
    assert report["counters"] == found.result.counters
    assert found["stored"] > 0
