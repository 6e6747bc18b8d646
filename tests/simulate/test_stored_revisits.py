"""Policies of revisits compared on the rates of a stored web."""

from __future__ import annotations

import pytest

from webstrata import testing
from webstrata.errors import SettingError, UsageError
from webstrata.simulate.stored_revisits import simulate_revisits


def test_policies_spend_the_same_budget() -> None:
    june = testing.collection()["2026-06"]
    found = {
        each.policy: each
        for each in june.simulate_revisits(
            policies=["uniform", "known", "greedy"], budget="0.1/page/day", days=40
        )
    }
    assert found["uniform"].visits == pytest.approx(0.1 * 16 * 40, abs=3)
    assert found["known"].visits <= 0.1 * 16 * 40 + 3
    assert found["greedy"].visits <= 0.1 * 16 * 40 + 3
    assert found["known"].freshness > found["uniform"].freshness - 0.02
    assert all(0 < each.freshness <= 1 for each in found.values())


def test_a_part_of_many_pages_is_drawn() -> None:
    june = testing.collection()["2026-06"]
    found = simulate_revisits(june, policies=["uniform"], budget=1.6, days=40, max_pages=8)
    assert found[0].visits == pytest.approx(0.8 * 40, abs=3)


def test_one_snapshot_says_nothing_about_changes() -> None:
    with pytest.raises(UsageError, match="there is none before this one"):
        simulate_revisits(testing.collection()["2026-04"])
    with pytest.raises(UsageError, match="policy"):
        simulate_revisits(testing.collection()["2026-06"], policies=["lazy"])
    with pytest.raises(SettingError, match="above 0"):
        simulate_revisits(testing.collection()["2026-06"], budget="0/day")
