"""A model scores hosts by its own statistics, all of a snapshot or a few without the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.classify.web import make_web
from webstrata.classify.features.feature_sets import build_features
from webstrata.classify.learning.lessons import predict_hosts, train_model
from webstrata.classify.learning.matrix import load_matrix
from webstrata.classify.learning.model_file import load_model
from webstrata.classify.learning.prediction import load_model_matrix, split_hosts
from webstrata.classify.settings import ClassifySettings, TrainSettings
from webstrata.errors import UsageError
from webstrata.summaries.build import build_summaries
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws

HOSTS = 24
FEATURES = ClassifySettings(sets=("A", "B", "bm25"), least_share=0.05, most_share=1.0)


def _pages(month: int) -> dict[str, str]:
    """Half of the hosts sell pills; in a later month other words are frequent, and a host is new."""
    words = ["fish reef sea coral", "ship wood sail rope"][month]
    pages = {}
    for number in range(HOSTS + month):
        spam = number % 2 == 0
        text = (
            f"{words} {'cheap pills casino ' * (3 + number % 5) if spam else 'garden rose tulip '} n{number}"
        )
        pages[f"http://h{number}.example/"] = f"<title>{number}</title><p>{text} {'word ' * number}"
    return pages


def _build(folder: Path, label: str, month: int) -> ws.Snapshot:
    snapshot = make_web(folder, _pages(month), label)
    build_summaries(snapshot, SummariesSettings(min_df=1), workers=1)
    return snapshot


def _train(folder: Path) -> tuple[ws.Snapshot, Path]:
    may = _build(folder / "uk", "2026-05", 0)
    build_features(may, FEATURES)
    labels = folder / "labels.csv"
    lines = [f"h{number}.example,{'spam' if number % 2 == 0 else 'normal'}" for number in range(HOSTS)]
    labels.write_text("\n".join(["host,label", *lines]))
    path = folder / "spam.model"
    train_model(may, labels, output=path, settings=TrainSettings(library="small", folds=2, seed=1))
    return may, path


def test_scores_of_a_few_hosts_equal_those_of_the_whole_snapshot(tmp_path: Path) -> None:
    may, path = _train(tmp_path)
    model = load_model(path)
    june = _build(tmp_path / "uk", "2026-06", 1)
    for snapshot in (may, june):
        whole = {row["host"]: row["score"] for row in predict_hosts(snapshot, model).rows}
        some = predict_hosts(snapshot, model, hosts=["h3.example", "www.h20.example"]).rows
        assert {row["host"]: row["score"] for row in some} == {
            host: whole[host] for host in ("h3.example", "h20.example")
        }
    # the new host is spam, and is scored without features of June having been built
    new = predict_hosts(june, model, hosts=["h24.example"]).rows
    assert new[0]["score"] == whole["h24.example"] > max(whole[f"h{number}.example"] for number in (1, 3, 5))
    assert not any(record.name.startswith("features") for record in june.parts)


def test_a_model_keeps_its_vocabulary_when_the_snapshot_has_another(tmp_path: Path) -> None:
    may, path = _train(tmp_path)
    model = load_model(path)
    june = _build(tmp_path / "uk", "2026-06", 1)
    build_features(june, FEATURES)
    stored = load_matrix(june, ["bm25"]).sets["bm25"][0]
    matrix = load_model_matrix(june, model)
    assert matrix.sets["bm25"][0] == model.columns["bm25"]
    assert "reef" in model.columns["bm25"]
    assert "reef" not in stored
    facts = model.statistics["bm25"]
    assert facts["num_documents"] == HOSTS
    # the stored set is used where its statistics are the model's
    assert load_model_matrix(may, model).made["bm25"]["max_pages"] == 400


def test_a_host_without_a_page_is_refused_in_one_sentence(tmp_path: Path) -> None:
    may, path = _train(tmp_path)
    with pytest.raises(UsageError, match=r"cannot be computed for no\.example, which has no page here"):
        predict_hosts(may, load_model(path), hosts=["h1.example", "no.example"])
    with pytest.raises(UsageError, match="names no host"):
        split_hosts(" , ")
