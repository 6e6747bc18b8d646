"""Ensemble selection: which models of a library order the hosts best together (Caruana; SPAM, section 4).

An ensemble is a number of times for each model; its score of a host is the mean of theirs, so weighted. All
choices look at scores that models gave to hosts they were not trained on, and at one measure of them:

* **sort initialization**: models from best to worst; the ensemble starts as those first ones whose mean is
  best,
* **hill climbing**: the model is added, of all, that makes the ensemble best; again, so many times; a model
  may be added many times (**with replacement**); the best ensemble on the way is the result,
* **bagged selection**: this is done for several random halves of the library, and the ensembles are added up,
  so that a model good by chance is not in all of them.

If in the end a single model is better than the sum, the bags have parted what belongs together, and the climb
over the whole library stands in its place: its first ensemble has that model in it, so the result is never
worse than the best model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.learning.metrics import auc

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.classify.learning.metrics import Metric


@dataclass(frozen=True)
class Selected:
    """An ensemble, with what its choice looked at."""

    weights: npt.NDArray[np.float64]
    """Of each model of the library; they add up to 1."""
    score: float
    """The measure of the ensemble."""
    singles: npt.NDArray[np.float64]
    """The measure of each model."""


def select(
    truth: npt.NDArray[Any],
    scores: npt.NDArray[np.float64],
    *,
    metric: Metric = auc,
    iterations: int = 100,
    bags: int = 10,
    bag_share: float = 0.5,
    sort_initialization: bool = True,
    replacement: bool = True,
    seed: int | None = None,
) -> Selected:
    """The ensemble of models whose scores are the columns of `scores`.

    Parameters
    ----------
    truth
        Whether each host is positive.
    scores
        A row a host, a column a model.
    metric
        From truth and scores to a number, larger the better.
    iterations
        Steps of hill climbing.
    bags
        Random parts of the library; 0 climbs once, over all of it.
    bag_share
        How large a part of the library is in a bag.
    sort_initialization
        Whether the climb starts with the best models, or with the single best one.
    replacement
        Whether a model may be added more than once.
    seed
        Of the bags.

    Examples
    --------
    >>> truth = np.array([0, 0, 1, 1])
    >>> scores = np.array([[0.1, 0.6], [0.7, 0.2], [0.6, 0.5], [0.8, 0.9]])
    >>> found = select(truth, scores, bags=0)
    >>> found.singles.tolist(), found.score, found.weights.tolist()
    ([0.75, 0.75], 1.0, [0.5, 0.5])
    """
    singles = np.array([metric(truth, column) for column in scores.T])
    number = scores.shape[1]
    climb = _Climb(truth, scores, singles, metric, iterations, sort_initialization, replacement)
    everything = np.arange(number)
    if bags and number > 2:
        generator = np.random.default_rng(seed)
        size = min(max(2, round(bag_share * number)), number)
        weights = np.zeros(number)
        for _ in range(bags):
            counts = climb.run(np.sort(generator.choice(number, size, replace=False)))
            weights += counts / counts.sum()
        weights /= weights.sum()
        score = metric(truth, scores @ weights)
        if score >= singles.max():
            return Selected(weights, float(score), singles)
    counts = climb.run(everything)
    weights = counts / counts.sum()
    return Selected(weights, float(metric(truth, scores @ weights)), singles)


class _Climb:
    """Sort initialization and hill climbing within some of the models."""

    def __init__(
        self,
        truth: npt.NDArray[Any],
        scores: npt.NDArray[np.float64],
        singles: npt.NDArray[np.float64],
        metric: Metric,
        iterations: int,
        sorts: bool,  # noqa: FBT001
        replaces: bool,  # noqa: FBT001
    ) -> None:
        # positives after negatives, and a row a model: what the measure reads lies together
        self.order = np.argsort(np.asarray(truth, bool), kind="stable")
        self.truth = np.asarray(truth, bool)[self.order]
        self.rows = np.ascontiguousarray(scores[self.order].T)
        self.singles, self.metric, self.iterations = singles, metric, iterations
        self.sorts, self.replaces = sorts, replaces

    def _measure(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if self.metric is not auc:
            return np.array([self.metric(self.truth, row) for row in rows])
        negatives = int((~self.truth).sum())
        low = np.sort(rows[:, :negatives], axis=1)
        pairs = 2 * negatives * (len(self.truth) - negatives)
        return np.array(
            [
                (np.searchsorted(some, high, "left").sum() + np.searchsorted(some, high, "right").sum())
                / pairs
                for some, high in zip(low, rows[:, negatives:], strict=True)
            ]
        )

    def run(self, models: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """How often each model of the library is in the best ensemble of `models`."""
        rows = self.rows[models]
        ranked = np.argsort(-self.singles[models], kind="stable")
        counts = np.zeros(len(models), np.int64)
        if self.sorts:
            means = np.cumsum(rows[ranked], axis=0) / np.arange(1, len(models) + 1)[:, None]
            first = int(np.argmax(self._measure(means))) + 1
        else:
            first = 1
        counts[ranked[:first]] = 1
        total = rows[counts > 0].sum(axis=0)
        best, best_counts = float(self._measure(total[None] / first)[0]), counts.copy()
        for _ in range(self.iterations):
            open_ = np.arange(len(models)) if self.replaces else np.flatnonzero(counts == 0)
            if not len(open_):
                break
            measured = self._measure((total + rows[open_]) / (counts.sum() + 1))
            place = int(np.argmax(measured))
            chosen = int(open_[place])
            counts[chosen] += 1
            total = total + rows[chosen]
            if measured[place] > best:
                best, best_counts = float(measured[place]), counts.copy()
        whole = np.zeros(len(self.singles), np.int64)
        whole[models] = best_counts
        return whole
