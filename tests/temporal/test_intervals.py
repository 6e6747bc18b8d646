"""Intervals by drawing hosts again; none is given where draws cannot tell anything."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.temporal.bias import BiasReport, Panel, Tightened, estimate
from webstrata.temporal.intervals import bootstrap_ratios


def test_one_host_has_no_interval_in_place_of_one_of_width_zero() -> None:
    first = [f"http://a.example/{page}" for page in range(40)]
    panel = Panel.from_urls([(first, [(0, 1)]), (first[10:], [(0, 1)])])
    found = estimate(panel, replicates=50)
    assert found["page_survival"].value == 0.75
    assert (found["page_survival"].low, found["page_survival"].high) == (None, None)
    report = BiasReport(["2026-01", "2026-02"], [], found, [], 50)
    assert "no interval: all of it is one host" in report.warnings[0]
    assert report.to_dict()["warnings"] == report.warnings


def test_a_ratio_that_all_hosts_share_has_no_interval() -> None:
    bottoms = np.full((1, 50), 7)
    (found,) = bootstrap_ratios(np.zeros_like(bottoms), bottoms, replicates=100)
    assert not found.has_bounds
    assert found.why == "it is the same in all draws of 50 hosts"


def test_few_hosts_and_a_dominant_host_are_warned_of() -> None:
    tops, bottoms = np.array([[1, 2, 3, 5]]), np.full((1, 4), 10)
    (few,) = bootstrap_ratios(tops, bottoms, replicates=100)
    assert few.has_bounds
    assert few.why == "computed from 4 hosts, fewer than 10: it is too narrow"
    (many,) = bootstrap_ratios(np.arange(20)[None] % 7, np.full((1, 20), 10), replicates=100)
    assert many.has_bounds
    assert many.why == ""
    large = np.array([[900, *[10] * 19]])
    (dominated,) = bootstrap_ratios(large // 3 + 1, large, replicates=100)
    assert dominated.why == "one host has 83% of the sample"


@pytest.mark.parametrize("hosts", [15, 60])
def test_intervals_cover_the_truth_as_often_as_they_say(hosts: int) -> None:
    random = np.random.default_rng(5)
    held = 0
    for seed in range(60):
        bottoms = random.integers(5, 40, (1, hosts))
        tops = random.binomial(bottoms, random.beta(4, 6, hosts))
        (found,) = bootstrap_ratios(tops, bottoms, replicates=100, seed=seed)
        held += bool(found.contains(0.4))
    assert held >= 50


def test_what_has_no_interval_is_not_said_to_move_out_of_it() -> None:
    first = [f"http://a.example/{page}" for page in range(8)]
    found = estimate(Panel.from_urls([(first, []), (first[:4], [])]), replicates=20)
    row = Tightened("depth", 0.5, 1, 0.5, dict.fromkeys(found, 0.9))
    assert BiasReport(["2026-01", "2026-02"], [], found, [row], 20).moving() == {}
