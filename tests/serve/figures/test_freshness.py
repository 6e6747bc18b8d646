"""Pictures of change rates and budgets."""

from __future__ import annotations

from webstrata import testing
from webstrata.serve.figures.freshness import RULES, draw_freshness


def test_every_page_is_in_the_histogram_and_every_rule_in_the_curves() -> None:
    found = testing.collection().freshness(at="2026-06-20")
    rates, budgets = (figure.chart.to_dict() for figure in draw_freshness(found))
    assert sum(row["pages"] for row in rates["data"]["values"]) == found.facts["pages"]
    assert {row["visits are"] for row in budgets["data"]["values"]} == set(RULES)
    assert len(found.figures()) == 2
