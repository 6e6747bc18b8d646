"""Figures from real pages say what they rest on: one host, few pages, values that have not converged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.real.conftest import DATES
from webstrata.collection.progress import Progress
from webstrata.graph.power_law import BOUNDS
from webstrata.graph.structure import describe_structure, reachable
from webstrata.rank import spectrum
from webstrata.serve.report.sheet import Sheet
from webstrata.serve.report.simulate import make_paces
from webstrata.serve.report.temporal import make_times
from webstrata.simulate.pace import measure_paces
from webstrata.temporal.bias import report_bias
from webstrata.temporal.survival import describe_survival

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def flink(built: Path) -> ws.Collection:
    return ws.open(built / "flink")


@pytest.fixture(scope="module")
def docs_site(built: Path) -> ws.Snapshot:
    return ws.open(built / "docs")["2026-01"]


def test_one_host_gives_no_intervals_of_change(flink: ws.Collection) -> None:
    report = report_bias(flink.temporal, replicates=30)
    assert all(not interval.has_bounds for interval in report.estimates.values())
    assert len(report.warnings) == 1
    assert "no interval: all of it is one host" in report.warnings[0]
    assert report.moving() == {}


def test_survival_of_pages_is_that_of_sets_of_urls(flink: ws.Collection, history: Path) -> None:
    there = [set(flink[date].urls) for date in DATES]
    first = {url: min(t for t in range(3) if url in there[t]) for url in set.union(*there)}
    last = {url: max(t for t in range(3) if url in there[t]) for url in first}
    alive = [{url for url in first if first[url] <= t <= last[url]} for t in range(3)]
    pages = next(one for one in describe_survival(flink.temporal.facts) if one.what == "pages")
    # the repository of the site says the same
    masks = np.load(history / "node-masks.npy").astype(np.int64) & 0b111
    assert [row.alive for row in pages.turnover] == [
        int(((masks & 2 ** (t + 1) - 1 > 0) & (masks >> t > 0)).sum()) for t in range(2)
    ]
    for t, row in enumerate(pages.turnover):
        assert row.alive == len(alive[t])
        assert row.deaths == len(alive[t] - alive[t + 1])
        assert row.births == len(alive[t + 1] - alive[t])
    one = 1 - (len(alive[0] - alive[1]) + len(alive[1] - alive[2])) / (len(alive[0]) + len(alive[1]))
    assert pages.curve[0].survival == pytest.approx(one)
    both = alive[0] & alive[1]
    assert pages.curve[1].survival == pytest.approx(one * (1 - len(both - alive[2]) / len(both)))
    assert pages.shares[0][2] == pytest.approx(len(there[0] & there[2]) / len(there[0]))
    assert any("one host" in sentence for sentence in pages.warnings)
    (sheet,) = make_times(flink)
    assert isinstance(sheet, Sheet)
    assert any("all are of one host" in note for note in sheet.notes)


@pytest.mark.parametrize("date", DATES)
def test_joined_pairs_are_exact_and_exponents_lie_within_their_bounds(
    flink: ws.Collection, date: str
) -> None:
    graph = flink[date].graph
    found = describe_structure(graph, graph.transpose())
    nodes = graph.num_nodes
    pairs = sum(int(reachable(graph, [node]).sum()) - 1 for node in range(nodes))
    assert found.balls is not None
    assert found.balls.joined_share.is_exact
    assert found.balls.joined_share.value == pairs / (nodes * (nodes - 1)) <= 1
    for kind, degrees in (("in", found.indegrees), ("out", found.outdegrees)):
        if degrees.law is None:
            assert f"{kind}-degree: no power law fitted: {degrees.no_law}" in found.warnings
        else:
            assert BOUNDS[0] + 1e-3 < degrees.law.exponent < BOUNDS[1] - 1e-3
            # fewer than 100 pages are in the tail of each of these states
            assert any(f"{kind}-degree, power law: computed from" in one for one in found.warnings)


def test_eigenvalues_that_have_not_converged_are_not_listed(docs_site: ws.Snapshot) -> None:
    graph = docs_site.graph
    found = spectrum(graph, arnoldi=30)
    document = found.to_dict()
    assert all(row["residual"] < 1e-6 for row in document["core"]["leading"])
    assert document["core"]["unconverged"]
    assert "have not converged" in found.warnings[0]
    assert spectrum(graph).warnings == []


def test_a_rate_is_shown_of_crawls_of_enough_pages_alone(docs_site: ws.Snapshot) -> None:
    (pace,) = measure_paces(docs_site, [(4, 0.0)])
    sheet = make_paces(docs_site, Progress())
    assert bool(sheet.tables) == (pace.pages >= 30)
    assert any("less than half" in note for note in sheet.notes) == (pace.pages < len(docs_site.urls) // 2)


def test_the_report_shows_warnings_where_the_figures_are(built: Path) -> None:
    text = (built / "flink" / "reports" / "report.html").read_text()
    assert "Warning: survival of pages: all are of one host" in text
    assert "warning: in-degree, power law: computed from" in text
    assert "Warning: one run of each policy" in text
