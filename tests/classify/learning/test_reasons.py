"""Reasons: the features that a score rests on, terms and missing values too."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from webstrata.classify.learning.ensemble import EnsembleSelection
from webstrata.classify.learning.matrix import HostMatrix
from webstrata.classify.learning.model_file import HostModel
from webstrata.classify.learning.reasons import explain
from webstrata.classify.learning.training import find_typical
from webstrata.errors import MissingError


def test_what_decides_is_named_first_and_an_unknown_host_is_refused() -> None:
    random = np.random.default_rng(2)
    truth = np.arange(90) % 3 == 0
    values = random.normal(size=(90, 2))
    terms = sp.csr_matrix(np.stack([truth * 2.0 + 0.1, random.random(90)], axis=1))
    matrix = HostMatrix(
        [f"{n}.org" for n in range(90)], {"B": (["x", "y"], values), "bm25": (["pills", "fish"], terms)}
    )
    fitted = EnsembleSelection(
        "small", feature_sets=matrix.places(), term_sets=matrix.term_sets, folds=3, random_state=1
    ).fit(matrix.values(), truth)
    model = HostModel("spam", matrix.columns(), ("bm25",), fitted, typical=find_typical(matrix, truth))
    score, reasons = explain(model, matrix, "0.org")
    assert score == pytest.approx(model.scores(matrix)[0])
    assert (reasons[0].feature_set, reasons[0].feature) == ("bm25", "pills")
    assert reasons[0].effect > 0.3
    assert "bm25 pills is 2.1: +0." in reasons[0].tell("spam")
    with pytest.raises(MissingError, match=r"gone\.org: this host has no features"):
        explain(model, matrix, "gone.org")
