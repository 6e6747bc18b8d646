"""Naive Bayes in the three forms of SPAM (section 4.1): normal, kernel estimation, supervised discretization.

The log-odds of a host are the log-odds of the classes plus, for every feature it has, the logarithm of how
much likelier its value is among positives; a missing value is left out of the sum (as Weka does).

``normal``    one normal distribution a class and feature
``kernel``    a normal kernel on every value of the class, of width range / √n (John and Langley), on a grid
``discrete``  shares of intervals with Laplace smoothing; intervals by entropy, as long as the gain is above
              the price of its description (Fayyad and Irani, MDL); a feature with one interval says nothing
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import webstrata.classify.learning.extra  # noqa: F401 (says what to install, before the imports below fail)

# isort: split
import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

if TYPE_CHECKING:
    import numpy.typing as npt

FORMS = ("normal", "kernel", "discrete")
_GRID = 256
_SMALL = 1e-9


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes for numbers, some of them missing.

    Parameters
    ----------
    form
        ``normal``, ``kernel`` or ``discrete``.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, np.nan], [5.0, 1.0], [6.0, 2.0]] * 3)
    >>> y = np.array([0, 0, 1, 1] * 3)
    >>> [NaiveBayes(form).fit(X, y).predict(X[:4]).tolist() for form in FORMS]
    [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]
    """

    def __init__(self, form: str = "normal") -> None:
        self.form = form

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> NaiveBayes:
        """Learn from hosts `X`, with missing values as NaN, and their classes `y`, two of them."""
        if self.form not in FORMS:
            raise ValueError(f"form is {self.form!r}, and must be one of {', '.join(FORMS)}")
        values = np.asarray(X, np.float64)
        self.classes_, target = np.unique(np.asarray(y), return_inverse=True)
        sizes = np.bincount(target, minlength=2)
        self.constant_ = float(np.log(sizes[1] / sizes[0]))
        sides = [values[target == side] for side in (0, 1)]
        if self.form == "normal":
            self._fit_normal(sides)
        else:
            make = _kernel_table if self.form == "kernel" else _discrete_table
            found = [
                make(*(side[:, feature] for side in sides)) for feature in range(values.shape[1])
            ]  # the places of a feature, and the log-odds at or between them
            lengths = np.array([len(odds) for _, odds in found], np.int64)
            self.starts_ = np.concatenate([[0], np.cumsum(lengths)])
            self.places_ = np.concatenate([places for places, _ in found])
            self.odds_ = np.concatenate([odds for _, odds in found])
        return self

    def _fit_normal(self, sides: list[npt.NDArray[np.float64]]) -> None:
        self.means_, self.variances_ = [], []
        known = [~np.isnan(side) for side in sides]
        everything = np.vstack(sides)
        floor = _SMALL * np.maximum(_moments(everything, ~np.isnan(everything))[1].max(initial=0), _SMALL)
        for side, here in zip(sides, known, strict=True):
            mean, variance = _moments(side, here)
            self.means_.append(mean)
            self.variances_.append(np.maximum(variance, floor))
        self.said_ = known[0].any(axis=0) & known[1].any(axis=0)

    def _log_odds(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if self.form == "normal":
            terms = np.zeros(values.shape)
            for sign, mean, variance in zip((-1, 1), self.means_, self.variances_, strict=True):
                terms += sign * -0.5 * (np.log(variance) + (values - mean) ** 2 / variance)
            terms = np.where(np.isnan(values) | ~self.said_, 0, terms)
            normal: npt.NDArray[np.float64] = self.constant_ + terms.sum(axis=1)
            return normal
        total = np.full(len(values), self.constant_)
        for feature, column in enumerate(values.T):
            here = slice(self.starts_[feature], self.starts_[feature + 1])
            places, odds = self.places_[here], self.odds_[here]
            if len(odds) < 2:
                continue
            if self.form == "kernel":
                said = np.interp(column, places, odds)
            else:
                said = odds[np.searchsorted(places[:-1], np.where(np.isnan(column), 0, column), side="left")]
            total += np.where(np.isnan(column), 0, said)
        return total

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probabilities of both classes."""
        p = expit(self._log_odds(np.asarray(X, np.float64)))
        return np.stack([1 - p, p], axis=1)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The likelier class."""
        chosen: npt.NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return chosen


def _moments(
    values: npt.NDArray[np.float64], known: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    number = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0).sum(axis=0) / number
    return mean, (np.where(known, values - mean, 0) ** 2).sum(axis=0) / number


_Table = tuple["npt.NDArray[np.float64]", "npt.NDArray[np.float64]"]


def _kernel_table(negative: npt.NDArray[np.float64], positive: npt.NDArray[np.float64]) -> _Table:
    """A grid over the feature's values, and the log-odds at its points."""
    sides = [side[~np.isnan(side)] for side in (negative, positive)]
    if not len(sides[0]) or not len(sides[1]):
        return np.zeros(1), np.zeros(1)
    low, high = min(map(np.min, sides)), max(map(np.max, sides))
    if not high > low:
        return np.zeros(1), np.zeros(1)
    grid = np.linspace(low, high, _GRID)
    logs = []
    for side in sides:
        width = max((high - low) / np.sqrt(len(side)), (high - low) / _GRID)
        # the values of the class on the points of the grid, each shared by its two neighbours
        place = (side - low) / (high - low) * (_GRID - 1)
        left = np.minimum(place.astype(np.int64), _GRID - 2)
        mass = np.bincount(left, 1 - (place - left), _GRID) + np.bincount(left + 1, place - left, _GRID)
        kernel = np.exp(-0.5 * ((grid - low) / width) ** 2)
        density = np.convolve(mass, np.concatenate([kernel[:0:-1], kernel]))
        density = density[_GRID - 1 : 2 * _GRID - 1] / (len(side) * width)
        logs.append(np.log(np.maximum(density, _SMALL / width)))
    return grid, logs[1] - logs[0]


def _discrete_table(negative: npt.NDArray[np.float64], positive: npt.NDArray[np.float64]) -> _Table:
    """The upper ends of the intervals but the last, and the log-odds in each."""
    sides = [side[~np.isnan(side)] for side in (negative, positive)]
    values = np.concatenate(sides)
    target = np.repeat([0, 1], [len(side) for side in sides])
    order = np.argsort(values, kind="stable")
    cuts = mdl_cuts(values[order], target[order])
    if not len(cuts):
        return np.zeros(1), np.zeros(1)
    counts = [
        np.bincount(np.searchsorted(cuts, side, side="left"), minlength=len(cuts) + 1) for side in sides
    ]
    logs = [np.log((count + 1) / (count.sum() + len(count))) for count in counts]
    return np.append(cuts, np.inf), logs[1] - logs[0]


def mdl_cuts(values: npt.NDArray[np.float64], target: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Where Fayyad and Irani cut sorted values whose classes are 0 or 1.

    A cut of n values is taken if its gain of entropy is above (log₂(n − 1) + log₂(3ᵏ − 2) − (k·E − k₁·E₁ −
    k₂·E₂)) / n, where k are the classes in the whole and in the halves, E their entropies.

    Examples
    --------
    >>> mdl_cuts(np.arange(20.0), np.repeat([0, 1], 10)).tolist()
    [9.5]
    >>> mdl_cuts(np.arange(20.0), np.tile([0, 1], 10)).tolist()
    []
    """
    ones = np.concatenate([[0], np.cumsum(target)])
    edges = np.flatnonzero(values[1:] > values[:-1]) + 1  # where a half may begin
    found: list[float] = []
    waiting = [(0, len(values))]
    while waiting:
        start, stop = waiting.pop()
        inside = edges[np.searchsorted(edges, start, "right") : np.searchsorted(edges, stop, "left")]
        number, positive = stop - start, ones[stop] - ones[start]
        if not len(inside) or positive in (0, number):
            continue
        left, right = inside - start, stop - inside
        left_ones, right_ones = ones[inside] - ones[start], ones[stop] - ones[inside]
        left_entropy, right_entropy = _entropy(left_ones / left), _entropy(right_ones / right)
        whole = _entropy(np.array([positive / number]))[0]
        gain = whole - (left * left_entropy + right * right_entropy) / number
        best = int(np.argmax(gain))
        k1, k2 = (
            1 + (0 < some[best] < size[best]) for some, size in ((left_ones, left), (right_ones, right))
        )
        price = (
            np.log2(number - 1)
            + np.log2(3**2 - 2)
            - (2 * whole - k1 * left_entropy[best] - k2 * right_entropy[best])
        )
        if gain[best] > price / number:
            cut = int(inside[best])
            middle = values[cut - 1] + (values[cut] - values[cut - 1]) / 2
            found.append(float(middle if middle < values[cut] else values[cut - 1]))
            waiting += [(start, cut), (cut, stop)]
    return np.sort(np.array(found))


def _entropy(share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    p = np.clip(share, 1e-300, 1)
    q = np.clip(1 - share, 1e-300, 1)
    return -(p * np.log2(p) + q * np.log2(q))
