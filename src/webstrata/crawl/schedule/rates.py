r"""How often pages change, estimated from visits that found them changed or not.

A visit tells whether a page changed since the visit before, τ days ago, and not how often. If changes are a
Poisson process of rate λ per day, a page has changed with probability 1 − e^(−λτ). The log-likelihood is::

    ℓ(λ) = Σ_changed ln(1 − e^(−λτ)) − λ·Σ_unchanged τ

It is concave; the maximum solves Σ_changed τ/(e^(λτ) − 1) = Σ_unchanged τ. Pages have few visits, and a page
that changed on every visit, or never, has no maximum. Each page therefore has a prior of one changed and one
unchanged interval of length t, which alone has its maximum at λ = ln 2 / t. t is chosen so that this is the
rate of the page's *group*. Groups are nested, for instance directory, host, collection: the rate of a group
is the maximum over all visits of its pages with a prior from the group around it, and that of the outermost
group has a prior of half the median interval. A page never visited twice has the rate of its group.

Intervals contain the λ with 2·(ℓ(λ̂) − ℓ(λ)) ≤ 3.84: 95% by the likelihood ratio, prior included. All rates
are within 5·10⁻⁴ and 100 per day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from webstrata.collection.tables import Table
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

SLOWEST, FASTEST = 5e-4, 100.0
"""Bounds of rates, in changes per day."""
_CHI_SQUARE = 3.841458820694124
"""95% quantile of the chi-square distribution with one degree of freedom."""


@dataclass(frozen=True, repr=False)
class ChangeRates(Table):
    """Estimated change rates, one per page, in changes per day."""

    rates: Numbers
    low: Numbers
    """Lower ends of the 95% intervals."""
    high: Numbers
    """Upper ends."""
    visits: Integers
    """Intervals between two visits that each estimate is based on; 0: the rate of the group."""
    changes: Integers
    """How many of them ended with a changed page."""
    groups: tuple[Numbers, ...]
    """Rates of the groups, innermost first; the last one has the rate of the whole."""

    def __len__(self) -> int:
        return len(self.rates)

    def to_arrow(self) -> pa.Table:
        """One row per page."""
        import pyarrow as pa

        columns = ("rates", "low", "high", "visits", "changes")
        return pa.table({name: getattr(self, name) for name in columns})


def estimate_rates(
    pages: npt.ArrayLike,
    intervals: npt.ArrayLike,
    changed: npt.ArrayLike,
    *,
    num_pages: int | None = None,
    groups: Sequence[npt.ArrayLike] = (),
) -> ChangeRates:
    """The change rate of each page, from what visits found.

    Parameters
    ----------
    pages
        Number of the page of each observation, from 0.
    intervals
        Days since the visit before.
    changed
        Whether the page had changed.
    num_pages
        How many pages there are, those without an observation included; default: up to the last one seen.
    groups
        For each level, innermost first (directory, then host), the number of the group of each page.

    Examples
    --------
    A page that had changed on one of three daily visits, one that never had, and one that was visited once:

    >>> found = estimate_rates([0, 0, 0, 1, 1], [1] * 5, [True, False, False, False, False], num_pages=3)
    >>> found.rates.round(2), found.visits
    (array([0.39, 0.22, 0.38]), array([3, 2, 0]))
    """
    page = np.asarray(pages, np.int64)
    tau = np.asarray(intervals, np.float64)
    seen = np.asarray(changed, np.bool_)
    number = int(page.max(initial=-1)) + 1 if num_pages is None else num_pages
    if not page.shape == tau.shape == seen.shape or page.ndim != 1:
        raise UsageError("pages, intervals and changed must have one entry per observation")
    if len(page) and (page.min() < 0 or page.max() >= number):
        raise UsageError(f"page numbers must be from 0 to {number - 1}, one per page")
    if not np.all(np.isfinite(tau)) or np.any(tau <= 0):
        raise UsageError("intervals must be days above 0")

    levels = [np.asarray(group, np.int64) for group in groups]
    if any(level.shape != (number,) or level.min(initial=0) < 0 for level in levels):
        raise UsageError(f"each level of groups must have {number} group numbers from 0, one per page")
    levels.append(np.zeros(number, np.int64))
    prior = np.log(2) / (np.median(tau) / 2) if len(tau) else 1.0
    outer = np.array([np.clip(prior, SLOWEST, FASTEST)])
    outer_of = np.zeros(number, np.int64)
    rates_of_groups: list[Numbers] = []
    for level in reversed(levels):
        size = int(level.max(initial=-1)) + 1
        around = np.empty(size)
        around[level] = outer[outer_of]
        outer = _maximize(level[page], tau, seen, around)
        outer_of = level
        rates_of_groups.insert(0, outer)
    around = outer[outer_of]
    rates = _maximize(page, tau, seen, around)
    low, high = _likelihood_interval(page, tau, seen, around, rates)
    visits = np.bincount(page, minlength=number)
    changes = np.bincount(page, weights=seen, minlength=number).astype(np.int64)
    return ChangeRates(rates, low, high, visits, changes, tuple(rates_of_groups))


def _slope(
    unit: Integers, tau: Numbers, seen: npt.NDArray[np.bool_], prior: Numbers, rates: Numbers
) -> Numbers:
    """ℓ′(λ) of each unit, with its prior of one changed and one unchanged interval of ln 2 / prior."""
    with np.errstate(over="ignore"):
        terms = np.where(seen, tau / np.expm1(rates[unit] * tau), -tau)
        length = np.log(2) / prior
        own: Numbers = length / np.expm1(rates * length) - length
    return own + np.bincount(unit, weights=terms, minlength=len(rates))


def _maximize(unit: Integers, tau: Numbers, seen: npt.NDArray[np.bool_], prior: Numbers) -> Numbers:
    """The λ of each unit with the greatest likelihood, by bisection of its logarithm."""
    low = np.full(len(prior), np.log(SLOWEST))
    high = np.full(len(prior), np.log(FASTEST))
    for _ in range(50):
        middle = (low + high) / 2
        rises = _slope(unit, tau, seen, prior, np.exp(middle)) > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return cast("Numbers", np.exp((low + high) / 2))


def _likelihood(
    unit: Integers, tau: Numbers, seen: npt.NDArray[np.bool_], prior: Numbers, rates: Numbers
) -> Numbers:
    """ℓ(λ) of each unit, prior included."""
    terms = np.where(seen, np.log(-np.expm1(-rates[unit] * tau)), -rates[unit] * tau)
    length = np.log(2) / prior
    own: Numbers = np.log(-np.expm1(-rates * length)) - rates * length
    return own + np.bincount(unit, weights=terms, minlength=len(rates))


def _likelihood_interval(
    unit: Integers, tau: Numbers, seen: npt.NDArray[np.bool_], prior: Numbers, rates: Numbers
) -> tuple[Numbers, Numbers]:
    """The ends of the interval of λ whose likelihood is near that of the maximum."""
    best = _likelihood(unit, tau, seen, prior, rates)
    ends = []
    for bound in (SLOWEST, FASTEST):
        inside, outside = np.log(rates), np.full(len(rates), np.log(bound))
        for _ in range(50):
            middle = (inside + outside) / 2
            near = 2 * (best - _likelihood(unit, tau, seen, prior, np.exp(middle))) <= _CHI_SQUARE
            inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
        ends.append(np.exp(inside))
    return ends[0], ends[1]
