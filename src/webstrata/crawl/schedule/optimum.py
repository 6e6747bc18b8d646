r"""How often each page should be visited, if change rates are known.

A page i has a change rate λ (Poisson, per day), an importance μ ≥ 0 and a visit frequency f (per day).
It is *fresh* while its content has not changed since the last visit; its *age* is the time since the first
change that no visit has seen, 0 while it is fresh. With evenly spaced visits and x = λ/f::

    freshness  F(f) = (1 − e^(−x)) / x
    age        A(f) = (1/f) · (1/2 − 1/x + (1 − e^(−x)) / x²)

A plan maximizes Σ μ·F (or minimizes Σ μ·A) subject to Σ f = B, the budget. At the optimum every visited page
has the same *crawl value* ν at the moment of its visit, so that one number decides for all pages::

    freshness  V(τ) = (μ/λ) · g(λτ)              g(x) = 1 − (1 + x)·e^(−x)
    age        V(τ) = (μ/λ²) · h(λτ)             h(x) = x²/2 − g(x)

Hence f = λ / g⁻¹(νλ/μ), and f = 0 where νλ/μ ≥ 1: a page that changes too fast for its importance is not
worth a visit (Cho and Garcia-Molina, "Effective page refresh policies for web crawlers", TODS 2003). h has no
upper bound, so age starves no page. Two further objectives assume visits at random times (Poisson, rate ρ)::

    poisson    F(ρ) = ρ/(ρ + λ)                  ρ = √(μλ/ν) − λ, or 0             (Azar et al., PNAS 2018)
    harmonic   penalty μ·ln(1 + λ/ρ)             ρ = (−λ + √(λ² + 4μλ/ν)) / 2      (LambdaCrawl, NeurIPS 2019)

ν is found by root finding on Σ f(ν) = B. The sum is monotone in ν. Pages with nearly equal λ/μ (λ²/μ for age)
share a bin in this search, so that its cost does not depend on their number; the frequencies themselves are
computed page by page, and scaled to the budget by a factor that differs from 1 by about 10⁻⁹.

Limits per host (politeness): a host gets min(limit, Σ f(ν)) visits; inside a host at its limit a larger
threshold of its own decides. A longest interval gives every page at least 1/max_interval visits; the rest of
the budget is distributed as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from scipy.optimize import brentq

from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]
    Objective = Literal["freshness", "age", "poisson", "harmonic"]

OBJECTIVES: tuple[Objective, ...] = ("freshness", "age", "poisson", "harmonic")
_BLOCK = 1 << 16
"""Pages computed at a time, so that intermediate arrays stay in the processor's cache."""
_BINS_PER_UNIT = 4096
"""Bins per unit of ln(λ/μ)."""
_SMALL = 1e-2
"""Below this, g and h are computed by their series: their closed forms lose digits there."""


def gain(x: Numbers) -> Numbers:
    """g(x) = 1 − (1 + x)·e^(−x), without loss of digits near 0.

    Examples
    --------
    >>> gain(np.array([0.0, 1e-6, 1.0, 50.0]))
    array([0.00000000e+00, 4.99999667e-13, 2.64241118e-01, 1.00000000e+00])
    """
    series = x * x * (1 / 2 - x * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x * (1 / 144 - x / 840)))))
    return cast("Numbers", np.where(x < _SMALL, series, -np.expm1(-x) - x * np.exp(-x)))


def age_gain(x: Numbers) -> Numbers:
    """h(x) = x²/2 − g(x), without loss of digits near 0.

    Examples
    --------
    >>> age_gain(np.array([0.0, 1e-3, 1.0, 50.0]))
    array([0.00000000e+00, 3.33208367e-10, 2.35758882e-01, 1.24900000e+03])
    """
    series = x**3 * (1 / 3 - x * (1 / 8 - x * (1 / 30 - x * (1 / 144 - x * (1 / 840 - x / 5760)))))
    return cast("Numbers", np.where(x < 0.1, series, x * x / 2 - gain(x)))


