"""LogitBoost against its definition, a stump at a time."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.classify.learning.metrics import auc
from webstrata.classify.learning.models.logit_boost import BaggedLogitBoost, cut_values


def slow_stump(X: np.ndarray, z: np.ndarray, w: np.ndarray) -> tuple[float, np.ndarray]:
    """The least weighted square error of all stumps, and the stump's answers."""
    best, answers = np.inf, np.zeros(len(z))
    for column in X.T:
        for threshold in np.unique(column[~np.isnan(column)])[:-1]:
            found = np.zeros(len(z))
            for leaf in (column <= threshold, column > threshold, np.isnan(column)):
                if w[leaf].sum() > 0:
                    found[leaf] = (w * z)[leaf].sum() / w[leaf].sum()
            error = (w * (z - found) ** 2).sum()
            if error < best - 1e-9:
                best, answers = error, found
    return best, answers


def test_every_round_adds_the_stump_of_least_square_error() -> None:
    random = np.random.default_rng(3)
    X = random.integers(0, 9, (40, 3)).astype(float)
    X[random.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0], nan=7) + random.normal(0, 2, 40) > 4).astype(int)
    model = BaggedLogitBoost(rounds=(1, 2, 5), n_bags=1, random_state=4).fit(X, y)
    drawn = np.bincount(np.random.default_rng(4).integers(0, 40, 40), minlength=40)
    log_odds = np.zeros(40)
    for step in range(5):
        p = 1 / (1 + np.exp(-log_odds))
        w = drawn * p * (1 - p)
        z = np.clip((y - p) / (p * (1 - p)), -3, 3)
        best, _ = slow_stump(X, z, w)
        column = X[:, model.features_[0, step]]
        leaves = model.leaves_[:, 0, step]
        found = np.where(column <= model.thresholds_[0, step], leaves[0], leaves[1])
        found = np.where(np.isnan(column), leaves[2], found)
        assert (w * (z - found) ** 2).sum() == pytest.approx(best)
        log_odds += found
        if step + 1 in (1, 2, 5):
            at = (1, 2, 5).index(step + 1)
            assert model.scores(X)[:, at] == pytest.approx(1 / (1 + np.exp(-log_odds)))


def test_more_rounds_learn_what_one_stump_cannot() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 5))
    y = X[:, 0] + X[:, 1] + X[:, 2] > 0
    scores = BaggedLogitBoost(rounds=(2, 64), random_state=1).fit(X[:200], y[:200]).scores(X[200:])
    few, many = (auc(y[200:], column) for column in scores.T)
    assert many > 0.93
    assert many > few + 0.05


def test_a_feature_with_one_value_or_none_has_no_threshold() -> None:
    assert cut_values(np.array([np.nan, np.nan])).size == cut_values(np.array([2.0, 2.0, np.nan])).size == 0
    close = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert cut_values(close).tolist() == [1.0]  # no number lies between
    model = BaggedLogitBoost(random_state=1).fit(np.ones((6, 2)), [0, 0, 0, 0, 1, 1])
    assert model.predict(np.full((1, 2), np.nan)).tolist() == [0]
