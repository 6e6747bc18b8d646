"""The exponent of a power law among whole numbers, by maximum likelihood (Clauset, Shalizi, Newman 2009).

The law is that of a real power law rounded down: from x_min on,

    P(X ≥ x) = (x / x_min)^(1 − α)   for whole x ≥ x_min,   P(X = x) = P(X ≥ x) − P(X ≥ x + 1),

which is how degrees and sizes come about when a real quantity is cut to a whole one. α is where the
likelihood of the values from x_min on is largest, its standard error the curvature there. x_min is the value
from which on the fitted law and the values differ least, by the largest distance of their distribution
functions (Kolmogorov and Smirnov), among values that leave at least a tenth of the sample, and `MIN_TAIL`
values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MIN_TAIL = 20
_CANDIDATES = 60
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


def fit_power_law(values: ArrayLike, *, x_min: int | None = None) -> PowerLawFit | None:
    """The power law of the values above 0, or None where they are too few or all the same.

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
    numbers = np.asarray(values).astype(np.int64)
    found, counts = np.unique(numbers[numbers > 0], return_counts=True)
    total = int(counts.sum())
    if total < MIN_TAIL or len(found) < 3:
        return None
    above = total - np.r_[0, np.cumsum(counts)[:-1]]
    if x_min is None:
        enough = found[above >= max(MIN_TAIL, total / 10)]
        steps = np.unique(np.linspace(0, len(enough) - 1, min(len(enough), _CANDIDATES)).astype(int))
        fits = [fit for place in steps if (fit := _fit(found, counts, int(enough[place])))]
        return min(fits, key=lambda fit: fit.distance) if fits else None
    return _fit(found, counts, x_min)


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

    low, high = 1.01, 8.0
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
