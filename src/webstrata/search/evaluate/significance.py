"""Whether one way is better than another on the same queries, or only looks so.

Two tests on the differences of each query: Student's t-test for pairs, and the randomization test of Fisher,
which asks how often a mean difference at least as large comes about when the sign of each is drawn. How large
the difference may be is told by the percentile bootstrap: queries are drawn with replacement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    import numpy.typing as npt

DRAWS = 10_000


class RunComparison(NamedTuple):
    """A mean difference, and how likely it is that it means nothing."""

    difference: float
    t_test: float
    randomization: float


def compare(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> RunComparison:
    """The comparison of two series of figures, query by query; both tests are two-sided.

    Examples
    --------
    >>> compare([0.9, 0.8, 0.7, 0.9, 0.8], [0.5, 0.5, 0.5, 0.4, 0.5])
    RunComparison(difference=0.3..., t_test=0.00..., randomization=0.0...)
    >>> compare([1, 1], [1, 1])
    RunComparison(difference=0.0, t_test=1.0, randomization=1.0)
    """
    one, other = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise ValueError(f"theirs: expected one figure for each of {one.shape}, got {other.shape}")
    apart = one - other
    if not len(apart) or not apart.any():
        return RunComparison(0.0, 1.0, 1.0)
    # all alike: nothing varies, and the t-test has nothing to divide by
    spread = len(apart) > 1 and not np.allclose(apart, apart[0])
    t_test = float(stats.ttest_rel(one, other).pvalue) if spread else float(2.0 ** (1 - len(apart)))
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), (draws, len(apart)))
    as_large = np.abs(signs @ apart) >= abs(apart.sum()) - 1e-12
    # what was seen is one of the draws, so that no probability is 0
    return RunComparison(float(apart.mean()), t_test, float((as_large.sum() + 1) / (draws + 1)))


class MeanInterval(NamedTuple):
    """A mean, and the bounds between which it lies with a stated confidence."""

    mean: float
    low: float
    high: float


def bootstrap(
    differences: npt.ArrayLike, *, confidence: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> MeanInterval:
    """The mean of differences, query by query, with its percentile bootstrap interval.

    Examples
    --------
    >>> bootstrap([0.0, 0.5, 0.5, 1.0, 0.0, 0.5])
    MeanInterval(mean=0.416..., low=0.16..., high=0.6...)
    >>> bootstrap([])
    Traceback (most recent call last):
    ValueError: differences: expected at least one, got none
    """
    given = np.asarray(differences, np.float64)
    if not len(given):
        raise ValueError("differences: expected at least one, got none")
    random = np.random.default_rng(seed)
    means = np.array([given[random.integers(0, len(given), len(given))].mean() for _ in range(draws)])
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return MeanInterval(float(given.mean()), float(low), float(high))
