"""Naive Bayes against densities written out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from webstrata.classify.learning.models.naive_bayes import NaiveBayes, mdl_cuts


def data(count: int = 120) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(8)
    y = random.random(count) < 0.4
    return random.normal(size=(count, 3)) + np.outer(y, [2.0, 0.5, 0.0]), y.astype(int)


def test_normal_densities_are_those_of_scikit_learn() -> None:
    X, y = data()
    expected = GaussianNB().fit(X, y).predict_proba(X)
    assert NaiveBayes("normal").fit(X, y).predict_proba(X) == pytest.approx(expected, abs=1e-6)


def test_a_missing_value_is_left_out_of_the_sum() -> None:
    X, y = data()
    for form in ("normal", "kernel", "discrete"):
        whole = NaiveBayes(form).fit(X, y)
        part = NaiveBayes(form).fit(X[:, :2], y)
        hidden = X.copy()
        hidden[:, 2] = np.nan
        assert whole.predict_proba(hidden) == pytest.approx(part.predict_proba(X[:, :2]))
        never = NaiveBayes(form).fit(hidden, y)  # a feature that nobody has
        assert never.predict_proba(X) == pytest.approx(part.predict_proba(X[:, :2]))


def test_kernel_densities_are_those_of_a_sum_over_all_values() -> None:
    X, y = data(400)
    column, low, high = X[:, :1], X[:, 0].min(), X[:, 0].max()
    logs = []
    for side in (0, 1):
        values = column[y == side, 0]
        width = (high - low) / np.sqrt(len(values))
        density = np.exp(-0.5 * ((column - values) / width) ** 2).sum(axis=1) / (len(values) * width)
        logs.append(np.log(density) + np.log(len(values)))
    expected = 1 / (1 + np.exp(logs[0] - logs[1]))
    assert NaiveBayes("kernel").fit(column, y).predict_proba(column)[:, 1] == pytest.approx(
        expected, abs=0.01
    )


def test_intervals_are_cut_where_classes_change_and_nowhere_else() -> None:
    values = np.arange(90.0)
    assert mdl_cuts(values, np.repeat([0, 1, 0], 30)).tolist() == [29.5, 59.5]
    random = np.random.default_rng(1)
    assert mdl_cuts(values, random.integers(0, 2, 90)).size == 0
