"""What is no page takes its time, what is forbidden is not asked for, and what fails is tried again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.simulate.stored import store
from webstrata import errors
from webstrata.simulate.answers import LEADS_ON, NOTHING, PAGE, find_forbidden
from webstrata.simulate.run import Simulation
from webstrata.simulate.settings import SimulateSettings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.simulate.harvest import Trace

PLAIN = SimulateSettings(policy=("breadth-first",), start="homes:1", link_order="page", fetch_spread=0.0)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot with a redirect and an error."""
    return store(tmp_path_factory.mktemp("stored") / "uk")


def crawl(snapshot: Snapshot, start: Path, **changed: Any) -> Trace:  # noqa: ANN401
    start.write_text("http://a.org/\n")
    [trace] = Simulation(snapshot, replace(PLAIN, start=str(start), **changed)).traces()
    return trace


def test_redirects_and_errors_are_visits_and_no_pages(snapshot: Snapshot, tmp_path: Path) -> None:
    start = tmp_path / "start.txt"
    plain = crawl(snapshot, start)
    assert (plain.nodes.tolist(), plain.requests[0]) == ([0, 1, 3, 2, 4], 5)
    stored = Simulation(snapshot, replace(PLAIN, answers="stored"))
    assert stored.answers.kinds is not None
    assert stored.answers.kinds.tolist() == [PAGE] * 5 + [NOTHING, LEADS_ON]
    trace = crawl(snapshot, start, answers="stored")
    # /old comes in the place of /reef, which is found through it and comes last
    assert trace.nodes.tolist() == [0, 1, 2, 4, 3]
    assert trace.times.tolist() == [1, 2, 4, 6, 7]
    assert trace.requests == (7, 0, 0, 0)
    timed = crawl(snapshot, start, answers="stored", clock=True, host_delay=1.0, ip_delay=0.0, fetch_time=0.5)
    # robots.txt, then a page, a redirect or an error each 1.5 seconds
    assert timed.times[timed.nodes == 2].tolist() == [6.5]
    assert timed.requests == (9, 0, 0, 2)
    for policy in ("best-first", "shark", "opic", "in-degree", "learned", "oracle", "pagerank", "random"):
        found = crawl(snapshot, start, answers="stored", policy=(policy,))
        assert sorted(found.nodes.tolist()) == [0, 1, 2, 3, 4], policy
        # who knows that it has all pages is done
        assert found.requests[0] in (6, 7)


def test_what_robots_txt_forbids_is_not_asked_for(snapshot: Snapshot, tmp_path: Path) -> None:
    start, rules = tmp_path / "start.txt", tmp_path / "rules.txt"
    rules.write_text("* Disallow: /c\na.org Disallow: /fish\na.org Crawl-delay: 10\n")
    assert find_forbidden(Simulation(snapshot, PLAIN).web, str(rules)).tolist() == [1, 2]
    assert crawl(snapshot, start, robots=str(rules)).nodes.tolist() == [0, 3, 4]
    assert crawl(snapshot, start, robots=str(rules), obey_robots=False).requests[0] == 5
    timed = crawl(snapshot, start, robots=str(rules), clock=True, fetch_time=0.5, host_delay=1.0)
    assert timed.times[timed.nodes == 3].tolist() == [0.5 + 10 + 0.5 + 10 + 0.5]
    for text, sentence in (
        ("c.org Disallow: /\n", r"c\.org is no host of this snapshot"),
        ("a.org /private\n", "'a.org /private' is no rule of a host; write it as"),
    ):
        rules.write_text(text)
        with pytest.raises(errors.WebstrataError, match=sentence):
            crawl(snapshot, start, robots=str(rules))


def test_requests_that_fail_are_tried_again_as_the_seed_says(snapshot: Snapshot, tmp_path: Path) -> None:
    start = tmp_path / "start.txt"
    runs = [crawl(snapshot, start, failures=0.5, seed=seed) for seed in range(20)]
    again = [crawl(snapshot, start, failures=0.5, seed=seed) for seed in range(20)]
    assert [trace.digest for trace in runs] == [trace.digest for trace in again]
    assert any(trace.requests[1] for trace in runs)
    assert any(trace.requests[2] for trace in runs)
    for trace in runs:
        requests, failed, lost, _ = trace.requests
        assert requests == len(trace.nodes) + failed
        assert len(trace.nodes) == 5 - lost or 0 not in trace.nodes
    one = crawl(snapshot, start, failures=0.5, retries=0, seed=3)
    assert one.requests[1] == one.requests[2]
    slow = [
        crawl(snapshot, start, failures=0.5, clock=True, retry_delay=1000.0, seed=seed) for seed in range(4)
    ]
    assert max(float(np.max(trace.times, initial=0)) for trace in slow) > 1000


def test_what_a_bundle_does_not_have_is_said(tmp_path: Path) -> None:
    import webstrata as ws
    from tests.temporal.months import add_month

    plain = add_month(ws.create(tmp_path / "uk"), "2026-06", ["org,a)/"], [])
    with pytest.raises(errors.MissingError, match=r"it has no links.*leave --link-order and --answers out"):
        Simulation(plain, replace(PLAIN, answers="stored")).traces()
