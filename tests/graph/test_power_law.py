"""Exponents are found where they are known."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.graph.power_law import BOUNDS, MIN_TAIL, fit_power_law, search_power_law


@pytest.mark.parametrize("exponent", [1.8, 2.1, 2.7, 3.5])
def test_the_exponent_of_drawn_numbers_is_found_within_its_error(exponent: float) -> None:
    draws = np.random.default_rng(1).random(50_000)
    fit = fit_power_law((5 * draws ** (-1 / (exponent - 1))).astype(np.int64))
    assert fit is not None
    assert abs(fit.exponent - exponent) < 3 * fit.standard_error
    assert abs(fit.scale - 5) < 0.2


def test_the_standard_error_says_how_far_fits_scatter() -> None:
    random = np.random.default_rng(2)
    fits = [fit_power_law((6 * random.random(2000) ** (-1 / 1.5)).astype(int), x_min=6) for _ in range(200)]
    exponents = [fit.exponent for fit in fits if fit]
    errors = [fit.standard_error for fit in fits if fit]
    assert np.std(exponents) == pytest.approx(np.mean(errors), rel=0.15)


def test_a_head_that_is_no_power_law_is_left_out() -> None:
    draws = np.random.default_rng(3).random(20_000)
    numbers = np.r_[(20 * draws ** (-1 / 1.2)).astype(int), np.full(15_000, 9)]
    fit = fit_power_law(numbers)
    assert fit is not None
    assert fit.x_min >= 20
    assert abs(fit.exponent - 2.2) < 3 * fit.standard_error


def test_too_few_or_equal_numbers_have_no_law() -> None:
    assert fit_power_law([]) is None
    assert fit_power_law(range(1, MIN_TAIL)) is None
    assert fit_power_law([7] * 1000) is None
    assert fit_power_law([0] * 1000) is None


def test_an_exponent_at_the_bound_of_its_search_is_no_fit() -> None:
    # degrees of pages with one menu: all between 40 and 60, as in the documentation of one project
    degrees = np.random.default_rng(4).integers(40, 61, 2000)
    found = search_power_law(degrees)
    assert found.fit is None
    assert found.reason.endswith("the exponent is at the bound of its search, 8")
    assert fit_power_law(degrees) is None


def test_a_fit_lies_within_its_bounds() -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        fit = fit_power_law(random.lognormal(random.uniform(0, 4), random.uniform(0.1, 2), 300).astype(int))
        assert fit is None or BOUNDS[0] + 1e-3 < fit.exponent < BOUNDS[1] - 1e-3


def test_a_lognormal_law_is_recognized_and_a_power_law_is_not_taken_for_one() -> None:
    random = np.random.default_rng(6)
    normal = search_power_law(random.lognormal(3, 0.9, 20_000).astype(int), x_min=8, compare=True).fit
    assert normal is not None
    assert normal.lognormal_ratio is not None
    assert normal.lognormal_ratio < 0
    assert "a lognormal law fits better" in normal.warnings[0]
    power = search_power_law((5 * random.random(20_000) ** (-1 / 1.2)).astype(int), compare=True).fit
    assert power is not None
    assert power.warnings == []


def test_few_values_are_warned_of() -> None:
    fit = fit_power_law((3 * np.random.default_rng(7).random(60) ** (-1 / 1.5)).astype(int))
    assert fit is not None
    assert "fewer than 100: the exponent is doubtful" in fit.warnings[0]
