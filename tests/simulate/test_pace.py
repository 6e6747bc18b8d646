"""How fast a web can be crawled, where it can be told by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.temporal.months import add_month
from webstrata.collection.progress import Progress
from webstrata.serve.report.simulate import make_paces
from webstrata.simulate.harvest import Trace
from webstrata.simulate.pace import HOST_FACTOR, measure_paces, warn_paces
from webstrata.simulate.run import Simulation

if TYPE_CHECKING:
    from pathlib import Path

FETCH = 0.5


def add_hosts(root: Path, hosts: int, pages: int) -> ws.Snapshot:
    """Hosts whose home page links to all their others."""
    names = [f"org,h{number:02}" for number in range(hosts)]
    keys = [f"{name})/{page or ''}" for name in names for page in range(pages)]
    arcs = [(pages * host, pages * host + page) for host in range(hosts) for page in range(1, pages)]
    return add_month(ws.create(root / "uk"), "2026-06", keys, arcs)


def test_one_host_takes_its_delay_after_every_page(tmp_path: Path) -> None:
    snapshot = add_hosts(tmp_path, 1, 8)
    (pace,) = measure_paces(snapshot, [(4, 0.25)])
    seconds = 4 * FETCH + 3 * HOST_FACTOR * 0.25
    assert pace.pages == 4
    assert pace.host_delay == 2.0
    assert pace.rate == pytest.approx(4 / seconds)
    assert pace.front == pytest.approx(1.0)


def test_rate_grows_with_fetchers_until_every_host_has_one(tmp_path: Path) -> None:
    snapshot = add_hosts(tmp_path, 8, 8)
    paces = measure_paces(snapshot, [(fetchers, 0.0) for fetchers in (1, 2, 4, 8, 16)])
    assert [pace.rate for pace in paces] == pytest.approx([2, 4, 8, 16, 16])
    assert [pace.front for pace in paces] == pytest.approx([1, 2, 4, 8, 8])


def test_delays_cost_nothing_while_other_hosts_are_ready(tmp_path: Path) -> None:
    snapshot = add_hosts(tmp_path, 40, 4)
    quick, slow, slower = measure_paces(snapshot, [(2, 0.0), (2, 0.125), (2, 4.0)])
    assert slow.rate == pytest.approx(quick.rate)
    assert slow.front > quick.front
    assert slower.rate < quick.rate
    assert slower.front <= 40


def test_a_crawl_of_one_page_gives_no_rate_in_the_report(tmp_path: Path) -> None:
    # the only host's pages link to nothing, so the crawl ends after its home page
    keys = ["org,a)/", *(f"org,a)/{page}" for page in range(100, 180))]
    snapshot = add_month(ws.create(tmp_path / "uk"), "2026-06", keys, [])
    paces = measure_paces(snapshot, [(1, 0.0)])
    assert paces[0].pages == 1
    first, second, third = warn_paces(paces, 81, 1)
    assert first == "computed from 1 page, fewer than 30: rates and fronts say nothing about the web"
    assert "ended after 1 of 81 pages" in second
    assert "one host" in third
    sheet = make_paces(snapshot, Progress())
    assert (sheet.tables, sheet.figures) == ([], [])
    assert "fetched 1 page, too few for a rate" in sheet.text[0]
    assert len(sheet.notes) == 3


def test_enough_pages_on_many_hosts_are_no_reason_to_warn(tmp_path: Path) -> None:
    snapshot = add_hosts(tmp_path, 40, 4)
    assert warn_paces(measure_paces(snapshot, [(2, 0.0)]), 160, 40) == []


def test_a_web_without_a_page_to_begin_with_has_no_pace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = add_hosts(tmp_path, 1, 2)
    empty = np.zeros(0, np.uint32)
    trace = Trace("breadth-first", 0, empty, empty, np.zeros(0))
    monkeypatch.setattr(Simulation, "trace", lambda *_: trace)
    (pace,) = measure_paces(snapshot, [(3, 0.25)])
    assert (pace.fetchers, pace.ip_delay, pace.pages, pace.rate, pace.front) == (3, 0.25, 0, 0.0, 0.0)
