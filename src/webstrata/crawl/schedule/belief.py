r"""What is believed about change rates, and when a page is worth a visit if its rate is not known.

A visit tells that a page changed since the visit before, τ days ago, or that it did not. All that is kept
of a page's visits are 36 bytes at most: the days u of all intervals without a change, and how many
intervals with a change there were in each of `BINS` classes of length. A rate λ_k of the grid `RATES` has
the likelihood::

    L_k = exp(−λ_k·u) · Π_b (1 − exp(−λ_k·τ_b))^(n_b)

with τ_b the middle of class b on a logarithmic scale. The share w_k of pages with each rate is estimated
from all pages (empirical Bayes: expectation maximization over w), then for each group of pages (its host)
with the weight of `STRENGTH` pages from the whole, so that a page never seen twice borrows from its
neighbours. The belief about a page is p_k ∝ w_k·L_k of its group.

What a visit is worth, τ days after the last one, is expected over the belief, and not taken at one
estimate::

    V(τ) = μ · Σ_k p_k · g(λ_k·τ) / λ_k              g(x) = 1 − (1 + x)·e^(−x)

A page is due when V reaches ν, and ν is such that all pages together spend the budget. With one rate per
page this is the plan of `webstrata.crawl.schedule.optimum`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from webstrata.crawl.schedule.optimum import gain

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]
    Singles = npt.NDArray[np.float32]
    Integers = npt.NDArray[np.int64]

RATES: Numbers = np.geomspace(1e-3, 100, 31)
"""Changes per day that are considered."""
BINS = 8
EDGES: Numbers = 2.0 ** np.array([-7.0, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0])
"""Ends of all classes of intervals but the last, in days: 11 minutes to 32 days, in steps of four."""
MIDDLES: Numbers = 2.0 ** np.array([-8.0, -6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0])
STRENGTH = 8.0
INTERVALS: Numbers = np.geomspace(1 / 1440, 400, 96)
"""Days between two visits that are considered, a minute to 400 days."""
_SAMPLE = 20_000
_BLOCK = 1 << 15
_LOG_CHANGED: Numbers = np.log(-np.expm1(-np.outer(MIDDLES, RATES)))
_WORTH = (gain(np.outer(RATES, INTERVALS)) / RATES[:, None]).astype(np.float32)


def class_of(intervals: npt.ArrayLike) -> Integers:
    """The class of each interval with a change.

    Examples
    --------
    >>> class_of([0.001, 1.0, 90.0]).tolist()
    [0, 4, 7]
    """
    return np.searchsorted(EDGES, np.asarray(intervals, np.float64), side="right")


def likelihood(unchanged: npt.NDArray[np.floating], changes: npt.NDArray[np.uint8]) -> Numbers:
    """Of each page and each rate, the likelihood, 1 for the best rate.

    Examples
    --------
    >>> found = likelihood(np.array([10.0]), np.zeros((1, BINS), np.uint8))  # ten days without a change
    >>> found[0, [0, 15, 30]].round(3).tolist()  # once in 1000 days, once in three days, 100 times a day
    [1.0, 0.043, 0.0]
    """
    logs = changes.astype(np.float64) @ _LOG_CHANGED - unchanged.astype(np.float64)[:, None] * RATES
    logs -= logs.max(axis=1, keepdims=True)
    return cast("Numbers", np.exp(logs))


def estimate_shares(
    unchanged: npt.NDArray[np.floating],
    changes: npt.NDArray[np.uint8],
    groups: npt.NDArray[np.integer],
    *,
    rounds: int = 30,
) -> Numbers:
    """The share of pages with each rate: a row per group, and a last one for groups without pages.

    Examples
    --------
    >>> unchanged = np.array([30.0] * 50 + [0.0] * 50)
    >>> changes = np.zeros((100, BINS), np.uint8)
    >>> changes[50:, 4] = 30  # changed on each of thirty daily visits
    >>> shares = estimate_shares(unchanged, changes, np.repeat([0, 1], 50))
    >>> (shares @ (RATES > 0.5)).round(1).tolist()
    [0.1, 0.9, 0.5]
    """
    informed = np.flatnonzero((unchanged > 0) | changes.any(axis=1))
    if len(informed) > _SAMPLE:
        informed = informed[:: len(informed) // _SAMPLE]
    whole = np.full(len(RATES), 1 / len(RATES))
    group = np.asarray(groups, np.int64)
    number = int(group.max(initial=-1)) + 1
    if not len(informed):
        return np.tile(whole, (number + 1, 1))
    own = likelihood(unchanged[informed], changes[informed])
    for _ in range(rounds):
        posterior = own * whole
        posterior /= posterior.sum(axis=1, keepdims=True)
        # a few pages' worth of doubt: no rate is ever ruled out
        whole = posterior.sum(axis=0) + 2 / len(RATES)
        whole /= whole.sum()
    of = group[informed]
    found = np.tile(whole, (number + 1, 1))
    for _ in range(3):
        posterior = own * found[of]
        posterior /= posterior.sum(axis=1, keepdims=True)
        sums = np.stack(
            [np.bincount(of, weights=column, minlength=number + 1) for column in posterior.T], axis=1
        )
        found = sums + STRENGTH * whole
        found /= found.sum(axis=1, keepdims=True)
    return cast("Numbers", found)


def worth(
    unchanged: npt.NDArray[np.floating],
    changes: npt.NDArray[np.uint8],
    groups: npt.NDArray[np.integer],
    shares: Numbers,
) -> tuple[Singles, Numbers]:
    """V of each page at each of `INTERVALS` for importance 1, and the mean of its rate.

    Examples
    --------
    >>> sure = np.eye(len(RATES))[[18]]  # one change a day
    >>> values, means = worth(np.zeros(1), np.zeros((1, BINS), np.uint8), np.zeros(1, int), sure)
    >>> values.shape, means.round(2).tolist()
    ((1, 96), [1.0])
    """
    values = np.empty((len(unchanged), len(INTERVALS)), np.float32)
    means = np.empty(len(unchanged))
    for start in range(0, len(unchanged), _BLOCK):
        rows = slice(start, start + _BLOCK)
        belief = (
            likelihood(unchanged[rows], changes[rows]) * shares[np.asarray(groups)[rows].astype(np.int64)]
        )
        belief /= belief.sum(axis=1, keepdims=True)
        values[rows] = belief.astype(np.float32) @ _WORTH
        means[rows] = belief @ RATES
    return values, means


def due_intervals(values: Singles, importance: npt.NDArray[np.floating], threshold: float) -> Numbers:
    """Days after which V reaches the threshold; infinite where it never does.

    Examples
    --------
    >>> values, _ = worth(np.zeros(1), np.array([[0] * 7 + [9]], np.uint8), np.zeros(1, int),
    ...                   np.eye(len(RATES))[[18]])
    >>> float(due_intervals(values, np.ones(1), 0.264 / RATES[18])[0] * RATES[18])  # g(1) = 0.264
    0.99...
    """
    with np.errstate(divide="ignore"):
        wanted = (threshold / np.asarray(importance, np.float64)).astype(np.float32)
    place = (values < wanted[:, None]).sum(axis=1)
    inside = np.clip(place, 1, len(INTERVALS) - 1)
    rows = np.arange(len(values))
    low, high = values[rows, inside - 1].astype(np.float64), values[rows, inside].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        # V grows like a power of the interval between two points of the grid
        part = (np.log(wanted) - np.log(low)) / (np.log(high) - np.log(low))
    logs = np.log(INTERVALS)
    found = np.exp(
        logs[inside - 1] + np.clip(np.nan_to_num(part, nan=1.0), 0, 1) * (logs[inside] - logs[inside - 1])
    )
    found[place == 0] = INTERVALS[0]
    found[place == len(INTERVALS)] = np.inf
    return cast("Numbers", found)


def find_threshold(
    values: Singles, importance: npt.NDArray[np.floating], budget: float, *, max_interval: float = np.inf
) -> float:
    """The ν at which visits of all pages, each when it is due, spend the budget per day.

    Examples
    --------
    >>> sure = np.eye(len(RATES))[[18]]  # one change a day
    >>> values, _ = worth(np.zeros(9), np.zeros((9, BINS), np.uint8), np.zeros(9, int), sure)
    >>> threshold = find_threshold(values, np.ones(9), budget=18)
    >>> due_intervals(values[:1], np.ones(1), threshold).round(2).tolist()
    [0.5]
    """
    if len(values) > 4 * _SAMPLE:
        step = len(values) // _SAMPLE
        values, importance, budget = (
            values[::step],
            importance[::step],
            budget * len(values[::step]) / len(values),
        )
    top = float((values[:, -1] * importance).max(initial=1e-9))
    low, high = np.log(top) - 40, np.log(top) + 1
    for _ in range(40):
        middle = (low + high) / 2
        intervals = np.minimum(due_intervals(values, importance, float(np.exp(middle))), max_interval)
        if (1 / intervals).sum() > budget:
            low = middle
        else:
            high = middle
    return float(np.exp((low + high) / 2))