def _invert_gain(y: Numbers) -> Numbers:
    """The x with g(x) = y; infinite where y ≥ 1."""
    x = np.full(len(y), np.inf)
    inside = y < 1
    wanted = y[inside]
    # both ends of g: x ≈ √(2y)·(1 + √(2y)/3) near 0, and x ≈ −ln(1 − y) + ln(1 − ln(1 − y)) near 1
    root = np.sqrt(2 * wanted)
    rest = -np.log1p(-wanted)
    guess = np.where(wanted < 0.6, root * (1 + root / 3 + root * root / 8), rest + np.log1p(rest) + 0.5)
    for _ in range(6):
        # Halley's method: g′ = x·e^(−x), g″/g′ = 1/x − 1
        step = (gain(guess) - wanted) / (guess * np.exp(-guess) + 1e-300)
        guess = np.maximum(guess - step / (1 - step * (1 / np.maximum(guess, 1e-300) - 1) / 2), guess / 4)
    x[inside] = guess
    return x


def _invert_age_gain(y: Numbers) -> Numbers:
    """The x with h(x) = y."""
    x = np.where(y < 1, np.cbrt(3 * y) * (1 + np.cbrt(3 * y) / 8), np.sqrt(2 * (y + 1)))
    for _ in range(6):
        # h′ = x·(1 − e^(−x))
        x = np.maximum(x - (age_gain(x) - y) / (x * -np.expm1(-x) + 1e-300), x / 4)
    return x


def crawl_value(elapsed: npt.ArrayLike, rates: npt.ArrayLike, importance: npt.ArrayLike = 1.0) -> Numbers:
    """V(τ) = (μ/λ)·g(λτ): what a visit is worth, τ days after the last one.

    It is 0 right after a visit and for a page that never changes, and grows towards μ/λ.

    Examples
    --------
    >>> crawl_value([0, 1, 10], 1.0).round(3)
    array([0.   , 0.264, 1.   ])
    """
    tau, rate, weight = np.broadcast_arrays(
        *(np.asarray(value, np.float64) for value in (elapsed, rates, importance))
    )
    changing = np.maximum(rate, 1e-300)
    return np.where(rate > 0, weight / changing * gain(changing * tau), 0.0)


def expected_freshness(rates: npt.ArrayLike, frequencies: npt.ArrayLike) -> Numbers:
    """F(f) = (f/λ)(1 − e^(−λ/f)): the share of time that pages are fresh, with evenly spaced visits.

    A page that never changes is always fresh; one that is never visited and changes is never fresh.

    Examples
    --------
    >>> expected_freshness([1.0, 1.0, 0.0], [1.0, 0.0, 0.0]).round(3)
    array([0.632, 0.   , 1.   ])
    """
    rate, frequency = np.broadcast_arrays(np.asarray(rates, np.float64), np.asarray(frequencies, np.float64))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = rate / frequency
        fresh = -np.expm1(-x) / x
    return np.where(rate == 0, 1.0, np.where(frequency == 0, 0.0, fresh))


def expected_age(rates: npt.ArrayLike, frequencies: npt.ArrayLike) -> Numbers:
    """A(f): the mean age of pages in days, with evenly spaced visits; infinite for pages never visited.

    Examples
    --------
    >>> expected_age([1.0, 1.0, 0.0], [1.0, 0.0, 0.0]).round(3)
    array([0.132,   inf, 0.   ])
    """
    rate, frequency = np.broadcast_arrays(np.asarray(rates, np.float64), np.asarray(frequencies, np.float64))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = rate / frequency
        series = x * (1 / 6 - x * (1 / 24 - x * (1 / 120 - x * (1 / 720 - x * (1 / 5040 - x / 40320)))))
        age = np.where(x < 0.1, series, 1 / 2 - 1 / x - np.expm1(-x) / (x * x)) / frequency
    return np.where(rate == 0, 0.0, np.where(frequency == 0, np.inf, age))


