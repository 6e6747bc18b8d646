"""Survival curves, births and deaths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.temporal.overlap import LabelCounts
from webstrata.temporal.survival import Survival, describe_survival, survival_of_lives
from webstrata.temporal.union import UnionFacts


def survive(masks: list[int], number: int) -> Survival:
    counts = LabelCounts()
    counts.add(np.array(masks, np.uint64))
    common = counts.overlap("pages", number).common
    labels = [f"{2001 + year}" for year in range(number)]
    return survival_of_lives("pages", counts.lives(number), [list(map(int, row)) for row in common], labels)


def test_a_web_that_only_grows_keeps_everything() -> None:
    # |A ∩ B| over the mean size, which was shown before, says 18% of these pages stay
    found = survive([0b11] * 10 + [0b10] * 90, 2)
    assert found.curve[0].survival == 1.0
    assert found.shares[0][1] == 1.0
    (row,) = found.turnover
    assert (row.birth_rate, row.death_rate) == (9.0, 0.0)
    assert row.births_per_year == pytest.approx(np.log(10), rel=1e-3)


def test_a_page_that_is_absent_for_a_while_was_not_dead() -> None:
    found = survive([0b101] * 4, 3)
    assert [point.survival for point in found.curve] == [1.0, 1.0]
    assert found.shares[0] == [None, 0.0, 1.0]
    assert [row.deaths for row in found.turnover] == [0, 0]


def test_pages_with_a_constant_death_rate_have_its_survival_curve() -> None:
    random = np.random.default_rng(1)
    number, rate = 10, 0.3
    masks = []
    for _ in range(20_000):
        first, life = int(random.integers(-20, number)), int(random.geometric(rate))
        masks.append(sum(1 << t for t in range(max(first, 0), min(first + life, number))))
    found = survive([mask for mask in masks if mask], number)
    for point in found.curve:
        assert point.survival == pytest.approx((1 - rate) ** point.lag, abs=0.02)
    assert np.mean([row.death_rate for row in found.turnover]) == pytest.approx(rate, abs=0.02)
    assert found.turnover[0].deaths_per_year == pytest.approx(-np.log(1 - rate), rel=0.1)


@given(st.lists(st.integers(1, 31), min_size=1, max_size=40))
def test_curves_fall_within_0_and_1_and_what_is_born_and_dies_adds_up(masks: list[int]) -> None:
    found = survive(masks, 5)
    values = [1.0, *(point.survival for point in found.curve)]
    assert values == sorted(values, reverse=True)
    assert values[-1] >= 0
    alive = found.turnover[0].alive
    for row in found.turnover:
        assert row.alive == alive
        alive += row.births - row.deaths
    assert all(share is None or 0 <= share <= 1 for row in found.shares for share in row)


def test_little_data_is_warned_of() -> None:
    assert "there are two snapshots" in survive([0b11] * 100, 2).warnings[0]
    assert "fewer than 30 observations (as few as 8)" in survive([0b111] * 8, 3).warnings[0]
    lives = {"hosts": [[0, 1], [0, 0]], "urls": [[0, 90], [0, 0]]}
    facts = UnionFacts(["2026-01", "2026-02"], "static", hosts=[[1, 1]] * 2, urls=[[90, 90]] * 2, lives=lives)
    pages = next(one for one in describe_survival(facts) if one.what == "pages")
    assert "all are of one host" in pages.warnings[1]
