"""What limits do to estimates, on a web whose truth is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.temporal.months import add_month, make_months
from webstrata.crawl.seeds import keep_seeds
from webstrata.invitro import Web
from webstrata.invitro.alignment import true_panel
from webstrata.temporal.align import choose_snapshots
from webstrata.temporal.bias import (
    BiasReport,
    Panel,
    Tightened,
    describe_cuts,
    estimate,
    find_seeds,
    report_bias,
    tighten,
)
from webstrata.temporal.build import build_union
from webstrata.temporal.intervals import Interval
from webstrata.temporal.recrawl import Limits, recrawl

if TYPE_CHECKING:
    from pathlib import Path

MONTHS = 3
WEB = Web("small", seed=3, pages=1000)


@pytest.fixture(scope="module")
def panel() -> Panel:
    return true_panel(WEB, MONTHS)


def test_estimates_are_those_of_sets_of_urls(panel: Panel) -> None:
    graphs = [WEB.graph(month, view="collection") for month in range(MONTHS)]
    pages = [set(graph.urls) for graph in graphs]
    arcs = [
        {
            (graph.urls[node], graph.urls[int(target)])
            for node in range(graph.num_nodes)
            for target in graph.successors(node)
        }
        for graph in graphs
    ]
    found = estimate(panel)
    pairs = list(zip(range(MONTHS - 1), range(1, MONTHS), strict=True))

    def over_pairs(sets: list[set[str]] | list[set[tuple[str, str]]]) -> float:
        return sum(len(sets[a] & sets[b]) for a, b in pairs) / sum(len(sets[a]) for a, _ in pairs)

    assert found["page_survival"].value == pytest.approx(over_pairs(pages))
    assert found["link_survival"].value == pytest.approx(over_pairs(arcs))
    assert found["outdegree"].value == pytest.approx(sum(map(len, arcs)) / sum(map(len, pages)))
    born = sum(len(pages[b] - pages[a]) for a, b in pairs) / sum(len(pages[b]) for _, b in pairs)
    assert found["page_birth"].value == pytest.approx(born)
    linking = [{source for source, _ in own} for own in arcs]
    dangling = sum(len(own - there) for own, there in zip(pages, linking, strict=True)) / sum(map(len, pages))
    assert found["dangling"].value == pytest.approx(dangling)


def test_samples_of_hosts_cover_the_truth_as_often_as_they_say(panel: Panel) -> None:
    # a crawl of a part of the hosts is a sample of clusters: of 40 intervals of 95% most hold the whole
    whole = estimate(panel)
    num_hosts = int(panel.hosts.max()) + 1
    held = 0
    random = np.random.default_rng(0)
    for seed in range(40):
        chosen = random.random(num_hosts) < 0.6
        samples = [panel.month(number).present & chosen[panel.hosts] for number in range(MONTHS)]
        found = estimate(panel, samples, replicates=100, seed=seed)["page_survival"]
        assert found.contains(found.value)
        held += bool(found.contains(whole["page_survival"].value))
    assert held >= 34


def test_tightening_tells_which_way_a_limit_moves_an_estimate(panel: Panel) -> None:
    rows = {(row.limit, row.fraction): row for row in tighten(panel)}
    assert {limit for limit, _ in rows} == {"none", "pages per host", "depth", "stop size", "seeds"}
    whole = rows["none", 1.0]
    assert whole.pages == 1.0
    for limit in ("pages per host", "stop size", "seeds"):
        left = [rows[limit, fraction].pages for fraction in (0.5, 0.25, 0.125)]
        assert left == sorted(left, reverse=True), limit
    # a crawl that was limited, judged by itself alone: the trend points towards the truth
    kept = [
        recrawl(panel.month(number), panel.hosts, Limits(pages_per_host=20))[0] for number in range(MONTHS)
    ]
    biased = estimate(panel, kept)["outdegree"].value
    tighter = [
        recrawl(panel.month(number), panel.hosts, Limits(pages_per_host=5))[0] for number in range(MONTHS)
    ]
    trend = biased - estimate(panel, tighter)["outdegree"].value
    truth = estimate(panel)["outdegree"].value
    assert trend * (truth - biased) > 0


def test_cuts_are_told_from_the_report_of_the_crawl(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    snapshot = add_month(uk, "2026-01", ["org,a)/", "org,a)/x", "org,b)/"], [])
    cuts = describe_cuts(snapshot)
    assert (cuts.pages, cuts.hosts, cuts.largest_host, cuts.end, cuts.hosts_at_limit) == (3, 2, 2, "", None)
    report = {
        "settings": {"max_pages_per_host": 2, "max_depth": 3},
        "end": "max_pages",
        "seconds": 1.0,
        "counters": {
            "discovered": 20,
            "requests": 9,
            "robots": 2,
            "retries": 1,
            "disallowed": 4,
            "depth_0": 2,
            "depth_1": 1,
        },
        "cuts": [
            {"reason": reason, "number": number, "examples": []}
            for reason, number in (("depth", 5), ("dropped", 7))
        ],
    }
    folder = snapshot.working_folder("crawl")
    folder.mkdir()
    (folder / "crawl.json").write_text(json.dumps(report))
    cuts = describe_cuts(snapshot)
    assert (cuts.hosts_at_limit, cuts.too_deep, cuts.depths, cuts.frontier_left) == (1, 5, [2, 1], 10)
    assert cuts.dropped == 7


def test_a_report_has_the_truth_beside_it(tmp_path: Path) -> None:
    months = {"2026-01": (["org,a)/", "org,b)/"], [(0, 1)]), "2026-02": (["org,a)/"], [])}
    uk = make_months(tmp_path / "uk", months)
    build_union(uk, choose_snapshots(uk))
    truth = Panel.from_urls([(["http://a.org/", "http://b.org/"], [(0, 1)])] * 2)
    report = report_bias(uk.temporal, replicates=20, truth=truth)
    assert (report.estimates["page_survival"].value, report.truth["page_survival"]) == (0.5, 1.0)
    # nobody links to a.org, which would not be there without its seed
    assert [(cuts.snapshot, cuts.only_by_seed) for cuts in report.cuts] == [("2026-01", 1), ("2026-02", 1)]
    assert report.to_dict()["tightened"][0]["limit"] == "none"


def test_a_crawl_is_done_again_from_its_own_seeds(tmp_path: Path) -> None:
    # x and its seed are linked from nowhere; the home page of a is no seed and is linked from nowhere either
    pages = ["org,a)/", "org,a)/seed", "org,a)/y", "org,b)/"]
    months = {label: (pages, [(0, 3), (1, 2)]) for label in ("2026-01", "2026-02")}
    uk = make_months(tmp_path / "uk", months)
    build_union(uk, choose_snapshots(uk))
    union = uk.temporal
    assert find_seeds(union, "2026-01") is None
    before = Panel.from_union(union)
    assert recrawl(before.month(0), before.hosts, Limits())[0].tolist() == [True, False, False, True]
    for label in months:
        folder = uk[label].working_folder("crawl")
        folder.mkdir()
        keep_seeds(folder, ["http://a.org/seed", "http://nowhere.org/"])
    panel = Panel.from_union(union)
    assert panel.num_months == 2
    assert recrawl(panel.month(1), panel.hosts, Limits())[0].tolist() == [False, True, True, False]
    report = report_bias(union, replicates=10)
    assert [cuts.seeds for cuts in report.cuts] == [2, 2]
    # all that can be reached is two pages of four, which a link joins
    assert report.tightened[0].estimates["outdegree"] == 0.5
    assert report.estimates["outdegree"].value == 0.5


def test_estimates_that_half_a_limit_moves_are_named() -> None:
    estimates = {"outdegree": Interval(20.0, 19.0, 21.0), "dangling": Interval(0.1, 0.0, 0.2)}
    rows = [
        Tightened("depth", 0.5, 1, 0.9, {"outdegree": 16.0, "dangling": 0.1}),
        Tightened("seeds", 0.5, 1, 0.9, {"outdegree": 20.5, "dangling": 0.1}),
        Tightened("seeds", 0.25, 1, 0.9, {"outdegree": 9.0, "dangling": 0.9}),
    ]
    assert BiasReport([], [], estimates, rows, 9).moving() == {"outdegree": ["depth"]}
