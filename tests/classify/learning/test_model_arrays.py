"""Every kind of model of the library, to plain data and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from webstrata.classify.learning.model_arrays import Damaged, from_plain, to_plain
from webstrata.classify.learning.models import member_scores, new_library
from webstrata.classify.learning.models.flat import flatten


def fitted() -> list[tuple[str, Any, Any]]:
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 4))
    y = X[:, 0] > 0
    X[::9, 1] = np.nan
    models = new_library("standard", 4) | new_library("small", 4)
    found = [(name, model.fit(X, y), X) for name, model in models.items() if "200" not in str(model)]
    terms = sp.csr_matrix(np.nan_to_num(X))
    return [*found, ("margin", new_library("small-terms", 4)["linear SVM, C 1"].fit(terms, y), terms)]


def test_every_model_says_the_same_after_the_way_through_plain_data() -> None:
    kinds = set()
    for name, model, X in fitted():
        plain = to_plain(flatten(model))
        kinds.add(plain.kind)
        assert member_scores(from_plain(plain, 4), X) == pytest.approx(member_scores(model, X)), name
    assert kinds == {"trees", "ridge", "logit-boost", "naive-bayes", "margin"}


def test_plain_data_that_is_no_model_is_refused() -> None:
    for _, model, _ in fitted():
        plain = to_plain(flatten(model))
        with pytest.raises(Damaged):
            from_plain(plain, 0)
        for key in plain.arrays:
            rest = {name: array for name, array in plain.arrays.items() if name != key}
            with pytest.raises(Damaged):
                from_plain(replace(plain, arrays=rest), 4)
    with pytest.raises(Damaged, match="system is no kind of model"):
        from_plain(replace(plain, kind="system"), 4)
