"""The tables of a union."""

from __future__ import annotations

from webstrata import testing
from webstrata.temporal.tables import UnionStatistics, tabulate_facts
from webstrata.temporal.union import UnionFacts


def test_two_snapshots_have_in_common_what_the_union_counted() -> None:
    union = testing.collection().temporal
    rows = UnionStatistics(union).tables()["URLs in common"].to_arrow().to_pylist()
    assert [row["2026-06"] for row in rows] == [row[2] for row in union.facts.urls]
    assert rows[2]["2026-04"] is None


def test_shares_of_arcs_by_age_add_up_to_one() -> None:
    found = UnionStatistics(testing.collection().temporal).tables()["Snapshots that an arc is in"]
    assert sum(found.to_dict()["ages_of_arcs"][place]["share"] for place in range(3)) == 1


def test_rules_with_most_support_come_first() -> None:
    rule = {"kind": "parameter", "support": 3, "across": 1, "precision": 1.0}
    facts = UnionFacts(
        ["2026-01"],
        "learned",
        rules=[{**rule, "host": "a", "name": "x"}, {**rule, "host": "b", "name": "y", "support": 9}],
        pages=[1],
        aligned=[1],
        hosts=[[1]],
        urls=[[1]],
    )
    assert tabulate_facts(facts)["Rules learned: 2"].to_dict()["rules"][0]["host"] == "b"


def test_a_union_of_the_first_version_says_that_it_has_no_survival_curves() -> None:
    union = testing.collection().temporal
    union.facts.lives = {}
    found = UnionStatistics(union)
    assert "no survival curves" in found.warnings[0]
    assert "Survival" not in found.tables()
