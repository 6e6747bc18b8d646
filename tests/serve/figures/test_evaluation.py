"""The figures of an evaluation have what its tables have."""

from __future__ import annotations

from webstrata.search.evaluate.tables import EvaluationLine, Report, SweepPoint
from webstrata.serve.figures.evaluation import draw_report


def test_figure_3_shows_links_before_after_and_their_difference() -> None:
    means = {"ndcg": 0.5, "recall": 0.4, "mrr": 1.0, "edges_before": 3.0, "edges_after": 10.0, "kept": 0.9}
    points = [SweepPoint("none", value, means) for value in (0.0, 0.5)]
    report = Report(
        2, {"restart": 0.9, "supersource": 200.0}, [EvaluationLine("none", means, None)], points, points
    )
    report.preset = "paper:change"
    figures = {figure.name: figure.chart.to_dict() for figure in draw_report(report)}
    rows = figures["figure-3"]["data"]["values"]
    assert {(row["what"], row["mean"]) for row in rows} == {
        ("before", 3.0),
        ("after", 10.0),
        ("difference", 7.0),
    }
    assert {row["mean"] for row in figures["figure-4"]["data"]["values"]} == {7.0}
    assert {row["mean"] for row in figures["figure-5"]["data"]["values"]} == {0.9}
    assert {row["month"] for row in figures["table-2"]["data"]["values"]} == {"month of change"}
