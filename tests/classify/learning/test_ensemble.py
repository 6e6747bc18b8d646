"""The estimator: scikit-learn's own checks, no leaks, better than what it is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import check_estimator

from webstrata.classify import EnsembleSelection
from webstrata.classify.learning.metrics import auc

QUICK: dict[str, Any] = {"folds": 3, "iterations": 20, "bags": 3, "random_state": 1}


def data(count: int = 240) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(11)
    X = random.normal(size=(count, 6))
    y = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=count) > 0.8
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.long
def test_scikit_learn_takes_it_for_one_of_its_own() -> None:
    check_estimator(EnsembleSelection("small", folds=2, iterations=5, bags=2), on_skip=None)


@pytest.mark.slow
def test_scikit_learn_takes_it_for_one_of_its_own_as_it_comes() -> None:
    check_estimator(EnsembleSelection("small"), on_skip=None)


def test_it_is_no_worse_than_every_model_where_it_was_chosen_and_elsewhere() -> None:
    X, y = data(600)
    model = EnsembleSelection("small", **QUICK).fit(X[:300], y[:300])
    assert model.score_ >= model.member_scores_.max()
    assert auc(y[:300], model.out_of_fold_) == pytest.approx(model.score_)
    found = auc(y[300:], model.predict_proba(X[300:])[:, 1])
    # measured on hosts that no choice looked at, so chance has a part in it
    assert found > model.member_scores_.max() - 0.02
    assert sum(model.family_weights_.values()) == pytest.approx(1)


def test_shuffled_labels_are_not_learned() -> None:
    X, y = data(300)
    random = np.random.default_rng(5)
    groups = np.arange(300) // 3
    X[:, 4] = groups  # tells the group, which a split that cuts it would learn from
    found = []
    for _ in range(4):
        shuffled = random.permutation(y[::3])[groups]
        model = EnsembleSelection("small", **QUICK)
        half = groups % 2 == 0
        model.fit(X[half], shuffled[half], groups=groups[half])
        found.append(auc(shuffled[~half], model.predict_proba(X[~half])[:, 1]))
    # fifty groups a half: an AUC by chance has a deviation of 0.08
    assert abs(np.mean(found) - 0.5) < 3 * 0.08 / 2


def test_groups_are_never_cut_by_the_folds() -> None:
    X, y = data(120)
    groups = np.arange(120) // 4
    model = EnsembleSelection("small", **QUICK).fit(X, y, groups=groups)
    assert all(len(set(model.fold_[groups == group])) == 1 for group in range(30))


def test_every_set_has_its_models_and_term_vectors_have_their_own() -> None:
    X, y = data(120)
    random = np.random.default_rng(2)
    words = sp.random(120, 2000, 0.01, random_state=3, format="csr") + sp.csr_matrix(
        (random.random(120) * (0.5 + y), (np.arange(120), np.zeros(120, int))), (120, 2000)
    )
    both = sp.hstack([sp.csr_matrix(X), words]).tocsr()
    sets = {"content": range(6), "terms": range(6, 2006)}
    model = EnsembleSelection("small", feature_sets=sets, **QUICK).fit(both, y)
    assert {name for name, _ in model.members_} == {"content", "terms"}
    assert any(member.startswith("linear SVM") for name, member in model.members_ if name == "terms")
    assert sum(model.set_weights_.values()) == pytest.approx(1)
    assert model.predict_proba(both[:5]).shape == (5, 2)


def test_the_budget_leaves_models_out_and_progress_may_stop_it() -> None:
    X, y = data(80)
    told = []
    model = EnsembleSelection("small", time_budget=0, **QUICK)
    model.fit(X, y, progress=lambda done, total, name: told.append((done, total, name)))
    assert told == [(1, 5, "ridge")]
    assert len(model.skipped_) == 4
    assert model.score_ >= model.member_scores_.max()

    def stop(_done: int, _total: int, _name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EnsembleSelection("small", **QUICK).fit(X, y, progress=stop)


def test_the_same_seed_gives_the_same_scores_on_any_number_of_threads() -> None:
    X, y = data(90)
    one = EnsembleSelection("small", **QUICK).fit(X, y).predict_proba(X)
    two = EnsembleSelection("small", n_jobs=2, **QUICK).fit(X, y).predict_proba(X)
    assert one.tolist() == two.tolist()
