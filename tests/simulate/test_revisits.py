"""Revisit policies on drawn and recorded change times."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.crawl.schedule import expected_age, expected_freshness, plan
from webstrata.errors import UsageError
from webstrata.simulate.revisits import REVISIT_POLICIES, compare_revisits, draw_changes


def draw_rates(number: int, seed: int = 3) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).uniform(np.log(1 / 365), np.log(24), number))


def test_a_page_is_fresh_until_it_changes_and_again_after_a_visit() -> None:
    # visits at 1, 2 and 3; changes at 0.5 and 2.25: stale from 0.5 to 1 and from 2.25 to 3, of 4 days
    changes = [np.array([0.5, 2.25])]
    (found,) = compare_revisits(changes, 4, budget=1, policies=["uniform"])
    first = np.random.default_rng(0).random()
    visits = np.arange(first, 4, 1)
    stale = sum(max(0.0, visits[visits >= time].min(initial=4.0) - time) for time in changes[0])
    assert found.visits == len(visits)
    assert found.freshness == pytest.approx(1 - stale / 4)


def test_even_visits_reach_the_freshness_and_age_that_the_formulas_say() -> None:
    rates = draw_rates(800)
    changes = draw_changes(rates, 400, seed=5)
    uniform, known = compare_revisits(changes, 400, budget=800, policies=["uniform", "known"], warmup=20)
    true = np.array([len(times) for times in changes]) / 400
    assert uniform.freshness == pytest.approx(expected_freshness(true, 1.0).mean(), abs=0.01)
    assert uniform.age == pytest.approx(expected_age(true, 1.0).mean(), rel=0.05)
    best = plan(np.maximum(true, 5e-4), budget=800, max_interval=90)
    assert known.freshness == pytest.approx(expected_freshness(true, best).mean(), rel=0.02)
    assert known.freshness > uniform.freshness + 0.03


@pytest.mark.parametrize("policy", REVISIT_POLICIES)
def test_no_policy_spends_more_than_the_budget(policy: str) -> None:
    changes = draw_changes(draw_rates(100), 20, seed=1)
    (found,) = compare_revisits(changes, 20, budget=30, policies=[policy])
    assert found.visits <= 20 * 30
    assert 0 <= found.freshness <= 1
    assert found.changed <= found.visits


def test_estimated_rates_beat_uniform_and_adaptive_visits() -> None:
    rates = draw_rates(300)
    changes = draw_changes(rates, 45, seed=2)
    chosen = ["uniform", "proportional", "adaptive", "nutch", "known", "greedy"]
    found = {
        each.policy: each.freshness for each in compare_revisits(changes, 45, 300, policies=chosen, warmup=30)
    }
    assert found["known"] > found["greedy"] > found["uniform"] > found["adaptive"] > found["nutch"]
    assert found["nutch"] > found["proportional"]


def test_impossible_comparisons_are_refused_in_one_sentence() -> None:
    with pytest.raises(UsageError, match="no pages to revisit"):
        compare_revisits([], 10, 1)
    with pytest.raises(UsageError, match="a budget above 0"):
        compare_revisits([np.array([1.0])], 10, 0)
    with pytest.raises(UsageError, match="more days than the warm-up"):
        compare_revisits([np.array([1.0])], 10, 1, warmup=10)
    with pytest.raises(UsageError, match="greedi"):
        compare_revisits([np.array([1.0])], 10, 1, policies=["greedi"])
