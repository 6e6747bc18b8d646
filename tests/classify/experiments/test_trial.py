"""A trial: ensembles measured on hosts that nothing has seen, and compared."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.classify.experiments.trial import Trial
from webstrata.classify.learning.matrix import HostMatrix
from webstrata.classify.settings import TrainSettings

SETTINGS = TrainSettings(library="small", folds=3)


@pytest.fixture(scope="module")
def trial() -> Trial:
    random = np.random.default_rng(1)
    truth = np.arange(150) % 3 == 0
    noise = random.normal(size=(150, 6))
    shown = random.random(150)  # half of the positives show one thing, half the other
    noise[:, 0] += 3 * truth * (shown < 0.6)
    noise[:, 2] += 3 * truth * (shown > 0.4)
    sets = {
        "B": (["b1", "b2"], noise[:, :2]),
        "link": (["l1", "l2"], noise[:, 2:4]),
        "noise": (["n1", "n2"], noise[:, 4:]),
    }
    return Trial(HostMatrix([f"{n}.org" for n in range(150)], sets), truth, np.arange(150) // 2, SETTINGS)


@pytest.mark.long
def test_sets_that_know_different_things_are_better_together(trial: Trial) -> None:
    content, both, noise = trial.combine(["B"]), trial.combine(["B", "link"]), trial.combine(["noise"])
    assert both.auc > content.auc + 0.05
    assert trial.compare(content, both).p_value < 0.01
    assert abs(noise.auc - 0.5) < 3 * noise.deviation
    assert sum(both.set_weights.values()) == pytest.approx(1)
    assert min(both.set_weights.values()) > 0.2
    assert both.auc > both.best_member_auc - 0.01


def test_a_single_model_is_ahead_only_if_more_than_the_best_of_so_many_would_be(trial: Trial) -> None:
    for names in (["B"], ["B", "link"], ["noise"]):
        found = trial.combine(names)
        assert 0 < found.best_member_p <= 1
        assert found.best_member_p == 1 or found.best_member_auc > found.auc
    assert trial.combine(["B", "link"]).best_member_p > 0.05


def test_noise_gets_little_weight_beside_what_tells(trial: Trial) -> None:
    weights = trial.combine(["B", "link", "noise"]).set_weights
    assert weights["noise"] < 0.5 * min(weights["B"], weights["link"])


def test_labels_dealt_out_at_random_are_not_learned(trial: Trial) -> None:
    found = trial.shuffled("B")
    # 75 pairs, some 25 of them positive
    assert 0.03 < found.deviation < 0.07
    assert abs(found.auc - 0.5) < 3 * found.deviation


def test_a_family_alone_is_measured_by_its_own_models(trial: Trial) -> None:
    assert 0.5 < trial.family_auc("B", "forest") < 1
    assert trial.fit("B") is trial.fit("B")  # fitted once


def test_with_a_test_set_nothing_else_is_measured() -> None:
    random = np.random.default_rng(4)
    truth = np.arange(80) % 2 == 0
    values = random.normal(size=(80, 2)) + 2 * truth[:, None]
    test = np.arange(80) >= 60
    values[~test & truth] += 100  # what is trained on is told apart without an error
    matrix = HostMatrix([f"{n}.org" for n in range(80)], {"B": (["x", "y"], values)})
    found = Trial(matrix, truth, np.arange(80), SETTINGS, test=test)
    outcome = found.combine(["B"])
    assert found.outer == [0]
    assert not outcome.scores[~test].any()
    assert 0.3 < found.trees_auc("B") <= 1
    assert found.compare(outcome, outcome).difference == 0
    # the AUC is that of the test hosts alone
    above = outcome.scores[test & truth][:, None] - outcome.scores[test & ~truth]
    assert outcome.auc == pytest.approx(((above > 0) + 0.5 * (above == 0)).mean())