def plan(
    rates: npt.ArrayLike,
    importance: npt.ArrayLike | None = None,
    budget: float = 1.0,
    *,
    objective: Objective = "freshness",
    hosts: npt.ArrayLike | None = None,
    host_limits: npt.ArrayLike | None = None,
    max_interval: float | None = None,
) -> Numbers:
    """The optimal visit frequency of each page, in visits per day; they add up to the budget.

    Parameters
    ----------
    rates
        Changes per day of each page, 0 or more. A page that never changes gets no visits beyond
        `max_interval`.
    importance
        Weight of each page, 0 or more; default: 1 for all.
    budget
        Visits per day in total.
    objective
        What is optimized: ``freshness``, ``age``, ``poisson`` (freshness, with visits at random times) or
        ``harmonic`` (LambdaCrawl's penalty, which starves no page).
    hosts
        Number of the host of each page, from 0.
    host_limits
        Visits per day that each host allows.
    max_interval
        Longest number of days between two visits of any page.

    Examples
    --------
    Five pages that change once to five times a day, five visits a day (Cho and Garcia-Molina):

    >>> plan([1, 2, 3, 4, 5], budget=5).round(2)
    array([1.15, 1.36, 1.35, 1.14, 0.  ])
    >>> plan([1, 2, 3, 4, 5], budget=5, objective="age").round(3)
    array([0.835, 0.968, 1.034, 1.071, 1.093])
    """
    rate, weight = _check_pages(rates, importance)
    if not np.isfinite(budget) or budget <= 0:
        raise UsageError(f"budget is {budget}; give the visits per day, a number above 0")
    if objective not in OBJECTIVES:
        raise UsageError(f"unknown objective '{objective}'; choose one of {', '.join(OBJECTIVES)}")
    least = 0.0
    if max_interval is not None:
        if not max_interval > 0:
            raise UsageError(f"max_interval is {max_interval}; give a number of days above 0")
        least = 1 / max_interval
        if least * len(rate) > budget:
            raise UsageError(
                f"one visit per page every {max_interval:g} days takes {least * len(rate):g} visits per day, "
                f"and the budget is {budget:g}; raise the budget or max_interval"
            )
    curve = _Curve(rate, weight, objective, least)
    if host_limits is None:
        return curve.scaled(budget)
    if hosts is None:
        raise UsageError("host_limits are given without hosts; give the host number of each page")
    return _plan_hosts(curve, np.asarray(hosts), np.asarray(host_limits, np.float64), budget)


def _check_pages(rates: npt.ArrayLike, importance: npt.ArrayLike | None) -> tuple[Numbers, Numbers]:
    rate = np.atleast_1d(np.asarray(rates, np.float64))
    weight = np.ones(len(rate)) if importance is None else np.asarray(importance, np.float64)
    weight = np.broadcast_to(weight, rate.shape)
    for name, values in (("rates", rate), ("importance", weight)):
        if rate.ndim != 1 or not np.all(np.isfinite(values)) or np.any(values < 0):
            raise UsageError(f"{name} must be a list of finite numbers, 0 or more, one per page")
    if not np.any((rate > 0) & (weight > 0)):
        raise UsageError("no page has a change rate and an importance above 0; there is nothing to plan")
    return rate, weight


