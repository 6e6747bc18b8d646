"""The card of a model, scores of hosts and reasons, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.errors import MissingError

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.classify.learning.model_file import HostModel


@pytest.fixture(scope="module")
def june() -> ws.Snapshot:
    pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    snapshot = ws.testing.snapshot_of(pages, parts=())
    snapshot.classify_features(sets="A")
    return snapshot


@pytest.fixture(scope="module")
def model(june: ws.Snapshot, tmp_path_factory: pytest.TempPathFactory) -> HostModel:
    labels = tmp_path_factory.mktemp("labels") / "labels.csv"
    lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12)]
    labels.write_text("\n".join(["host,label", *lines]))
    return june.classify_train(labels, library="small", folds=2)


def test_scores_are_counted_against_the_threshold_and_written_as_csv(
    june: ws.Snapshot, model: HostModel, tmp_path: Path
) -> None:
    scores = june.classify_predict(model)
    values = [row["score"] for row in scores]
    assert values == sorted(values, reverse=True)
    threshold = model.threshold
    assert threshold is not None
    assert scores.above == sum(value >= threshold for value in values)
    assert scores.to_dict()["above_threshold"] == scores.above
    assert f"spam: 12 hosts; {scores.above} of them score" in scores.summary
    assert list(scores.headings.values()) == ["host", "spam"]
    scores.write(tmp_path / "scores.csv")
    lines = (tmp_path / "scores.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("host,spam", 13)


def test_a_reason_has_the_usual_values_of_both_classes(june: ws.Snapshot, model: HostModel) -> None:
    reasons = june.classify_predict(model).explain("h11.example", most=3)
    assert 1 <= len(reasons) <= 3
    assert reasons.summary.startswith("h11.example: spam ")
    table = reasons.tables()["Reasons"]
    assert list(table.headings.values()) == ["set", "feature", "here", "not spam", "spam", "effect"]
    assert reasons.to_dict()["reasons"][0]["feature_set"] == "A"
    with pytest.raises(MissingError, match="no features here"):
        june.classify_predict(model).explain("nowhere.example")


def test_a_card_has_the_weights_of_all_members(model: HostModel) -> None:
    card = model.card()
    assert sum(member["weight"] for member in card.to_dict()["members"]) == pytest.approx(1)
    families = card.tables()["Weights of families"].to_arrow().to_pylist()
    assert sum(row["weight"] for row in families) == pytest.approx(1)
    assert "AUC on hosts not trained on" in card.summary
    assert card.warnings == model.training["warnings"]
