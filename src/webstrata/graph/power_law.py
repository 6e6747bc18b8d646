"""The exponent of a power law among whole numbers, by maximum likelihood (Clauset, Shalizi, Newman 2009).

The law is that of a real power law rounded down: from x_min on,

    P(X ≥ x) = (x / x_min)^(1 − α)   for whole x ≥ x_min,   P(X = x) = P(X ≥ x) − P(X ≥ x + 1),

which is how degrees and sizes come about when a real quantity is cut to a whole one. α is where the
likelihood of the values from x_min on is largest, its standard error the curvature there. x_min is the value
from which on the fitted law and the values differ least, by the largest distance of their distribution
functions (Kolmogorov and Smirnov), among values that leave at least a tenth of the sample, and `MIN_TAIL`
values.

**No fit.** α is looked for between `BOUNDS`. Where the law that fits best has its largest likelihood at a
bound, the tail does not follow a power law in this range: there is no fit, and the reason is given.

**Alternative.** A power law that fits is not yet the best law. It is compared with a lognormal law that is
cut below x_min and rounded down in the same way, P(X ≥ x) = Q((ln x − μ) / σ) / Q((ln x_min − μ) / σ) with
Q the upper tail of the normal law. R is the sum of the differences of log-likelihoods; its p-value is that
of Vuong (1989), p = erfc(|R| / √(2 n v)), for n values whose differences have variance v. R < 0 with a
small p says that the lognormal law fits better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.caveats import warn_few

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MIN_TAIL = 20
FEW = 100
"""Below so many values an exponent is doubtful, and laws cannot be told apart (Clauset, Shalizi, Newman)."""
BOUNDS = 1.01, 8.0
"""Between which the exponent is looked for."""
DECIDED = 0.1
"""A p-value below which two laws are taken to be told apart."""
_CANDIDATES = 60
_AT_BOUND = 1e-3
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class PowerLawFit:
    """A power law fitted to whole numbers."""

    exponent: float
    standard_error: float
    x_min: int
    """The law is fitted to the values from here on."""
    num_values: int
    """Values from `x_min` on."""
    distance: float
    """Largest difference between the two distribution functions."""
    scale: float
    """Where the fitted law would reach the whole sample: P(X ≥ scale) = 1."""
    lognormal_ratio: float | None = None
    """R, log-likelihood of the power law less that of the lognormal law; None where it was not compared."""
    lognormal_p: float | None = None
    """The p-value of R: small if the two laws can be told apart."""

    @property
    def warnings(self) -> list[str]:
        """Why the exponent should not be relied on.

        Examples
        --------
        >>> PowerLawFit(2.5, 0.1, 3, 40, 0.05, 3.0).warnings
        ['computed from 40 values, fewer than 100: the exponent is doubtful']
        """
        found = warn_few(self.num_values, FEW, "value", "the exponent is doubtful")
        ratio, p_value = self.lognormal_ratio, self.lognormal_p
        if ratio is not None and p_value is not None and ratio < 0 and p_value < DECIDED:
            found.append(f"a lognormal law fits better (p = {p_value:.2g})")
        return found


@dataclass(frozen=True)
class PowerLawSearch:
    """A power law, or why there is none."""

    fit: PowerLawFit | None
    reason: str = ""
    """Why there is no fit; empty where there is one."""


def fit_power_law(values: ArrayLike, *, x_min: int | None = None) -> PowerLawFit | None:
    """The power law of the values above 0, or None where `search_power_law` finds none.

    Parameters
    ----------
    values
        Whole numbers.
    x_min
        Fit from here on; else the place where the law fits best is looked for.

    Examples
    --------
    >>> places = (np.arange(10_000) + 0.5) / 10_000
    >>> degrees = (3 * places ** (-1 / 1.5)).astype(int)  # exponent 2.5, from 3 on
    >>> fit = fit_power_law(degrees)
    >>> round(fit.exponent, 1), round(fit.scale, 1)
    (2.5, 3.0)
    """
    return search_power_law(values, x_min=x_min).fit


def search_power_law(values: ArrayLike, *, x_min: int | None = None, compare: bool = False) -> PowerLawSearch:
    """The power law of the values above 0, or the reason why none is fitted.

    Parameters
    ----------
    values
        Whole numbers.
    x_min
        Fit from here on; else the place where the law fits best is looked for.
    compare
        Whether the law is compared with a lognormal one.

    Examples
    --------
    >>> search_power_law([1, 2, 3]).reason
    'there are 3 values above 0, and it takes 20'
    >>> search_power_law(np.arange(900, 1000), x_min=900).reason
    'from 900 on, where it would fit best, the exponent is at the bound of its search, 8'
    """
    numbers = np.asarray(values).astype(np.int64)
    found, counts = np.unique(numbers[numbers > 0], return_counts=True)
    total = int(counts.sum())
    if total < MIN_TAIL:
        return PowerLawSearch(None, f"there are {total} values above 0, and it takes {MIN_TAIL}")
    if len(found) < 3:
        return PowerLawSearch(None, f"there are {len(found)} different values, and it takes 3")
    if x_min is None:
        above = total - np.r_[0, np.cumsum(counts)[:-1]]
        enough = found[above >= max(MIN_TAIL, total / 10)]
        steps = np.unique(np.linspace(0, len(enough) - 1, min(len(enough), _CANDIDATES)).astype(int))
        starts = [int(enough[place]) for place in steps]
    else:
        starts = [x_min]
    fits = [fit for start in starts if (fit := _fit(found, counts, start))]
    if not fits:
        return PowerLawSearch(None, f"fewer than {MIN_TAIL} values, or 3 different ones, make up the tail")
    best = min(fits, key=lambda fit: fit.distance)
    if (bound := _bound(best)) is not None:
        reason = f"from {best.x_min} on, where it would fit best, the exponent is at the bound of its search"
        return PowerLawSearch(None, f"{reason}, {bound:g}")
    return PowerLawSearch(_compare(best, found, counts) if compare else best)


def _bound(fit: PowerLawFit) -> float | None:
    """The bound that an exponent lies at, if it lies at one."""
    return next((bound for bound in BOUNDS if abs(fit.exponent - bound) < _AT_BOUND), None)


def _compare(fit: PowerLawFit, found: NDArray[np.int64], counts: NDArray[np.int64]) -> PowerLawFit:
    """The same fit, with the likelihood ratio to the best lognormal law."""
    from scipy.optimize import minimize  # takes half a second to import
    from scipy.special import log_ndtr

    is_tail = found >= fit.x_min
    x, weight = found[is_tail].astype(float), counts[is_tail]
    logs = np.log(x / fit.x_min), np.log((x + 1) / fit.x_min)

    def lognormal(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        mean, spread = parameters[0], math.exp(parameters[1])
        below, above = (log_ndtr(-(log - mean) / spread) for log in logs)
        # log of the difference of two tails, given as logs
        with np.errstate(divide="ignore", invalid="ignore"):
            step = below + np.log(-np.expm1(np.minimum(above - below, 0)))
        found: NDArray[np.float64] = np.maximum(step - log_ndtr(mean / spread), -1e3)
        return found

    begin = np.array([np.average(logs[0], weights=weight), math.log(max(_spread(logs[0], weight), 0.1))])
    best = minimize(lambda parameters: -float(weight @ lognormal(parameters)), begin, method="Nelder-Mead")
    step = np.log(-np.expm1((1 - fit.exponent) * (logs[1] - logs[0])))
    differences = (1 - fit.exponent) * logs[0] + step - lognormal(best.x)
    ratio = float(weight @ differences)
    number = int(weight.sum())
    variance = float(np.average((differences - ratio / number) ** 2, weights=weight))
    p_value = math.erfc(abs(ratio) / math.sqrt(2 * number * variance)) if variance > 0 else 1.0
    return replace(fit, lognormal_ratio=ratio, lognormal_p=p_value)


def _spread(values: NDArray[np.float64], weight: NDArray[np.int64]) -> float:
    mean = np.average(values, weights=weight)
    return math.sqrt(float(np.average((values - mean) ** 2, weights=weight)))


def _fit(found: NDArray[np.int64], counts: NDArray[np.int64], x_min: int) -> PowerLawFit | None:
    is_tail = found >= x_min
    x, weight = found[is_tail] / x_min, counts[is_tail]
    number = int(weight.sum())
    if number < MIN_TAIL or len(x) < 3:
        return None
    below, above = np.log(x), np.log(x + 1 / x_min)

    def log_likelihood(exponent: float) -> float:
        # log of x^(1−α) − (x + 1/x_min)^(1−α), without losing digits
        step = np.log(-np.expm1((1 - exponent) * (above - below)))
        return float(np.sum(weight * ((1 - exponent) * below + step)))

    low, high = BOUNDS
    while high - low > 1e-6:
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (left, high) if log_likelihood(left) < log_likelihood(right) else (low, right)
    exponent = (low + high) / 2
    step = 1e-3
    curvature = (
        log_likelihood(exponent + step) - 2 * log_likelihood(exponent) + log_likelihood(exponent - step)
    ) / step**2
    distance = np.max(np.abs(1 - np.exp((1 - exponent) * above) - np.cumsum(weight) / number))
    total = int(counts.sum())
    return PowerLawFit(
        exponent=exponent,
        standard_error=(-curvature) ** -0.5 if curvature < 0 else math.inf,
        x_min=x_min,
        num_values=number,
        distance=float(distance),
        scale=x_min * (number / total) ** (1 / (exponent - 1)),
    )
