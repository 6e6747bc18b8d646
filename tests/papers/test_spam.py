"""SPAM: definitions of sections 3 to 6 worked by hand, the library of section 4.1, and the preset."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.classify.web import make_web
from webstrata.classify.features.content import AA, A, B
from webstrata.classify.features.incremental import measure_like
from webstrata.classify.features.similarity import exact_psimrank, exact_xjaccard
from webstrata.classify.features.sparse_table import from_table
from webstrata.classify.features.temporal_content import motion
from webstrata.classify.features.temporal_links import rate_columns
from webstrata.classify.features.term_vectors import Documents, build_bm25, choose_terms, weigh_documents
from webstrata.classify.learning.metrics import auc
from webstrata.classify.learning.models import (
    CostSensitiveTrees,
    LibraryOptions,
    library_of,
    member_names,
    new_library,
)
from webstrata.classify.learning.selection import select
from webstrata.classify.settings import ClassifySettings, TrainSettings
from webstrata.collection.progress import Progress
from webstrata.graph import Graph
from webstrata.pipeline.presets import preset_settings
from webstrata.summaries.build import build_summaries
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from pathlib import Path


def test_death_and_growth_rates_of_section_3_1_1() -> None:
    """Node 0 has in-links from 1, 2, 3, 4, then from 3, 4, 5: IDR = 2/4, IGR = 1/4; ODR, OGR alike."""
    before = Graph.from_arcs([(1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (0, 2)], num_nodes=6)
    after = Graph.from_arcs([(3, 0), (4, 0), (5, 0), (0, 1), (0, 4), (0, 5)], num_nodes=6)
    columns = {name: float(values[0]) for name, values in rate_columns(before, after).items()}
    assert columns["idr"] == 2 / 4
    assert columns["igr"] == 1 / 4
    assert columns["odr"] == 1 / 2
    assert columns["ogr"] == 2 / 2
    # across in-neighbours of now, 3, 4 and 5; 5 had no out-links, so it has no rate
    assert columns["odr_mean"] == 0
    assert len(columns) == 33  # the text lists 33, table 10 counts 29


def test_change_rate_of_the_clustering_coefficient_of_section_3_1_1() -> None:
    """Of the out-neighbours 1, 2, 3 one of six ordered pairs is linked, then three: (3/6 − 1/6) / (1/6)."""
    before = Graph.from_arcs([(0, 1), (0, 2), (0, 3), (1, 2)], num_nodes=4)
    after = Graph.from_arcs([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 1)], num_nodes=4)
    assert rate_columns(before, after)["crcc"][0] == pytest.approx(2.0)


def test_simrank_falls_with_the_number_of_common_neighbours_and_psimrank_does_not() -> None:
    """Sections 3.1.2 and 3.1.4: with k unchanged neighbours Sim = c/k, PSim = c whatever k is."""
    for k in (1, 4, 16):
        graph = Graph.from_arcs([(0, neighbour) for neighbour in range(1, k + 1)], num_nodes=k + 1)
        neighbours = graph.successors(0).tolist()
        same = sum(one == other for one in neighbours for other in neighbours)
        assert 0.15 * same / k**2 == pytest.approx(0.15 / k)
        assert exact_psimrank(graph, graph)[0, 0] == pytest.approx(0.15)


def test_xjaccard_of_section_3_1_3_sums_the_overlaps_of_distances() -> None:
    """Γ₁ = {1, 2} and {1, 3}: J₁ = 1/3; Γ₂ = {4} and {4, 5}: J₂ = 1/2; XJac₂ = Σ J_k c^k (1 − c), c = 0.1."""
    before = Graph.from_arcs([(0, 1), (0, 2), (1, 4)], num_nodes=6)
    after = Graph.from_arcs([(0, 1), (0, 3), (1, 4), (3, 5)], num_nodes=6)
    found = exact_xjaccard(before, after, by_distance=True)[:, 0]
    assert found[0] == pytest.approx(0.9 * 0.1 / 3)
    assert found[1] == pytest.approx(0.9 * (0.1 / 3 + 0.01 / 2))


def test_bm25_of_section_3_2_has_the_idf_of_robertson_and_sparck_jones() -> None:
    """IDF = log((N − n + ½)/(n + ½)), K = k₁ ((1 − b) + b dl/avdl); N does not depend on the time."""
    documents = Documents(csr_array([[3, 0], [0, 1], [0, 2]]), np.array([10.0, 20.0, 30.0]), np.ones(3, bool))
    found = weigh_documents(documents, num_documents=8).toarray()
    constant = 1.2 * (0.25 + 0.75 * 10 / 20)
    assert found[0, 0] == pytest.approx(math.log((8 - 1 + 0.5) / 1.5) * 2.2 * 3 / (constant + 3))
    assert found[0, 1] == 0


def test_the_vocabulary_of_section_3_2_is_in_10_to_50_percent_of_documents() -> None:
    shares = [0.05, 0.1, 0.3, 0.5, 0.55]
    counts = np.array([[1 if row < share * 100 else 0 for share in shares] for row in range(100)])
    documents = Documents(csr_array(counts), np.ones(100), np.ones(100, bool))
    assert choose_terms([documents]).tolist() == [1, 2, 3]
    assert choose_terms([documents], number=2).tolist() == [2, 3]  # the most frequent


def test_the_five_groups_of_section_3_2() -> None:
    """Of 1, 3, 2: Ave 2, AveDiff 3/2, Dev 1, DevDiff ½; Decay weighs older ones less (printed: more)."""
    found = motion(np.array([1.0, 3.0, 2.0]), decay=0.5)
    assert found["ave"] == 2
    assert found["avediff"] == 1.5
    assert found["dev"] == 1
    assert found["devdiff"] == pytest.approx(((2 - 1.5) ** 2 + (1 - 1.5) ** 2) / 1)
    assert found["decay"] == pytest.approx(0.5 * (math.exp(-1) * 1 + math.exp(-0.5) * 3 + 2))


def test_ensemble_selection_of_section_4_climbs_with_replacement_to_a_better_auc() -> None:
    random = np.random.default_rng(3)
    truth = np.arange(200) % 2 == 0
    scores = random.normal(size=(200, 6)) + np.array([1.0, 1.0, 1.0, 0.2, 0.0, 0.0]) * truth[:, None]
    chosen = select(truth, scores, iterations=100, seed=1)
    assert chosen.weights.sum() == pytest.approx(1)
    assert auc(truth, scores @ chosen.weights) == pytest.approx(chosen.score)
    assert chosen.score >= chosen.singles.max()
    assert chosen.weights[:3].sum() > 0.8


def test_the_library_of_section_4_1_is_complete() -> None:
    models = new_library("paper", 176)
    names = [member for name, model in models.items() for member in member_names(name, model)]
    assert [name for name in names if "rounds" in name] == [
        f"LogitBoost, {rounds} rounds" for rounds in (2, 4, 8, 16, 32, 64)
    ]
    assert [name for name in names if "cost" in name] == [
        f"trees at cost {cost}" for cost in range(10, 301, 10)
    ]
    assert len([name for name in names if "ridge" in name]) == 13  # 10^-8 to 10^4 by factors of 10
    s = math.sqrt(176)
    forests = [(name, model) for name, model in models.items() if name.startswith("forest")]
    assert [model.max_features for _, model in forests] == [round(factor * s) for factor in (0.5, 1, 2, 4, 8)]
    assert {model.n_estimators for _, model in forests} == {250}
    assert len([name for name in names if "naive Bayes" in name]) == 3


def test_term_vectors_of_section_4_1_have_forests_and_machines_alone() -> None:
    name = library_of("paper", terms=True)
    models = new_library(name, 10_000)
    assert {member.partition(",")[0] for member in models} == {"forest", "linear SVM"}
    forests = [model.max_features for member, model in models.items() if member.startswith("forest")]
    assert forests == [50, 100, 200, 400, 800]
    only = new_library(name, 10_000, options=LibraryOptions(term_models="svm"))
    assert {member.partition(",")[0] for member in only} == {"linear SVM"}


def test_costs_of_section_4_1_can_fall_on_false_positives_as_printed() -> None:
    options = LibraryOptions(costly="false-positive")
    trees = [
        model
        for model in new_library("paper", 9, options=options).values()
        if isinstance(model, CostSensitiveTrees)
    ]
    assert {model.costly for model in trees} == {"false-positive"}
    assert {model.n_trees for model in trees} == {10}


def test_the_feature_sets_of_section_5_1_have_their_sizes() -> None:
    assert len(B) == 96
    assert len(AA) == 24
    # the description leaves 48; the table's 74 is 3 × 24 and the two direct features, corpus words kept
    assert len(A) == 48
    assert not [name for name in A if "corpus" in name or name.startswith("top_")]


def test_a_new_site_is_weighed_by_existing_document_frequencies(tmp_path: Path) -> None:
    """Section 6.2: its vector is that of the formula with the old N, n and avdl, and needs no other site."""
    pages = {f"http://h{number}.org/": f"<p>{'fish ' * number} reef" for number in range(1, 5)}
    may = make_web(tmp_path / "uk", pages, "2026-05")
    june = make_web(tmp_path / "uk", pages | {"http://new.org/": "<p>fish fish fish pills"}, "2026-06")
    for snapshot in (may, june):
        build_summaries(snapshot, SummariesSettings(min_df=1), workers=1)
    settings = ClassifySettings(least_share=0, most_share=1)
    known = from_table(build_bm25(may, settings, Progress()))
    hosts, found = measure_like(june, "bm25", known.names, known.facts, settings.to_dict(), hosts=["new.org"])
    lengths = [number + 1 for number in range(1, 5)]
    constant = 1.2 * (0.25 + 0.75 * 4 / (sum(lengths) / 4))
    wanted = math.log((4 - 4 + 0.5) / (4 + 0.5)) * 2.2 * 3 / (constant + 3)
    assert hosts == ["new.org"]
    assert found[0, known.names.index("fish")] == pytest.approx(wanted, rel=1e-6)
    assert "pill" not in known.names


def test_the_preset_has_the_settings_of_the_experiments() -> None:
    features = preset_settings("paper:spam", ClassifySettings)
    assert (features.max_terms, features.least_share, features.most_share) == (10_000, 0.1, 0.5)
    assert features.max_pages == 400
    training = preset_settings("paper:spam", TrainSettings)
    assert (training.library, training.costly, training.term_models) == ("paper", "false-positive", "both")
    assert (training.metric, training.folds, training.together) == ("auc", 5, "both")
