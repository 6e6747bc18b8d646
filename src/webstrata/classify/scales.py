"""One scale for the models of a library: ranks, and at the end a probability.

Where a measure looks at the order of hosts alone, as AUC does, ensembles are made of ranks. Scores of several
models cannot be averaged as they are: a naive Bayes says 0 or 1, a ridge regression 0.01 to 0.7, and the mean
of both is what the first one says. So a score x is replaced by its **rank**, the share of the hosts that the
model was not trained on whose scores are below x (of equal ones half)::

    r(x) = (|{s < x}| + ½ |{s = x}|) / n

It goes in straight lines between these scores, and to 0 and 1 at the ends. Of many scores some hundreds are
kept, equally far from each other in rank.

A mean of ranks orders hosts, and is no probability. It becomes one by **beta calibration** (Kull, Silva Filho
and Flach 2017): p = σ(a ln r − b ln(1 − r) + c), a and b above 0, so that the order stays; a, b and c are the
likeliest for the hosts that were ranked, each of them counting as if there were one more host of either class
(Platt's targets), so that nothing becomes certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from webstrata.classify.metrics import auc, looks_at_order

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.classify.metrics import Metric

    Numbers = npt.NDArray[np.float64]

KNOTS = 512
"""Scores of a scale that are kept at most."""
FLAT, STEEP, EDGE = 0.01, 1000.0, 1e-9
"""The bounds of a and b, and how near to 0 and 1 a rank counts."""


@dataclass(frozen=True)
class Scale:
    """Where a score of a model stands among its scores.

    Examples
    --------
    >>> scale = Scale.of(np.array([0.1, 0.2, 0.2, 0.8]))
    >>> scale(np.array([0.0, 0.1, 0.2, 0.5, 0.8, 1.0])).round(3).tolist()
    [0.0, 0.125, 0.5, 0.688, 0.875, 1.0]
    """

    scores: Numbers
    """Rising."""
    ranks: Numbers
    """Of each of them; they do not fall."""

    @classmethod
    def of(cls, scores: npt.NDArray[Any]) -> Scale:
        """The scale of a model that has said this of hosts that it was not trained on."""
        distinct, counts = np.unique(np.asarray(scores, np.float64), return_counts=True)
        ranks = (np.cumsum(counts) - counts / 2) / len(scores)
        kept = np.unique(
            np.linspace(0, len(distinct) - 1, min(len(distinct), KNOTS)).round().astype(np.int64)
        )
        distinct, ranks = distinct[kept], ranks[kept]
        if distinct[0] > 0:
            distinct, ranks = np.insert(distinct, 0, 0.0), np.insert(ranks, 0, 0.0)
        if distinct[-1] < 1:
            distinct, ranks = np.append(distinct, 1.0), np.append(ranks, 1.0)
        return cls(distinct, ranks)

    def __call__(self, scores: npt.NDArray[Any]) -> Numbers:
        """The ranks of some scores."""
        found: Numbers = np.interp(scores, self.scores, self.ranks)
        return found


def find_scales(scores: Numbers, metric: Metric = auc) -> list[Scale]:
    """The scale of each column, a row being a host that the models were not trained on.

    There are none where the measure looks at more than the order: then scores stay what they are.

    Examples
    --------
    >>> from webstrata.classify.metrics import accuracy
    >>> scores = np.array([[0.1, 0.9], [0.3, 0.8]])
    >>> len(find_scales(scores)), len(find_scales(scores, accuracy))
    (2, 0)
    """
    return [Scale.of(column) for column in scores.T] if looks_at_order(metric) else []


def rank(scores: Numbers, scales: list[Scale]) -> Numbers:
    """Ranks in place of scores, a column a model; the scores themselves where there are no scales.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.9], [0.3, 0.8]])
    >>> rank(scores, find_scales(scores)).tolist()
    [[0.25, 0.75], [0.75, 0.25]]
    """
    if not scales:
        return scores
    ranks = np.empty_like(scores)
    for column, scale in enumerate(scales):
        ranks[:, column] = scale(scores[:, column])
    return ranks


@dataclass(frozen=True)
class Calibration:
    """From a mean of ranks to a probability.

    Examples
    --------
    >>> truth = np.arange(200) >= 180
    >>> found = Calibration.fit(truth, (np.arange(200) + 0.5) / 200)
    >>> found(np.array([0.1, 0.89, 0.91, 0.99])).round(1).tolist()
    [0.0, 0.3, 0.5, 1.0]
    """

    a: float
    b: float
    c: float

    @classmethod
    def fit(cls, truth: npt.NDArray[np.bool_], ranks: Numbers) -> Calibration:
        """The likeliest one for hosts of which it is known whether they are positive."""
        positives = int(truth.sum())
        negatives = len(truth) - positives
        wanted = np.where(truth, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        columns = _columns(ranks)

        def cost(found: Numbers) -> tuple[float, Numbers]:
            odds = columns @ found
            error = _sigmoid(odds) - wanted
            value = np.logaddexp(0, odds) - wanted * odds
            return float(value.mean()), columns.T @ error / len(wanted)

        bounds = [(FLAT, STEEP), (FLAT, STEEP), (None, None)]
        found = minimize(cost, np.array([1.0, 1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=bounds).x
        return cls(*(float(value) for value in found))

    def __call__(self, ranks: Numbers) -> Numbers:
        """The probability for each mean of ranks."""
        return _sigmoid(_columns(ranks) @ np.array([self.a, self.b, self.c]))


def _columns(ranks: Numbers) -> Numbers:
    inside = np.clip(ranks, EDGE, 1 - EDGE)
    return np.stack([np.log(inside), -np.log1p(-inside), np.ones_like(inside)], axis=1)


def _sigmoid(odds: Numbers) -> Numbers:
    return np.exp(-np.logaddexp(0, -odds))