class _Curve:
    """Frequencies as a function of the threshold ν, for all pages or in bins of equal λ/μ."""

    def __init__(self, rate: Numbers, weight: Numbers, objective: Objective, least: float = 0.0) -> None:
        self.objective = objective
        self.least = least
        self.num_pages = len(rate)
        self.visited = np.flatnonzero((rate > 0) & (weight > 0))
        self.rate = rate[self.visited]
        """λ of the pages that a plan can visit; all others get `least`."""
        self.weight = weight[self.visited]
        power = 2 if objective == "age" else 1
        self.key = self.rate**power / self.weight
        """What ν is multiplied by: a page whose product is small is visited often."""

    def at(self, threshold: float | Numbers) -> Numbers:
        """The frequencies of the visited pages at thresholds ν."""
        found = np.empty(len(self.rate))
        nu = np.broadcast_to(np.asarray(threshold, np.float64), found.shape)
        for begin in range(0, len(found), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            found[part] = _frequencies(self.rate[part], nu[part] * self.key[part], self.objective)
        return np.maximum(found, self.least)

    def full(self, frequencies: Numbers) -> Numbers:
        """The same for all pages."""
        found = np.full(self.num_pages, self.least)
        found[self.visited] = frequencies
        return found

    def scaled(self, budget: float) -> Numbers:
        """The frequencies of all pages that add up to a budget."""
        spent = self.least * (self.num_pages - len(self.visited))
        if spent >= budget:
            return self.full(np.full(len(self.visited), self.least))
        rate, key = self._bins()

        def excess(log_threshold: float) -> float:
            found = _frequencies(rate, np.exp(log_threshold) * key, self.objective)
            if self.least:
                found = np.maximum(found, self.least)
            return float(found.sum()) + spent - budget

        log_nu = _find_root(excess, key)
        frequencies = self.at(np.exp(log_nu))
        free = frequencies > self.least
        fixed = float(frequencies[~free].sum()) + spent
        scale = (budget - fixed) / max(float(frequencies[free].sum()), 1e-300)
        if abs(scale - 1) < 1e-7:
            frequencies[free] *= scale
            return self.full(np.maximum(frequencies, self.least))
        # f(ν) is too steep for floating point where a page is barely worth a visit: mix both sides of it
        fewer, more = self.at(np.exp(log_nu + 1e-9)), self.at(np.exp(log_nu - 1e-9))
        share = (budget - spent - fewer.sum()) / max(float(more.sum() - fewer.sum()), 1e-300)
        return self.full(fewer + share * (more - fewer))

    def _bins(self) -> tuple[Numbers, Numbers]:
        """Sums of λ, and means of the key, of pages whose keys are nearly equal."""
        place = np.log(self.key)
        lowest = place.min()
        bins = ((place - lowest) * _BINS_PER_UNIT).astype(np.int64)
        # poisson and harmonic are cheap in closed form, and a least frequency counts per page: no bins
        if self.objective in {"poisson", "harmonic"} or self.least or bins.max() >= len(bins):
            return self.rate, self.key
        rate = np.bincount(bins, weights=self.rate)
        mean = np.bincount(bins, weights=self.rate * place)
        kept = rate > 0
        return rate[kept].astype(np.float64), np.exp(mean[kept] / rate[kept])


def _frequencies(rate: Numbers, product: Numbers, objective: Objective) -> Numbers:
    """Frequencies of pages of rate λ whose ν·key is given."""
    if objective == "freshness":
        return rate / _invert_gain(product)
    if objective == "age":
        return rate / _invert_age_gain(product)
    # the key is λ/μ, so that μλ/ν = λ²/product
    if objective == "poisson":
        return cast("Numbers", np.maximum(rate * (1 / np.sqrt(product) - 1), 0))
    return cast("Numbers", rate * 2 / (product * (1 + np.sqrt(1 + 4 / product))))


def _find_root(excess: Callable[[float], float], key: Numbers) -> float:
    """The ln ν at which the budget is spent, from a bracket that grows until it has the root inside."""
    centre = -float(np.log(np.median(key)))
    low, high = centre - 2.0, centre + 2.0
    while excess(low) < 0:
        low -= 4
    while excess(high) > 0:
        high += 4
    return float(brentq(excess, low, high, xtol=1e-14, rtol=1e-14))


def _plan_hosts(curve: _Curve, hosts: npt.NDArray[np.int64], limits: Numbers, budget: float) -> Numbers:
    """Frequencies with an upper limit per host."""
    if len(hosts) != curve.num_pages or hosts.dtype.kind not in "iu" or hosts.min() < 0:
        raise UsageError("hosts must be host numbers from 0, one per page")
    if hosts.max() >= len(limits) or np.any(limits < 0):
        raise UsageError("host_limits must be visits per day, 0 or more, one per host")
    host = hosts[curve.visited]
    limits = limits[: hosts.max() + 1]
    idle = np.bincount(hosts, minlength=len(limits)) - np.bincount(host, minlength=len(limits))
    spent = idle * curve.least
    reachable = float(np.where(np.bincount(host, minlength=len(limits)) > 0, limits, spent).sum())
    if budget > reachable:
        raise UsageError(
            f"the hosts allow {reachable:g} visits per day together, and the budget is {budget:g}; "
            "lower the budget"
        )

    def sums(threshold: float | Numbers) -> Numbers:
        return np.bincount(host, weights=curve.at(threshold), minlength=len(limits)) + spent

    def excess(log_threshold: float) -> float:
        return float(np.minimum(sums(np.exp(log_threshold)), limits).sum()) - budget

    log_nu = _find_root(excess, curve.key)
    fewer, more = (np.minimum(sums(np.exp(log_nu + side)), limits) for side in (1e-9, -1e-9))
    share = (budget - fewer.sum()) / max(float(more.sum() - fewer.sum()), 1e-300)
    wanted = fewer + share * (more - fewer)
    # every host gets the threshold at which its pages take what it is to have, all hosts by bisection at once
    low, high = np.full(len(limits), log_nu - 1e-8), np.full(len(limits), log_nu)
    while (above := sums(np.exp(high)[host]) > wanted).any() and high.max() - log_nu < 200:
        high[above] += 2
    for _ in range(60):
        middle = (low + high) / 2
        above = sums(np.exp(middle)[host]) > wanted
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    less, more = curve.at(np.exp(high)[host]), curve.at(np.exp(low)[host])
    taken, most = (np.bincount(host, weights=each, minlength=len(limits)) + spent for each in (less, more))
    shares = np.where(most > taken, (wanted - taken) / np.maximum(most - taken, 1e-300), 0.0)
    return curve.full(less + np.clip(shares, 0, 1)[host] * (more - less))
