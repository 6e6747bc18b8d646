"""LogitBoost with stumps, bagged (Friedman, Hastie and Tibshirani; SPAM, section 4.1).

A round fits a stump to the working response z = (y − p) / (p (1 − p)) by least squares with the weights
w = p (1 − p), and adds it to the log-odds F; p = 1 / (1 + e^−F). With G = Σ w z and H = Σ w over the hosts of
a leaf, the value of the leaf is G / H, and the best cut of all has the largest sum of G² / H over its
leaves. A stump has three leaves: not above the threshold, above it, and missing (as Weka's do). z is cut at
±3, or a host that is wrong with certainty would decide alone.

The bags grow in step: thresholds lie between at most 64 groups of a feature's values, and one product of the
matrix "which host is in which group" with the columns of all bags gives G and H of every leaf of every cut.
A fit of 64 rounds is also that of 2, 4, 8, 16 and 32: they are its first ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import webstrata.classify.learning.extra  # noqa: F401 (says what to install, before the imports below fail)

# isort: split
import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

ROUNDS = (2, 4, 8, 16, 32, 64)
"""Numbers of rounds in the library of SPAM."""
_MAX_RESPONSE = 3.0
_SMALL = 1e-12


def cut_values(values: npt.NDArray[np.float64], most: int = 64) -> npt.NDArray[np.float64]:
    """Thresholds that part a feature's values into at most so many groups; missing ones do not count.

    Examples
    --------
    >>> cut_values(np.array([3.0, 1.0, np.nan, 1.0])).tolist()
    [2.0]
    >>> len(cut_values(np.arange(1000.0)))
    63
    """
    known = np.sort(values[~np.isnan(values)])
    distinct = known[np.r_[True, known[1:] > known[:-1]]] if len(known) else known
    if len(distinct) > most:
        picked = known[(np.arange(1, most) * len(known)) // most]
        places = np.unique(np.searchsorted(distinct, picked))
        return _between(distinct[places[places > 0] - 1], distinct[places[places > 0]])
    return _between(distinct[:-1], distinct[1:])


def _between(low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Half way, and never `high` itself, where no number lies between."""
    middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)


