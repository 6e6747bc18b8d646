"""Both tests against SciPy's, on figures that differ and on figures that do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from webstrata.search.evaluate.significance import bootstrap, compare


def test_both_tests_agree_with_scipy() -> None:
    random = np.random.default_rng(1)
    ours = random.random(8)
    for shift in (0.0, 0.1, 0.5):
        theirs = ours - shift + 0.1 * random.normal(size=8)
        found = compare(ours, theirs)
        assert found.difference == pytest.approx((ours - theirs).mean())
        assert found.t_test == pytest.approx(stats.ttest_rel(ours, theirs).pvalue)
        exact = stats.permutation_test(
            (ours - theirs,), np.mean, permutation_type="samples", n_resamples=np.inf
        ).pvalue
        assert found.randomization == pytest.approx(exact, abs=0.02)


def test_figures_that_are_all_apart_alike_are_no_reason_to_fail() -> None:
    assert compare([1.0, 1.0, 1.0], [0.5, 0.5, 0.5]).t_test == 0.25
    assert compare([], []).randomization == 1.0
    with pytest.raises(ValueError, match="expected one figure for each"):
        compare([1.0], [1.0, 2.0])


def test_the_bootstrap_interval_is_that_of_scipy() -> None:
    given = np.random.default_rng(2).normal(0.1, 0.4, 80)
    found = bootstrap(given)
    theirs = stats.bootstrap((given,), np.mean, method="percentile", rng=np.random.default_rng(3))
    assert found.mean == pytest.approx(given.mean())
    assert found.low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert found.high == pytest.approx(theirs.confidence_interval.high, abs=0.01)
    assert bootstrap([0.2, 0.2, 0.2]) == pytest.approx((0.2, 0.2, 0.2))
