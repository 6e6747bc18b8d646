"""Flat trees say what the trees they were made from say, for missing values too."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from webstrata.classify.learning.models import CostSensitiveTrees, SmoothedTree, member_scores
from webstrata.classify.learning.models.flat import FlatTrees, flatten, flatten_all


def data(*, missing: bool) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(21)
    X = random.normal(size=(150, 5))
    y = X[:, 0] + random.normal(size=150) > 0.3
    if missing:
        X[random.random(X.shape) < 0.15] = np.nan
    return X, y


@pytest.mark.parametrize("missing", [True, False])
def test_flat_trees_say_what_the_trees_say(missing: bool) -> None:  # noqa: FBT001
    lightgbm = pytest.importorskip("lightgbm")
    X, y = data(missing=missing)
    unseen = data(missing=True)[0] * 1.5  # values are missing here that never were in training
    for model in (
        RandomForestClassifier(15, random_state=1),
        CostSensitiveTrees(30, random_state=1),
        SmoothedTree("gini", pruning=0.01, random_state=1),
        lightgbm.LGBMClassifier(n_estimators=20, min_child_samples=5, verbose=-1),
    ):
        fitted = model.fit(X, y)
        for values in (X, unseen):
            assert flatten(fitted).scores(values) == pytest.approx(member_scores(fitted, values), abs=1e-12)


def test_one_forest_is_made_of_those_of_all_folds_and_none_of_boosted_trees() -> None:
    X, y = data(missing=True)
    fits = [RandomForestClassifier(7, random_state=seed).fit(X, y) for seed in range(3)]
    [merged] = flatten_all(fits)
    assert len(merged.roots) == 21
    expected = sum(fit.predict_proba(X)[:, 1] for fit in fits) / 3
    assert merged.scores(X)[:, 0] == pytest.approx(expected)


def test_arrays_that_would_lead_a_walk_astray_are_found() -> None:
    X, y = data(missing=False)
    flat = flatten(SmoothedTree().fit(X, y))
    assert flat.find_damage(5) == ""
    assert "feature" in flat.find_damage(1)
    for name, value, said in (("left", 0, "node"), ("right", 10**6, "node"), ("roots", -1, "node")):
        array = getattr(flat, name).copy()
        array[0] = value
        broken = FlatTrees(**(vars(flat) | {name: array}))
        assert said in broken.find_damage(5)
    assert "lengths" in FlatTrees(**(vars(flat) | {"value": flat.value[1:]})).find_damage(5)
