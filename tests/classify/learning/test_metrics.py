"""Measures against scikit-learn's, and significance against chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from webstrata.classify.learning.metrics import (
    METRICS,
    ModelComparison,
    auc,
    choose_threshold,
    compare_scores,
    correct_many,
    fold_auc,
)

scored = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda rows: len({truth for truth, _ in rows}) == 2
)


@settings(max_examples=30)
@given(scored)
def test_measures_are_those_of_scikit_learn_ties_included(rows: list[tuple[bool, int]]) -> None:
    truth = np.array([truth for truth, _ in rows])
    scores = np.array([(score + 0.3) / 6.5 for _, score in rows])
    assert METRICS["auc"](truth, scores) == pytest.approx(theirs.roc_auc_score(truth, scores))
    assert METRICS["average-precision"](truth, scores) == pytest.approx(
        theirs.average_precision_score(truth, scores)
    )
    assert METRICS["accuracy"](truth, scores) == pytest.approx(theirs.accuracy_score(truth, scores > 0.5))
    assert METRICS["f1"](truth, scores) == pytest.approx(
        theirs.f1_score(truth, scores > 0.5, zero_division=0)
    )
    assert METRICS["log-likelihood"](truth, scores) == pytest.approx(
        -theirs.log_loss(truth, scores), abs=1e-9
    )


def test_only_pairs_within_a_fold_are_compared() -> None:
    truth, fold = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    assert fold_auc(truth, np.array([0.1, 0.2, 0.8, 0.9]), fold)[0] == 1.0
    assert fold_auc(truth, np.array([0.8, 0.9, 0.1, 0.2]), fold)[0] == 1.0
    with pytest.raises(ValueError, match="no fold has both classes"):
        fold_auc(truth, truth / 2, truth)


def test_the_deviation_of_delong_is_that_of_many_draws() -> None:
    random = np.random.default_rng(2)
    truth, fold = np.arange(240) % 3 == 0, np.arange(240) % 5
    drawn = [random.normal(size=240) + truth for _ in range(300)]
    said = np.mean([fold_auc(truth, scores, fold)[1] for scores in drawn])
    seen = np.std([fold_auc(truth, scores, fold)[0] for scores in drawn])
    assert said == pytest.approx(seen, rel=0.15)


def test_equal_scores_do_not_differ_and_noise_seldom_does() -> None:
    random = np.random.default_rng(3)
    truth, fold = np.arange(200) % 4 == 0, np.zeros(200)
    scores = random.normal(size=200) + truth
    assert compare_scores(truth, scores, scores, fold).p_value == 1.0
    found = [
        compare_scores(truth, random.normal(size=200), random.normal(size=200), fold).p_value < 0.05
        for _ in range(300)
    ]
    assert 0.01 < np.mean(found) < 0.11


def test_one_class_has_no_auc() -> None:
    with pytest.raises(ValueError, match="one class only"):
        auc(np.ones(3), np.ones(3))


@given(st.lists(st.floats(0, 1), max_size=12))
def test_many_comparisons_are_corrected_by_holm_s_method(p_values: list[float]) -> None:
    corrected = correct_many(p_values)
    for p, said in zip(p_values, corrected, strict=True):
        # the largest, over those not above it, of p times how many are not below that one
        steps = [
            other * (len(p_values) - sum(x < other for x in p_values)) for other in p_values if other <= p
        ]
        assert said == pytest.approx(min(max(steps), 1.0))


def test_a_lead_is_told_from_one_side() -> None:
    assert ModelComparison(0.8, 0.9, 0.05, 0.04).p_second_ahead == 0.02
    assert ModelComparison(0.9, 0.8, 0.05, 0.04).p_second_ahead == 0.98


def test_the_threshold_is_where_f1_is_largest() -> None:
    random = np.random.default_rng(8)
    truth = random.random(400) < 0.05
    # scores of a model that was trained on few positives: hardly any is above one half
    scores = np.where(truth, random.beta(3, 9, 400), random.beta(1, 20, 400))
    found = choose_threshold(truth, scores)

    def f1_at(value: float) -> float:
        chosen = scores >= value
        return 2 * int((chosen & truth).sum()) / (int(chosen.sum()) + int(truth.sum()))

    assert found.f1 == pytest.approx(f1_at(found.value))
    assert found.f1 == pytest.approx(max(f1_at(value) for value in scores))
    assert found.f1 > f1_at(0.5)
    assert 0.05 < found.value < 0.4


def test_equal_scores_are_on_one_side_of_the_threshold() -> None:
    found = choose_threshold(np.array([0, 1, 1, 0]), np.array([0.2, 0.5, 0.5, 0.5]))
    assert (found.precision, found.recall) == (2 / 3, 1.0)
    assert found.value == 0.35
    assert choose_threshold(np.array([1, 1]), np.array([0.5, 0.5])).value == 0.5
