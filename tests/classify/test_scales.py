"""Ranks against their definition, and probabilities that keep the order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.classify.metrics import auc
from webstrata.classify.scales import KNOTS, Calibration, Scale, find_scales, rank

scores = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=1, max_size=60)


@given(scores)
def test_a_rank_is_the_share_of_scores_below(said: list[float]) -> None:
    found = Scale.of(np.array(said))(np.array(said))
    for score, place in zip(said, found, strict=True):
        expected = (sum(other < score for other in said) + sum(other == score for other in said) / 2) / len(
            said
        )
        assert place == pytest.approx(expected)


@given(scores, scores)
def test_ranks_of_new_scores_keep_their_order_and_stay_within_bounds(
    said: list[float], new: list[float]
) -> None:
    order = np.sort(np.array([0.0, *new, 1.0]))
    found = Scale.of(np.array(said))(order)
    assert (np.diff(found) >= 0).all()
    assert 0 <= found[0] <= found[-1] <= 1


def test_many_scores_are_thinned_out() -> None:
    said = np.random.default_rng(1).beta(0.3, 2, 50_000)
    scale = Scale.of(said)
    assert len(scale.scores) <= KNOTS + 2
    exact = (np.argsort(np.argsort(said)) + 0.5) / len(said)
    assert np.abs(scale(said) - exact).max() < 1.5 / KNOTS


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 40))
def test_probabilities_keep_the_order_and_are_never_certain(
    seed: int, positives: int, negatives: int
) -> None:
    random = np.random.default_rng(seed)
    truth = np.arange(positives + negatives) < positives
    ranks = random.random(len(truth)) * 0.9 + 0.05 + 0.05 * truth
    said = Calibration.fit(truth, ranks)(ranks)
    assert (np.diff(said[np.argsort(ranks)]) >= 0).all()
    assert ((said > 0) & (said < 1)).all()
    assert auc(truth, said) == pytest.approx(auc(truth, ranks))


def test_the_mean_of_probabilities_is_the_share_of_positives() -> None:
    random = np.random.default_rng(3)
    ranks = random.random(4000)
    truth = random.random(4000) < ranks**4
    found = Calibration.fit(truth, ranks)
    assert found(ranks).mean() == pytest.approx(truth.mean(), abs=0.003)
    # the curve of the truth is one that it can draw nearly
    assert np.abs(found(ranks) - ranks**4).mean() < 0.03


def test_ranks_of_a_library_have_equal_means() -> None:
    said = np.stack([np.linspace(0, 0.01, 101), np.repeat([0.0, 1.0], [50, 51])], axis=1)
    assert rank(said, find_scales(said)).mean(axis=0) == pytest.approx([0.5, 0.5])
