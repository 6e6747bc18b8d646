"""Change rates as beliefs, and the intervals that follow from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.crawl.schedule.belief import (
    BINS,
    INTERVALS,
    MIDDLES,
    RATES,
    class_of,
    due_intervals,
    estimate_shares,
    find_threshold,
    likelihood,
    worth,
)
from webstrata.crawl.schedule.optimum import crawl_value, expected_freshness, plan


@settings(max_examples=50, deadline=None)
@given(
    st.floats(0, 400),
    st.lists(st.integers(0, 40), min_size=BINS, max_size=BINS),
)
def test_the_likelihood_is_that_of_its_definition(unchanged: float, changes: list[int]) -> None:
    found = likelihood(np.array([unchanged]), np.array([changes], np.uint8))[0]
    logs = [
        -rate * unchanged
        + sum(n * np.log(1 - np.exp(-rate * tau)) for n, tau in zip(changes, MIDDLES, strict=True))
        for rate in RATES
    ]
    assert found == pytest.approx(np.exp(np.array(logs) - max(logs)), rel=1e-9, abs=1e-12)


@given(st.floats(1e-4, 1e3))
def test_an_interval_is_within_a_factor_of_two_of_the_middle_of_its_class(days: float) -> None:
    place = int(class_of(days))
    if 0 < place < BINS - 1:
        assert MIDDLES[place] / 2.001 <= days <= MIDDLES[place] * 2.001


def test_with_known_rates_pages_are_due_as_the_plan_says() -> None:
    random = np.random.default_rng(3)
    rows = random.integers(4, len(RATES) - 3, 300)
    rates, importance = RATES[rows], random.pareto(2, 300) + 0.1
    # a page that was seen so often that its rate is sure
    shares = np.eye(len(RATES))[rows]
    values, means = worth(np.zeros(300), np.zeros((300, BINS), np.uint8), np.arange(300), shares)
    assert means == pytest.approx(rates)
    at = INTERVALS[40]
    assert values[:, 40] == pytest.approx(crawl_value(at, rates), rel=1e-4)
    budget = 150.0
    threshold = find_threshold(values, importance, budget)
    intervals = due_intervals(values, importance, threshold)
    best = plan(rates, importance, budget=budget)
    reached = (importance * expected_freshness(rates, 1 / intervals)).sum()
    wanted = (importance * expected_freshness(rates, best)).sum()
    assert (1 / intervals).sum() == pytest.approx(budget, rel=0.01)
    assert reached == pytest.approx(wanted, rel=1e-3)


def test_shares_of_rates_are_found_from_visits() -> None:
    random = np.random.default_rng(1)
    slow, fast = RATES[5], RATES[22]
    rates = np.repeat([slow, fast], 500)
    changes, unchanged = np.zeros((1000, BINS), np.uint8), np.zeros(1000)
    for _ in range(10):
        changed = random.random(1000) < 1 - np.exp(-rates)
        changes[changed, class_of(1.0)] += 1
        unchanged[~changed] += 1.0
    shares = estimate_shares(unchanged, changes, np.zeros(1000, int))
    assert shares[0] @ (RATES < 0.1) == pytest.approx(0.5, abs=0.08)
    values, means = worth(unchanged, changes, np.zeros(1000, int), shares)
    assert np.all(np.diff(values, axis=1) >= -1e-5 * values[:, 1:])
    assert means[:500].max() < means[500:].min()


def test_a_page_never_seen_twice_borrows_from_its_host() -> None:
    unchanged, changes = np.array([20.0] * 30 + [0.0] * 31), np.zeros((61, BINS), np.uint8)
    changes[30:60, class_of(1.0)] = 20
    unchanged[60] = 0.0
    hosts = np.repeat([0, 1], [30, 31])
    shares = estimate_shares(unchanged, changes, hosts)
    assert shares[0] @ (RATES < 0.1) > 0.7
    assert shares[1] @ (RATES > 0.5) > 0.7