class BaggedLogitBoost(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """LogitBoost over bootstrap samples, their probabilities averaged.

    Parameters
    ----------
    rounds
        After how many rounds `scores` looks; `predict_proba` is that of the last.
    n_bags
        Bootstrap samples.
    random_state
        Seed of the samples.

    Examples
    --------
    >>> X = np.array([[0.0, np.nan], [1.0, 5.0], [2.0, 5.0], [3.0, np.nan]] * 5)
    >>> model = BaggedLogitBoost(rounds=(1, 4), random_state=1).fit(X, np.array([0, 0, 1, 1] * 5))
    >>> model.predict(X[:4]).tolist(), model.scores(X).shape
    ([0, 0, 1, 1], (20, 2))
    """

    def __init__(
        self, rounds: Sequence[int] = ROUNDS, *, n_bags: int = 10, random_state: int | None = None
    ) -> None:
        self.rounds = rounds
        self.n_bags = n_bags
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> BaggedLogitBoost:
        """Learn from hosts `X`, with missing values as NaN, and their classes `y`, two of them."""
        values = np.asarray(X, np.float64)
        self.classes_, target = np.unique(np.asarray(y), return_inverse=True)
        count, bags, last = len(values), self.n_bags, max(self.rounds)
        generator = np.random.default_rng(self.random_state)
        drawn = np.stack(
            [np.bincount(generator.integers(0, count, count), minlength=count) for _ in range(bags)], axis=1
        ).astype(np.float64)
        groups = _Groups(values)
        log_odds = np.zeros((count, bags))
        self.features_ = np.zeros((bags, last), np.int32)
        self.thresholds_ = np.zeros((bags, last))
        self.leaves_ = np.zeros((3, bags, last))  # below, above, missing
        for step in range(last):
            p = expit(log_odds)
            weight = np.maximum(p * (1 - p), _SMALL)
            response = np.clip((target[:, None] - p) / weight, -_MAX_RESPONSE, _MAX_RESPONSE)
            g, h = drawn * weight * response, drawn * weight
            for bag, (feature, threshold, leaves) in enumerate(groups.best_stumps(g, h)):
                self.features_[bag, step], self.thresholds_[bag, step] = feature, threshold
                self.leaves_[:, bag, step] = leaves
                log_odds[:, bag] += _answer(values[:, feature], threshold, leaves)
        return self

    def members(self) -> list[str]:
        """The names of the columns of `scores`."""
        return [f"LogitBoost, {rounds} rounds" for rounds in self.rounds]

    def scores(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probability of the second class, after each number of rounds."""
        values = np.asarray(X, np.float64)
        total = np.zeros((len(values), len(self.rounds)))
        for bag in range(self.n_bags):
            chosen = values[:, self.features_[bag]]
            stumps = _answer(chosen, self.thresholds_[bag], self.leaves_[:, bag])
            total += expit(np.cumsum(stumps, axis=1)[:, np.asarray(self.rounds) - 1])
        return total / self.n_bags

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probabilities of both classes after the last round."""
        p = self.scores(X)[:, int(np.argmax(self.rounds))]
        return np.stack([1 - p, p], axis=1)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The likelier class."""
        chosen: npt.NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return chosen


def _answer(
    values: npt.NDArray[np.float64],
    threshold: Any,  # noqa: ANN401
    leaves: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    found = np.where(values <= threshold, leaves[0], leaves[1])
    answered: npt.NDArray[np.float64] = np.where(np.isnan(values), leaves[2], found)
    return answered


class _Groups:
    """Which host lies in which group of values of which feature, those of a feature beside each other."""

    def __init__(self, values: npt.NDArray[np.float64]) -> None:
        cuts = [cut_values(column) for column in values.T]
        sizes = np.array([len(cut) + 2 for cut in cuts])  # one more than cuts, and the missing
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        columns = []
        for cut, column, start in zip(cuts, values.T, self.starts, strict=False):
            group = np.searchsorted(cut, column, side="left")
            columns.append(start + np.where(np.isnan(column), len(cut) + 1, group))
        rows = np.stack(columns, axis=1).ravel() if columns else np.zeros(0, np.int64)
        hosts = np.repeat(np.arange(len(values)), values.shape[1])
        shape = (int(self.starts[-1]), len(values))
        self.matrix = sp.csr_matrix((np.ones(len(rows)), (rows, hosts)), shape=shape)
        self.feature = np.repeat(np.arange(len(cuts)), sizes)
        # a cut stands at the group below it; the last known group and the missing have none
        self.is_cut = np.zeros(shape[0], bool)
        self.threshold = np.zeros(shape[0])
        for cut, start in zip(cuts, self.starts, strict=False):
            self.is_cut[start : start + len(cut)] = True
            self.threshold[start : start + len(cut)] = cut
        self.missing = np.repeat(self.starts[1:] - 1, sizes)

    def best_stumps(
        self, g: npt.NDArray[np.float64], h: npt.NDArray[np.float64]
    ) -> list[tuple[int, float, npt.NDArray[np.float64]]]:
        """Feature, threshold and leaves of the best stump for each column of `g` and `h`."""
        bags = g.shape[1]
        sums = self.matrix @ np.hstack([g, h])
        before = np.vstack([np.zeros((1, 2 * bags)), np.cumsum(sums, axis=0)])
        below = before[1:] - before[self.starts[self.feature]]
        missing = sums[self.missing]
        above = np.hstack([g, h]).sum(axis=0) - below - missing
        gain = sum(
            np.where(part[:, bags:] > _SMALL, part[:, :bags] ** 2 / np.maximum(part[:, bags:], _SMALL), 0)
            for part in (below, above, missing)
        )
        gain = np.where(self.is_cut[:, None], gain, -1.0)
        found = []
        for bag, place in enumerate(np.argmax(gain, axis=0)):
            whole = g[:, bag].sum() / max(h[:, bag].sum(), _SMALL)
            if not self.is_cut[place]:  # no feature has two values
                found.append((0, 0.0, np.full(3, whole)))
                continue
            leaves = np.array(
                [
                    part[place, bag] / part[place, bags + bag] if part[place, bags + bag] > _SMALL else whole
                    for part in (below, above, missing)
                ]
            )
            found.append((int(self.feature[place]), float(self.threshold[place]), leaves))
        return found
