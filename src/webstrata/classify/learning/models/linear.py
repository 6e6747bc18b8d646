"""Linear models of the library of SPAM (section 4.1): ridge logistic regression, and an SVM for term vectors.

Ridge logistic regression minimizes −log-likelihood + λ |w|², features standardized, a missing value as the
mean, the constant not penalized; Weka's λ goes from 10⁻⁸ to 10⁴. A rotation of the features changes neither
sum, so Newton's method works on the singular vectors of the matrix, at most as many as there are hosts, and
each λ starts from the solution of the larger one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import webstrata.classify.learning.extra  # noqa: F401 (says what to install, before the imports below fail)

# isort: split
import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

RIDGES = tuple(10.0**power for power in range(4, -9, -1))
"""Penalties in the library of SPAM."""
_STEPS = 25
_SMALL = 1e-10


class RidgeLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression with a quadratic penalty, for several penalties at once.

    Parameters
    ----------
    ridges
        The penalties λ; `scores` has a column for each, and `predict_proba` is that of the last.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [np.nan], [2.0], [3.0]])
    >>> model = RidgeLogistic(ridges=(100.0, 0.1)).fit(X, np.array([0, 0, 0, 1, 1]))
    >>> model.scores(X)[[0, -1]].round(2).tolist()
    [[0.4, 0.03], [0.4, 0.9]]
    """

    def __init__(self, ridges: Sequence[float] = RIDGES) -> None:
        self.ridges = ridges

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> RidgeLogistic:
        """Learn from hosts `X`, with missing values as NaN, and their classes `y`, two of them."""
        values = np.asarray(X, np.float64)
        self.classes_, target = np.unique(np.asarray(y), return_inverse=True)
        known = ~np.isnan(values)
        number = np.maximum(known.sum(axis=0), 1)
        self.mean_ = np.where(known, values, 0).sum(axis=0) / number
        spread = np.sqrt((np.where(known, values - self.mean_, 0) ** 2).sum(axis=0) / number)
        self.spread_ = np.where(spread > _SMALL * np.maximum(np.abs(self.mean_), 1), spread, np.inf)
        left, size, right = np.linalg.svd(self._standardize(values), full_matrices=False)
        kept = size > (size[0] if len(size) else 0) * _SMALL
        rotated = left[:, kept] * size[kept]
        order = np.argsort(self.ridges)[::-1]
        w = np.zeros(rotated.shape[1] + 1)
        share = np.clip(target.mean(), _SMALL, 1 - _SMALL)
        w[-1] = np.log(share / (1 - share))
        self.weights_ = np.zeros((values.shape[1], len(self.ridges)))
        self.constants_ = np.zeros(len(self.ridges))
        for place in order:
            w = _newton(rotated, target, float(self.ridges[place]), w)
            self.weights_[:, place] = right[kept].T @ w[:-1]
            self.constants_[place] = w[-1]
        return self

    def _standardize(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        scaled = (values - self.mean_) / self.spread_
        return np.where(np.isnan(scaled), 0.0, scaled)

    def members(self) -> list[str]:
        """The names of the columns of `scores`."""
        return [f"logistic, ridge {ridge:g}" for ridge in self.ridges]

    def scores(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probability of the second class, for each penalty."""
        values = self._standardize(np.asarray(X, np.float64))
        p: npt.NDArray[np.float64] = expit(values @ self.weights_ + self.constants_)
        return p

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probabilities of both classes with the last penalty."""
        p = self.scores(X)[:, -1]
        return np.stack([1 - p, p], axis=1)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The likelier class."""
        chosen: npt.NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return chosen


def _loss(scores: npt.NDArray[np.float64], target: npt.NDArray[Any], ridge: float, w: Any) -> float:  # noqa: ANN401
    return float(np.logaddexp(0, scores).sum() - scores @ target + ridge * (w[:-1] @ w[:-1]))


def _newton(
    values: npt.NDArray[np.float64], target: npt.NDArray[Any], ridge: float, w: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The minimum from `w` on; classes that a plane parts have none at λ = 0, so the steps are bounded."""
    full = np.hstack([values, np.ones((len(values), 1))])
    penalty = np.full(full.shape[1], 2 * ridge)
    penalty[-1] = 0
    loss = _loss(full @ w, target, ridge, w)
    for _ in range(_STEPS):
        p = expit(full @ w)
        slope = full.T @ (p - target) + penalty * w
        curve = (full.T * (p * (1 - p))) @ full
        curve[np.diag_indices_from(curve)] += penalty + _SMALL
        step = np.linalg.solve(curve, slope)
        size, was = 1.0, loss
        while size > 1e-4:
            tried = w - size * step
            loss = _loss(full @ tried, target, ridge, tried)
            if loss <= was:
                w = tried
                break
            size /= 2
        else:
            return w
        if was - loss <= 1e-9 * (1 + was):
            return w
    return w


class LinearMargin(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear support vector machine for term vectors, its margin m told as 1 / (1 + e^−2m).

    Rows are scaled to length one, and both classes weigh the same. The number it tells is an order of hosts,
    no calibrated probability.

    Parameters
    ----------
    cost
        The price C of a host on the wrong side.
    random_state
        Seed of the solver.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [0.0, 1.0]])
    >>> LinearMargin(random_state=1).fit(X, np.array([0, 0, 1, 1])).predict(X).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, cost: float = 1.0, *, random_state: int | None = None) -> None:
        self.cost = cost
        self.random_state = random_state

    def fit(self, X: Any, y: npt.ArrayLike) -> LinearMargin:  # noqa: ANN401
        """Learn from hosts `X`, sparse or not, and their classes `y`, two of them."""
        machine = LinearSVC(
            C=self.cost, class_weight="balanced", max_iter=2000, tol=1e-3, random_state=self.random_state
        ).fit(_scaled(X), y)
        self.classes_ = machine.classes_
        self.weights_, self.constant_ = machine.coef_[0], float(machine.intercept_[0])
        return self

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
        """The margin as a number between 0 and 1, for both classes."""
        p = expit(2 * (_scaled(X) @ self.weights_ + self.constant_))
        return np.stack([1 - p, p], axis=1)

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: ANN401
        """The likelier class."""
        chosen: npt.NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return chosen


def _scaled(values: Any) -> Any:  # noqa: ANN401
    from sklearn.preprocessing import normalize

    return normalize(values)
