"""Methods of a snapshot that build, learn and serve."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata import testing
from webstrata.errors import MissingError, SettingError

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

HOSTS = 12


@pytest.fixture
def farm(tmp_path: Path) -> tuple[Snapshot, Path]:
    """Twelve hosts, half of them labelled as spam, with features of their contents."""
    pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(HOSTS)}
    june = testing.snapshot_of(pages, parts=())
    labels = tmp_path / "labels.csv"
    lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(HOSTS)]
    labels.write_text("\n".join(["host,label", *lines]))
    assert [made.name for made in june.classify_features(sets="A")] == ["A"]
    return june, labels


def test_a_model_is_learned_kept_in_a_file_and_scores_hosts(
    farm: tuple[Snapshot, Path], tmp_path: Path
) -> None:
    june, labels = farm
    with pytest.raises(ws.errors.UsageError, match=r"h0\.example and 11 more are labelled in"):
        june.classify_train(labels, test=labels, library="small", output=tmp_path / "model")
    assert not (tmp_path / "model").exists()
    model = june.classify_train(labels, output=tmp_path / "model", library="small", folds=2)
    scores = june.classify_predict(tmp_path / "model")
    assert {row["host"] for row in scores.rows[:6]} == {f"h{n}.example" for n in range(6, HOSTS)}
    [one] = june.classify_predict(model, hosts=["h0.example"]).rows
    assert one["host"] == "h0.example"
    with pytest.raises(MissingError, match="nowhere"):
        june.classify_train(tmp_path / "nowhere")
    with pytest.raises(SettingError, match="library"):
        june.classify_train(labels, library="huge", output=tmp_path / "other")  # type: ignore[arg-type]
    assert not (tmp_path / "other").exists()


def test_an_experiment_compares_models_by_labels(farm: tuple[Snapshot, Path]) -> None:
    june, labels = farm
    experiment = june.classify_experiment(labels, sets=["A"], draws=2, library="small", folds=2)
    assert experiment.tables()
    with pytest.raises(ws.errors.UsageError, match="no labels"):
        june.classify_experiment()


def test_graphs_and_summaries_are_built_by_their_methods(tmp_path: Path) -> None:
    june = testing.snapshot()
    numbers = june.graph.num_nodes, june.graph.num_arcs
    june.graph_build(order="bfs", window=3)
    assert (june.graph.num_nodes, june.graph.num_arcs) == numbers
    assert "graph-bfs" in june.parts
    assert june.parts.record("graph").settings["window"] == 3
    archive = june.summaries_build(min_df=1)
    assert archive.num_summaries == june.summaries.num_summaries == len(june.urls)
    assert june.graph_convert(tmp_path / "arcs", to="edges", transpose=True) == numbers
    lines = (tmp_path / "arcs").read_text().splitlines()
    assert len([line for line in lines if line and not line.startswith("#")]) == numbers[1]


def test_a_part_that_a_snapshot_does_not_have_is_named() -> None:
    june = testing.snapshot()
    for name in ("release", "connectivity"):
        bare = testing.empty().add("2026-06")
        with pytest.raises(MissingError):
            getattr(bare, name)
    with pytest.raises(MissingError, match="no part release"):
        _ = june.release
    with pytest.raises(MissingError, match="simulation"):
        june.simulation("long")


def test_the_truth_of_a_month_is_written_with_its_counts() -> None:
    june = testing.empty().add("2026-06")
    counts = june.invitro_truth(preset="tiny", seed=3, pages=60, hosts=6)
    assert "truth" in june.parts
    assert june.parts.record("truth").counts["nodes"] == counts["nodes"] > 0
    with pytest.raises(ws.errors.UserError, match="nosuch"):
        june.invitro_truth(preset="nosuch")


def test_links_are_served_while_the_server_runs() -> None:
    june = testing.snapshot()
    server = june.links_server()
    with server, urllib.request.urlopen(f"{server.url}/openapi.json", timeout=20) as response:
        document = json.load(response)
    assert document["openapi"].startswith("3.")
