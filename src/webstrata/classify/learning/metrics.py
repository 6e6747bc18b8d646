"""How good scores are: AUC and other measures, and whether one set of scores is better than another.

AUC is the share of pairs of a positive and a negative host whose scores are in the right order; a tie counts
half. Hosts are scored in folds by models that never saw them, and only pairs within a fold are compared,
because scores of two models have no common scale::

    AUC = Σ_f n_f AUC_f / Σ_f n_f      with n_f the pairs of fold f

Its variance, and that of a difference between two sets of scores of the same hosts, is DeLong's: with
V(i) the share of negatives below positive i, and W(j) that of positives above negative j, the variance is
var(V) / positives + var(W) / negatives, of the differences of V and W for a difference; folds add up with the
squares of their weights. Significance is two-sided, by the normal distribution. The best of many is best by
chance too: p-values of m comparisons are corrected by Holm's method, the i-th smallest times m + 1 − i, and
none smaller than one before it.

A **threshold** that turns scores into decisions is chosen on scores of hosts that a model was not trained
on: the one with the largest F1, halfway between two scores. One half means nothing where scores are not
calibrated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.settings import unknown_name
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    Metric = Callable[[npt.NDArray[np.bool_], npt.NDArray[np.float64]], float]
    """From truth and scores, to a number that is larger the better."""


def auc(truth: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> float:
    """The share of pairs of a positive and a negative in the right order; a tie counts half.

    Examples
    --------
    >>> auc(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    is_positive = np.asarray(truth, bool)
    negative, positive = np.sort(scores[~is_positive]), scores[is_positive]
    if not len(negative) or not len(positive):
        raise ValueError("truth has one class only, and AUC compares two")
    # twice the negatives below, a tie counted once
    below = np.searchsorted(negative, positive, "left") + np.searchsorted(negative, positive, "right")
    return float(below.sum() / (2 * len(negative) * len(positive)))


def accuracy(truth: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> float:
    """The share of hosts on the right side of one half.

    Examples
    --------
    >>> accuracy(np.array([0, 1, 1]), np.array([0.1, 0.4, 0.8])).__round__(2)
    0.67
    """
    return float(np.mean(np.asarray(truth, bool) == (scores > 0.5)))


def f1(truth: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> float:
    """The harmonic mean of precision and recall at one half.

    Examples
    --------
    >>> f1(np.array([0, 1, 1]), np.array([0.6, 0.4, 0.8]))
    0.5
    """
    is_positive, is_called = np.asarray(truth, bool), scores > 0.5
    sizes = int(is_positive.sum() + is_called.sum())
    return float(2 * (is_positive & is_called).sum() / sizes) if sizes else 0.0


def average_precision(truth: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> float:
    """The mean of the precision at each positive, hosts with equal scores taken together.

    Examples
    --------
    >>> average_precision(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])).__round__(4)
    0.8333
    """
    order = np.argsort(-scores, kind="stable")
    right = np.asarray(truth, bool)[order]
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    found = np.cumsum(right)[last]
    return float((np.diff(np.append(0, found)) * found / (last + 1)).sum() / max(found[-1], 1))


def log_likelihood(truth: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> float:
    """The mean logarithm of the probability given to the right class.

    Examples
    --------
    >>> log_likelihood(np.array([0, 1]), np.array([0.5, 0.5])).__round__(4)
    -0.6931
    """
    p = np.clip(np.where(np.asarray(truth, bool), scores, 1 - scores), 1e-15, 1)
    return float(np.log(p).mean())


METRICS: Mapping[str, Metric] = {
    "accuracy": accuracy,
    "auc": auc,
    "average-precision": average_precision,
    "f1": f1,
    "log-likelihood": log_likelihood,
}
"""Measures by name, larger the better."""


def find_metric(name: str | Metric) -> Metric:
    """The measure of that name; a function stays what it is.

    Examples
    --------
    >>> find_metric("auc") is auc
    True
    >>> find_metric("acu")
    Traceback (most recent call last):
    webstrata.errors.UsageError: metric: acu is not a measure (did you mean auc?); known are accuracy, ...
    """
    if callable(name):
        return name
    if name not in METRICS:
        raise UsageError(unknown_name("metric", name, "measure", METRICS))
    return METRICS[name]


@dataclass(frozen=True)
class ModelComparison:
    """Two sets of scores of the same hosts: both AUCs, and whether they differ by more than chance."""

    first: float
    second: float
    deviation: float
    """Standard deviation of the difference."""
    p_value: float
    """How likely so large a difference is where there is none."""

    @property
    def difference(self) -> float:
        """The second less the first."""
        return self.second - self.first

    @property
    def p_second_ahead(self) -> float:
        """How likely the second is so much ahead, or more, where it is not: one-sided."""
        return self.p_value / 2 if self.difference > 0 else 1 - self.p_value / 2


@dataclass(frozen=True)
class Threshold:
    """From which score on a host is taken to be positive, and how that went on hosts not trained on."""

    value: float
    precision: float
    recall: float
    f1: float


def choose_threshold(truth: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> Threshold:
    """The threshold with the largest F1, of equal ones the highest.

    Precision, recall and F1 are those of the hosts by which it was chosen, and a little too high.

    Examples
    --------
    >>> choose_threshold(np.array([0, 0, 0, 1, 1]), np.array([0.1, 0.1, 0.2, 0.3, 0.25]))
    Threshold(value=0.225, precision=1.0, recall=1.0, f1=1.0)
    """
    is_positive = np.asarray(truth, bool)
    order = np.argsort(-scores, kind="stable")
    ordered, hits = scores[order], np.cumsum(is_positive[order])
    # between equal scores there is no threshold
    last = np.flatnonzero(np.append(ordered[:-1] != ordered[1:], True))
    precision = hits[last] / (last + 1)
    recall = hits[last] / max(int(is_positive.sum()), 1)
    f1_of = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
    best = int(np.argmax(f1_of))
    place = int(last[best])
    below = ordered[place + 1] if place + 1 < len(ordered) else ordered[place]
    value = round(float(ordered[place] + below) / 2, 12)
    return Threshold(value, float(precision[best]), float(recall[best]), float(f1_of[best]))


def fold_auc(
    truth: npt.NDArray[Any], scores: npt.NDArray[np.float64], fold: npt.NDArray[Any]
) -> tuple[float, float]:
    """AUC over pairs within folds, and its standard deviation (DeLong).

    Examples
    --------
    >>> truth, fold = np.array([0, 1, 1, 0, 1, 0]), np.array([0, 0, 0, 1, 1, 1])
    >>> fold_auc(truth, np.array([0.1, 0.2, 0.3, 0.7, 0.8, 0.9]), fold)
    (0.75, 0.25)
    """
    value, variance = 0.0, 0.0
    for share, above, below in _parts(truth, [scores], fold):
        value += share * float(above[0].mean())
        variance += share**2 * (_spread(above[0]) + _spread(below[0]))
    return value, float(np.sqrt(variance))


def compare_scores(
    truth: npt.NDArray[Any],
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    fold: npt.NDArray[Any],
) -> ModelComparison:
    """Whether the second scores order the hosts better than the first (DeLong, paired).

    Examples
    --------
    >>> generator = np.random.default_rng(1)
    >>> truth, fold = np.arange(200) % 2, np.arange(200) % 5
    >>> noise = generator.normal(size=200)
    >>> found = compare_scores(truth, noise, noise + 3 * truth, fold)
    >>> found.difference > 0.3, found.p_value < 0.001
    (True, True)
    """
    values, variance = np.zeros(2), 0.0
    for share, above, below in _parts(truth, [first, second], fold):
        values += share * np.array([part.mean() for part in above])
        variance += share**2 * (_spread(above[1] - above[0]) + _spread(below[1] - below[0]))
    deviation = float(np.sqrt(variance))
    difference = float(values[1] - values[0])
    return ModelComparison(float(values[0]), float(values[1]), deviation, _two_sided(difference, deviation))


def correct_many(p_values: Sequence[float]) -> list[float]:
    """The p-values of several comparisons, corrected by Holm's method for being several.

    Examples
    --------
    >>> correct_many([0.01, 0.6, 0.02])
    [0.03, 0.6, 0.04]
    """
    corrected, largest = [1.0] * len(p_values), 0.0
    for place, which in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min((len(p_values) - place) * p_values[which], 1.0))
        corrected[which] = largest
    return corrected


def _two_sided(difference: float, deviation: float) -> float:
    from scipy.special import ndtr

    if deviation <= 0:
        return 1.0 if abs(difference) < 1e-12 else 0.0
    return float(2 * ndtr(-abs(difference) / deviation))


def _spread(values: npt.NDArray[np.float64]) -> float:
    """The variance of the mean of `values`."""
    return float(values.var(ddof=1) / len(values)) if len(values) > 1 else 0.0


def _parts(
    truth: npt.NDArray[Any], scores: list[npt.NDArray[np.float64]], fold: npt.NDArray[Any]
) -> list[tuple[float, list[npt.NDArray[np.float64]], list[npt.NDArray[np.float64]]]]:
    """Of each fold with both classes its share of all pairs, and V and W of each set of scores."""
    found = []
    for number in np.unique(fold):
        here = fold == number
        is_positive = np.asarray(truth, bool)[here]
        pairs = int(is_positive.sum()) * int((~is_positive).sum())
        if not pairs:
            continue
        above = [_shares(some[here][~is_positive], some[here][is_positive]) for some in scores]
        below = [1 - _shares(some[here][is_positive], some[here][~is_positive]) for some in scores]
        found.append((pairs, above, below))
    total = sum(pairs for pairs, _, _ in found)
    if not total:
        raise ValueError("no fold has both classes, and AUC compares two")
    return [(pairs / total, above, below) for pairs, above, below in found]


def _shares(others: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of each value the share of `others` below it, a tie counting half."""
    ordered = np.sort(others)
    twice = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return twice / (2 * len(ordered))
