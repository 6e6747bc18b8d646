"""Training: groups by domain and address, medians, what a model card says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from webstrata.classify.learning.labels import Labels
from webstrata.classify.learning.matrix import HostMatrix
from webstrata.classify.learning.training import train, warn_labels
from webstrata.classify.settings import TrainSettings
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path


class Told(Progress):
    """Keeps what is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


def test_a_model_tells_what_it_was_trained_on_and_unknown_hosts_are_told(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    random = np.random.default_rng(1)
    hosts = [f"{number % 2}.{number // 2}.org" for number in range(80)]
    truth = np.arange(80) // 2 % 3 == 0
    values = random.normal(size=(80, 2)) + truth[:, None] * [2.0, 0.0]
    matrix = HostMatrix(hosts, {"B": (["words", "noise"], values)}, {"B": {"ngram": 3}})
    labelled = dict(zip(hosts, truth.tolist(), strict=True)) | {"gone.org": True}
    told = Told()
    settings = TrainSettings(library="small", folds=3)
    model = train(snapshot, matrix, Labels("x.csv", {"spam": labelled}), "spam", settings, progress=told)
    assert told.notes == ["1 labelled host is not in the snapshot: gone.org"]
    counts = ("positives", "negatives", "unknown", "groups", "folds")
    assert [model.training[name] for name in counts] == [28, 52, 1, 40, 3]
    fold = model.estimator.fold_
    assert (fold[::2] == fold[1::2]).all()  # hosts of a domain
    assert 0.7 < model.training["auc"] <= 1
    assert model.typical["B"][1][0] == pytest.approx(np.median(values[truth, 0]))
    assert model.made == {"B": {"ngram": 3}}


def test_all_positives_on_one_domain_are_too_few(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    hosts = [f"{n}.farm.org" for n in range(10)] + [f"{n}.org" for n in range(10)]
    matrix = HostMatrix(hosts, {"B": (["words"], np.arange(20.0)[:, None])})
    labels = Labels("x.csv", {"spam": {host: "farm" in host for host in hosts}})
    with pytest.raises(MissingError, match="positives are in 1 group of hosts"):
        train(snapshot, matrix, labels, "spam", TrainSettings(library="small"))


def test_few_labels_are_warned_of() -> None:
    truth = np.arange(60) < 6
    assert warn_labels(truth, np.arange(60)) == [
        "computed from 6 positive labels, fewer than 10: AUC and threshold are doubtful"
    ]
    # twenty spam hosts of one domain are one observation
    together = warn_labels(np.arange(60) < 20, np.where(np.arange(60) < 20, 0, np.arange(60)))
    assert together == [
        "computed from 1 group of hosts with positive labels, fewer than 10: these hosts are not independent"
    ]
    assert warn_labels(np.arange(60) < 20, np.arange(60)) == []
