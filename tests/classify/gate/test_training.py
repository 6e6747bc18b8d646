"""Learning a gate: honest scores, a curve that adds up, labels that are missing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import webstrata as ws
from tests.classify.farms import PAGES, make_farms, measure_farms, train_farms
from webstrata.classify.gate.training import area, at_most, sample_snapshot, trace, train_gate
from webstrata.errors import MissingError
from webstrata.store.ingest.run import ingest


def test_a_gate_tells_farms_it_has_not_seen() -> None:
    trained = train_farms()
    assert (trained.hosts, trained.spam) == (len(measure_farms()), sum(make_farms()[1].values()))
    assert trained.auc["content"] > 0.8
    assert trained.auc["links"] > trained.auc["content"] - 0.02
    point = at_most(trained.curves["content"], 0.05)
    assert max(point.honest_hosts, point.honest_pages) <= 0.05
    assert point.spam_hosts > 0.2


def test_shuffled_labels_teach_nothing() -> None:
    sites, labels = measure_farms(), make_farms()[1]
    said = list(labels.values())
    np.random.default_rng(3).shuffle(said)
    shuffled = dict(zip(labels, said, strict=True))
    trained = train_gate(sites, np.full(len(sites), 12), shuffled, pages=PAGES, bound=0.01, folds=3)
    assert abs(trained.auc["content"] - 0.5) < 0.15


def test_the_area_is_that_of_scikit_learn() -> None:
    chance = np.random.default_rng(2)
    scores, truth = chance.integers(0, 20, 300) / 20, chance.random(300) < 0.3
    assert area(scores, truth) == pytest.approx(roc_auc_score(truth, scores))


def test_a_curve_counts_pages_behind_the_sample() -> None:
    scores = np.array([0.9, 0.8, 0.8, 0.1])
    truth = np.array([True, False, True, False])
    totals = np.array([12.0, 2.0, 4.0, 100.0])
    points = trace(scores, truth, totals, 3)
    # equal scores fall together; a host that is smaller than the sample loses nothing
    assert [(point.spam_hosts, point.honest_hosts) for point in points] == [
        (0, 0),
        (0.5, 0),
        (1, 0.5),
        (1, 1),
    ]
    assert points[2].spam_pages == (9 + 1) / 16
    assert points[2].honest_pages == 0
    assert points[3].honest_pages == 97 / 102


def test_labels_of_one_kind_are_refused() -> None:
    sites = measure_farms()[:20]
    with pytest.raises(MissingError, match="of 20 labelled hosts with pages 0 are spam; label more"):
        train_gate(sites, np.full(20, 12), {site.host: False for site in sites}, pages=2, bound=0.01)


def test_the_first_pages_of_a_host_are_those_fetched_first(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    for name in ("c", "a", "b"):
        (folder / f"{name}.html").write_text(f"<title>{name}</title><p>{'word ' * ord(name)}")
    snapshot = ws.create(folder / "uk").add("2026-06")
    _ = ingest(snapshot, [folder / f"{name}.html" for name in "cab"], base_url="http://www.example.org/")
    [site], totals = sample_snapshot(snapshot, 2)
    assert (site.host, site.num_pages, totals.tolist()) == ("example.org", 2, [3])


def test_a_gate_learns_nothing_from_pages_that_were_taken_down() -> None:
    uk = ws.testing.collection()
    june = uk["2026-06"]
    sites, totals = sample_snapshot(june, 3)
    assert [site.host for site in sites][-2:] == ["pills.example", "reef.example"]
    uk.takedown("pills.example", reason="a test")
    uk.takedown("http://reef.example/fish", reason="a test")
    fewer, left = sample_snapshot(june, 3)
    assert [site.host for site in fewer] == [site.host for site in sites if site.host != "pills.example"]
    assert left[-1] == totals[-1] - 1
