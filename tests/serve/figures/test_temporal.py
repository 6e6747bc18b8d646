"""The pictures of a union show its tables."""

from __future__ import annotations

from webstrata.serve.figures.temporal import draw_bias, draw_union
from webstrata.temporal.bias import BiasReport, Panel, estimate, tighten
from webstrata.temporal.union import UnionFacts


def test_overlaps_survival_and_ages_can_be_drawn() -> None:
    table = [[4, 2, 1], [2, 5, 3], [1, 3, 6]]
    labels = ["2026-01", "2026-02", "2026-03"]
    lives = [[2, 1, 1], [0, 1, 2], [0, 0, 3]]
    facts = UnionFacts(
        labels,
        "static",
        hosts=table,
        urls=table,
        arcs=table,
        arc_ages=[5, 2, 1],
        lives={"hosts": lives, "urls": lives, "arcs": lives},
    )
    figures = draw_union(facts, "uk")
    rows = figures[0].chart.to_dict()["data"]["values"]
    assert [row["common"] for row in rows] == [4, 2, 1, 5, 3, 6]
    assert round(rows[1]["share"], 4) == round(2 * 2 / (4 + 5), 4)
    assert [figure.name for figure in figures] == ["hosts", "urls", "survival", "ages"]
    assert [row["share"] for row in figures[3].chart.to_dict()["data"]["values"]] == [5 / 8, 2 / 8, 1 / 8]
    points = figures[2].chart.to_dict()["data"]["values"]
    assert [row["lag"] for row in points] == [1, 2] * 3 + [0] * 3
    assert [row["share"] for row in points if row["what"] == "pages"] == [5 / 9, 5 / 18, 1.0]
    # a union of version 0.1.0 does not know lives
    facts.lives = {}
    assert [figure.name for figure in draw_union(facts, "uk")] == ["hosts", "urls", "ages"]


def test_a_report_of_bias_can_be_drawn_with_and_without_the_truth() -> None:
    panel = Panel.from_urls([(["http://a/", "http://a/1", "http://b/"], [(0, 1), (1, 2)])] * 2)
    estimates = estimate(panel, replicates=16)
    for truth in ({}, {name: found.value for name, found in estimates.items()}):
        report = BiasReport(["2026-01", "2026-02"], [], estimates, tighten(panel), 16, truth)
        figures = draw_bias(report, "uk")
        assert ("truth" in str(figures[0].chart.to_dict())) == bool(truth)
        # all pages of both hosts live on, so there is no band to draw
        assert "no interval" in str(figures[0].chart.to_dict())
