"""Trees: smoothing by hand, and what costs change."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from webstrata.classify.learning.models.trees import CostSensitiveTrees, SmoothedTree


def test_a_leaf_tells_its_share_with_one_host_of_each_class_added() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(80, 4))
    X[random.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + random.normal(size=80) > 0).astype(int)
    model = SmoothedTree("gini", pruning=0.01, random_state=1).fit(X, y)
    plain = DecisionTreeClassifier(ccp_alpha=0.01, min_samples_leaf=2, random_state=1).fit(X, y)
    leaves = plain.apply(X)
    for place, leaf in enumerate(leaves):
        inside = y[leaves == leaf]
        share, smoothed = model.scores(X)[place]
        assert share == pytest.approx(inside.mean())
        assert smoothed == pytest.approx((inside.sum() + 1) / (len(inside) + 2))


def test_a_higher_cost_of_missing_calls_more_hosts_positive() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 3))
    y = X[:, 0] + random.normal(0, 1.5, 300) > 2.2
    called = [
        CostSensitiveTrees(cost, n_trees=20, random_state=1).fit(X[:200], y[:200]).predict(X[200:]).sum()
        for cost in (1, 300)
    ]
    assert called[0] < called[1]


def test_a_sample_without_positives_gets_one() -> None:
    X = np.arange(60.0)[:, None]
    model = CostSensitiveTrees(10, n_trees=30, random_state=1).fit(X, np.arange(60) == 59)
    assert all(len(tree.classes_) == 2 for tree in model.trees_)


def test_the_costly_mistake_is_the_one_that_is_avoided() -> None:
    random = np.random.default_rng(5)
    truth = np.arange(300) % 2 == 0
    values = random.normal(size=(300, 1)) + truth[:, None]
    shares = {
        costly: CostSensitiveTrees(50, costly=costly, random_state=1)
        .fit(values, truth)
        .predict(values)
        .mean()
        for costly in ("missed", "false-positive")
    }
    assert shares["missed"] > 0.55 > 0.45 > shares["false-positive"]
