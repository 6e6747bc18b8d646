"""Table 2 and the sweeps: every rank, every α, every size."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.search.evaluate.test_experiment import QUERIES, RIGHT
from webstrata.pipeline.presets import preset_settings
from webstrata.search.change import ChangeSearch
from webstrata.search.change.settings import ChangesSettings
from webstrata.search.evaluate.experiment import SearchExperiment
from webstrata.search.evaluate.tables import ALPHAS, EXPANSIONS, ORDER, PAPER_RANKS, evaluate
from webstrata.serve.figures.evaluation import draw_report

if TYPE_CHECKING:
    import webstrata as ws


def test_the_tables_have_every_rank_and_every_sweep(uk: ws.Collection) -> None:
    experiment = SearchExperiment(ChangeSearch(uk), QUERIES, RIGHT)
    perfect = {name: list(grades) for name, grades in RIGHT.items()}
    report = evaluate(experiment, others={"perfect": perfect})
    assert [line.name for line in report.table] == ["bm25", *ORDER, "perfect"]
    assert report.table[-1].month["ndcg"] == 1.0
    assert {(point.rank, point.value) for point in report.by_alpha} == {(r, a) for r in ORDER for a in ALPHAS}
    assert {(point.rank, point.value) for point in report.by_expansion} == {
        (rank, float(size)) for rank in ORDER for size in EXPANSIONS
    }
    same = next(point for point in report.by_alpha if (point.rank, point.value) == ("hits", 0.5))
    line = next(line for line in report.table if line.name == "hits")
    assert line.month == same.means
    assert line.other is not None
    assert set(report.alpha_tests) == {"0", "1"}
    assert all(0 < test["ndcg"] <= 1 for test in report.alpha_tests.values())
    assert "runs" not in json.loads(json.dumps(report.to_dict()))
    assert [figure.name for figure in draw_report(report)] == [
        "measures", "ndcg-by-alpha", "ndcg-by-expansion", "links-by-alpha", "links-by-expansion",
        "paths-by-alpha",
    ]  # fmt: skip
    assert report.kinds == {}


def test_the_paper_is_named_only_with_its_ranks_and_settings(uk: ws.Collection) -> None:
    experiment = SearchExperiment(ChangeSearch(uk), QUERIES, RIGHT)
    paper = preset_settings("paper:change", ChangesSettings)
    report = evaluate(experiment, paper, ranks=PAPER_RANKS, preset="paper:change")
    names = ["BM25", "None", "PageRank-0.9", "HitsAuth-200", "HitsHubs-200", "Combined"]
    assert [report.show_name(line.name) for line in report.table] == names
    assert {report.show_name(point.rank) for point in report.by_alpha} == set(names[1:])
    assert [figure.name for figure in draw_report(report)] == [
        "table-2", *(f"figure-{number}" for number in range(1, 6))
    ]  # fmt: skip
    # the same scores as ranking one by one with equal weights
    line = next(line for line in report.table if line.name == "hits-authority")
    asked = experiment.ask(replace(ChangesSettings(), rank="hits-authority", link_weights="equal",
                                   matches_first=False))  # fmt: skip
    assert line.month["ndcg"] == asked.mean("ndcg")


def test_the_baseline_is_in_every_table_and_sweep(uk: ws.Collection) -> None:
    experiment = SearchExperiment(ChangeSearch(uk), QUERIES, RIGHT)
    report = evaluate(experiment, ranks=["hits"], sweeps=["hits"])
    assert [line.name for line in report.table] == ["bm25", "none", "hits"]
    assert {point.rank for point in (*report.by_alpha, *report.by_expansion)} == {"none", "hits"}


def test_queries_of_each_kind_have_their_own_means_and_their_best_rank(uk: ws.Collection) -> None:
    queries = [replace(query, kind=kind) for query, kind in zip(QUERIES, ("edits", "links"), strict=False)]
    report = evaluate(SearchExperiment(ChangeSearch(uk), queries, RIGHT), ranks=["hits"], sweeps=False)
    rows = {row["kind"]: row for row in report.by_kind()}
    assert set(rows) == set(report.kinds.values())
    for query in queries:
        row = rows[query.kind]
        assert row["queries"] == 1
        assert row["hits"] == report.per_query["hits"][query.id]["ndcg15"]
        assert row[row["best"]] == max(row[name] for name in ("bm25", "none", "hits"))
    assert "NDCG@15 by kind of event" in report.tables()
