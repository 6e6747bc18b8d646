"""Ensemble selection: what it promises, whatever the scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.classify.learning.metrics import METRICS, auc
from webstrata.classify.learning.selection import select


def library(seed: int, hosts: int = 60, models: int = 8) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    truth = random.random(hosts) < 0.4
    truth[:2] = [True, False]
    return truth, random.random((hosts, models)) + truth[:, None] * random.random(models)


@settings(max_examples=30)
@given(st.integers(0, 1000), st.sampled_from(sorted(METRICS)), st.booleans(), st.booleans())
def test_an_ensemble_is_never_worse_than_the_best_model(
    seed: int,
    metric: str,
    sorts: bool,  # noqa: FBT001
    replaces: bool,  # noqa: FBT001
) -> None:
    truth, scores = library(seed, 30, 5)
    found = select(
        truth, scores / scores.max(), metric=METRICS[metric], iterations=5, bags=3,
        sort_initialization=sorts, replacement=replaces, seed=seed,
    )  # fmt: skip
    assert found.score >= found.singles.max()
    assert found.weights.sum() == pytest.approx(1)
    assert found.score == pytest.approx(METRICS[metric](truth, scores / scores.max() @ found.weights))


def test_the_fast_measure_of_a_climb_is_the_measure() -> None:
    truth, scores = library(3)
    scores = np.round(scores, 1)  # ties
    fast = select(truth, scores, metric=auc, bags=4, seed=1)
    slow = select(truth, scores, metric=lambda truth, scores: auc(truth, scores), bags=4, seed=1)
    assert fast.weights.tolist() == slow.weights.tolist()
    assert fast.score == slow.score


def test_each_step_adds_the_model_that_helps_most() -> None:
    truth, scores = library(5)
    found = select(truth, scores, iterations=6, bags=0, sort_initialization=False)
    counts = np.zeros(8)
    counts[np.argmax(found.singles)] = 1
    best, kept = found.singles.max(), counts.copy()
    for _ in range(6):
        tried = [auc(truth, scores @ (counts + np.eye(8)[model])) for model in range(8)]
        counts[np.argmax(tried)] += 1
        if max(tried) > best:
            best, kept = max(tried), counts.copy()
    assert found.weights == pytest.approx(kept / kept.sum())


def test_without_replacement_no_model_counts_twice() -> None:
    truth, scores = library(6)
    weights = select(truth, scores, iterations=50, bags=0, replacement=False).weights
    assert len({round(weight, 12) for weight in weights if weight}) == 1


def test_bags_spread_the_weight_over_more_models() -> None:
    truth, scores = library(7, models=30)
    alone, bagged = (select(truth, scores, bags=bags, seed=1).weights for bags in (0, 20))
    assert (bagged > 0).sum() > (alone > 0).sum()
