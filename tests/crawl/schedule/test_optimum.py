"""Optimal visit frequencies, compared with published numbers and with general optimizers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.schedule import reference
from webstrata import crawl
from webstrata.crawl.schedule import crawl_value, expected_age, expected_freshness, plan
from webstrata.crawl.schedule.optimum import OBJECTIVES
from webstrata.errors import UsageError

rate_lists = st.lists(st.floats(1e-3, 50), min_size=2, max_size=8)


def draw_pages(seed: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    rates = np.exp(random.uniform(np.log(1 / 365), np.log(24), number))
    return rates, random.pareto(1.5, number) + 0.1


def test_five_pages_of_cho_and_garcia_molina_get_the_published_frequencies() -> None:
    rates = np.arange(1.0, 6.0)
    assert plan(rates, budget=5) == pytest.approx([1.15, 1.36, 1.35, 1.14, 0.00], abs=0.005)
    by_age = [0.835, 0.968, 1.034, 1.071, 1.093]
    assert plan(rates, budget=5, objective="age") == pytest.approx(by_age, abs=0.0006)
    assert expected_freshness(rates, plan(rates, budget=5)).mean() == pytest.approx(0.3739, abs=5e-5)
    assert expected_freshness(rates, 1.0).mean() == pytest.approx(0.3651, abs=5e-5)
    assert expected_freshness(rates, rates / 3).mean() == pytest.approx(0.3167, abs=5e-5)


def test_the_package_offers_planning_by_its_short_name() -> None:
    assert crawl.plan is plan


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_plan_spends_the_budget_exactly_and_no_negative_visits(objective: str) -> None:
    rates, weights = draw_pages(1, 20_000)
    rates[:100], weights[100:200] = 0, 0
    found = plan(rates, weights, 4_000, objective=objective)  # type: ignore[arg-type]
    assert found.sum() == pytest.approx(4_000, rel=1e-9)
    assert found.min() >= 0
    assert not found[:200].any()


@given(rate_lists, st.floats(0.1, 20), st.integers(0, 1000))
def test_visited_pages_share_one_crawl_value_and_others_are_below_it(
    rates: list[float], budget: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).uniform(0.1, 10, len(rates))
    found = plan(rates, weights, budget)
    visited = found > 1e-9
    values = crawl_value(1 / found[visited], np.array(rates)[visited], weights[visited])
    assert values == pytest.approx(values[0], rel=1e-5)
    assert np.all(weights[~visited] / np.array(rates)[~visited] <= values[0] * (1 + 1e-5))


def test_poisson_visits_are_those_of_the_sorting_algorithm() -> None:
    rates, weights = draw_pages(2, 3_000)
    found = plan(rates, weights, 600, objective="poisson")
    assert found == pytest.approx(
        np.array(reference.azar(list(rates), list(weights), 600)), rel=1e-6, abs=1e-9
    )


def test_the_harmonic_optimum_has_equal_derivatives_and_starves_no_page() -> None:
    rates, weights = draw_pages(3, 3_000)
    found = plan(rates, weights, 600, objective="harmonic")
    slopes = weights * rates / (found * (found + rates))
    assert slopes == pytest.approx(np.full(3_000, slopes[0]), rel=1e-6)
    assert found.min() > 0


def test_known_plans_beat_uniform_and_proportional_visits() -> None:
    rates, _ = draw_pages(4, 50_000)
    number = len(rates)
    best = expected_freshness(rates, plan(rates, budget=0.2 * number)).mean()
    uniform = expected_freshness(rates, 0.2).mean()
    proportional = expected_freshness(rates, 0.2 * number * rates / rates.sum()).mean()
    assert best == pytest.approx(0.568, abs=0.003)
    assert uniform == pytest.approx(0.520, abs=0.003)
    assert proportional == pytest.approx(0.076, abs=0.003)


@pytest.mark.parametrize("seed", range(6))
def test_plans_with_limits_per_host_reach_a_numerical_optimum(seed: int) -> None:
    random = np.random.default_rng(seed)
    rates, weights = draw_pages(seed, 12)
    hosts = np.arange(12) % 3
    limits = random.uniform(0.5, 4, 3)
    budget = 0.8 * limits.sum()
    found = plan(rates, weights, budget, hosts=hosts, host_limits=limits)
    assert found.sum() == pytest.approx(budget, rel=1e-6)
    assert np.all(np.bincount(hosts, weights=found) <= limits * (1 + 1e-9))
    reached = float((weights * expected_freshness(rates, found)).sum())
    numerical = reference.numerical_optimum(rates, weights, budget, hosts, limits)
    assert reached >= numerical * (1 - 1e-6)


def test_limits_that_do_not_bind_leave_the_plan_as_it_is() -> None:
    rates, weights = draw_pages(5, 1_000)
    hosts = np.arange(1_000) % 10
    free = plan(rates, weights, 200)
    assert plan(rates, weights, 200, hosts=hosts, host_limits=np.full(10, 1e6)) == pytest.approx(
        free, rel=1e-6
    )


def test_no_page_waits_longer_than_the_longest_interval() -> None:
    rates, weights = draw_pages(6, 1_000)
    rates[:10] = 0
    found = plan(rates, weights, 100, max_interval=90)
    assert found.min() >= 1 / 90
    assert found.sum() == pytest.approx(100, rel=1e-9)


def test_age_grows_without_bound_for_pages_that_are_never_visited() -> None:
    assert expected_age([2.0], [0.0])[0] == np.inf
    assert expected_age([1e-9], [1.0])[0] == pytest.approx(1e-9 / 6, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"budget": 0}, "budget is 0"),
        ({"budget": float("nan")}, "budget is nan"),
        ({"objective": "speed"}, "unknown objective 'speed'"),
        ({"rates": [-1, 2]}, "rates must be"),
        ({"rates": [0, 0]}, "nothing to plan"),
        ({"importance": [1, float("inf")]}, "importance must be"),
        ({"max_interval": 0.5}, "takes 4 visits per day, and the budget is 1"),
        ({"host_limits": [1]}, "without hosts"),
        ({"hosts": [0, 0], "host_limits": [0.25]}, "the hosts allow 0.25 visits per day"),
        ({"hosts": [0, 5], "host_limits": [1]}, "host_limits must be"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_sentence(change: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plan(**{"rates": [1.0, 2.0], "budget": 1.0, **change})  # type: ignore[arg-type]
