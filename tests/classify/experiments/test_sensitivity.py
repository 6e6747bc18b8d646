"""Shares of labels: what is drawn, and that more labels help."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from webstrata.classify.experiments.sensitivity import draw_labels, measure_sensitivity
from webstrata.classify.learning.matrix import HostMatrix


def test_a_draw_has_its_share_and_both_classes() -> None:
    truth = np.arange(100) == 3
    truth[7] = True
    for seed in range(20):
        drawn = draw_labels(truth, np.arange(100), 0.1, seed=seed)
        assert len(set(drawn.tolist())) == len(drawn)
        assert truth[drawn].sum() == 2
        assert len(drawn) in (10, 11, 12)
    assert len(draw_labels(truth, np.arange(50), 1.0, seed=1)) == 50


def test_more_labels_are_better_and_vary_less() -> None:
    random = np.random.default_rng(3)
    truth = np.arange(400) % 4 == 0
    values = random.normal(size=(400, 4)) + truth[:, None]
    sets = {"B": (list("abcd"), values), "bm25": (list("abcd"), sp.csr_matrix(values))}
    matrix = HostMatrix([f"{n}.org" for n in range(400)], sets)
    found = measure_sensitivity(matrix, truth, np.arange(400), ["B", "bm25"], shares=(0.1, 1.0), draws=6)
    assert [(one.feature_set, one.share, one.labels) for one in found] == [
        ("B", 0.1, 20), ("B", 1.0, 200), ("bm25", 0.1, 20), ("bm25", 1.0, 200),
    ]  # fmt: skip
    for few, many in (found[:2], found[2:]):
        assert many.mean > few.mean
        assert few.deviation > many.deviation


def test_a_test_set_is_what_draws_are_measured_on() -> None:
    random = np.random.default_rng(3)
    truth = np.arange(120) % 3 == 0
    values = random.normal(size=(120, 2)) + 2 * truth[:, None]
    test = np.arange(120) >= 90
    values[test] = 0  # nothing can be told there
    matrix = HostMatrix([f"{n}.org" for n in range(120)], {"B": (["x", "y"], values)})
    [found] = measure_sensitivity(matrix, truth, np.arange(120), ["B"], shares=(0.5,), draws=3, test=test)
    assert (found.labels, found.mean, found.draws) == (45, 0.5, 3)
