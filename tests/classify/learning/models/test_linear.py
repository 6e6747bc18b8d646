"""Linear models against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from webstrata.classify.learning.metrics import auc
from webstrata.classify.learning.models.linear import LinearMargin, RidgeLogistic


def test_each_penalty_gives_the_optimum_that_scikit_learn_finds() -> None:
    random = np.random.default_rng(5)
    X = random.normal(3, 2, size=(120, 6))
    X[:, 5] = 7  # says nothing
    y = X[:, 0] - X[:, 1] + random.normal(size=120) > 0
    ridges = (100.0, 1.0, 0.01)
    scores = RidgeLogistic(ridges).fit(X, y).scores(X)
    for ridge, column in zip(ridges, scores.T, strict=True):
        theirs = LogisticRegression(C=1 / (2 * ridge), tol=1e-10, max_iter=10_000)
        expected = theirs.fit(StandardScaler().fit_transform(X), y).predict_proba(
            StandardScaler().fit_transform(X)
        )
        assert column == pytest.approx(expected[:, 1], abs=1e-5)


def test_more_features_than_hosts_and_classes_that_a_plane_parts_are_no_trouble() -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(30, 200))
    X[::3, 7] = np.nan
    y = X[:, 0] > 0
    scores = RidgeLogistic().fit(X, y).scores(X)
    assert scores.shape == (30, 13)
    assert np.isfinite(scores).all()
    assert auc(y, scores[:, -1]) == 1.0


def test_a_margin_orders_term_vectors() -> None:
    random = np.random.default_rng(7)
    X = sp.random(200, 500, 0.05, random_state=1, format="csr")
    y = np.asarray(X[:, :100].sum(axis=1)).ravel() + random.normal(0, 0.1, 200) > 2.5
    model = LinearMargin(random_state=1).fit(X[:150], y[:150])
    assert auc(y[150:], model.predict_proba(X[150:])[:, 1]) > 0.7
