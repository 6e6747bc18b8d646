"""Which snapshots are kept."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.crawl.schedule.calendar import CUTS
from webstrata.crawl.schedule.thinning import find_superfluous, parse_keep
from webstrata.errors import SettingError

DAYS = st.lists(st.dates(dt.date(2020, 1, 1), dt.date(2027, 12, 31)).map(str), unique=True, max_size=60)
RULES = st.lists(st.tuples(st.sampled_from(CUTS), st.integers(1, 30)), max_size=3)


@given(DAYS, RULES)
def test_the_newest_is_kept_and_no_more_than_the_rules_say(
    labels: list[str], rules: list[tuple[str, int]]
) -> None:
    gone = find_superfluous(labels, rules)
    kept = [label for label in labels if label not in gone]
    assert set(gone) <= set(labels)
    if not rules:
        assert not gone
    elif labels:
        assert max(labels) in kept
        assert len(kept) <= sum(number for _, number in rules)
    # what was removed once is not missed: the same rules remove nothing more
    assert not find_superfluous(kept, rules)


def test_months_and_years_are_kept_apart() -> None:
    labels = [f"{year}-{month:02}" for year in (2023, 2024, 2025) for month in range(1, 13)]
    gone = find_superfluous(labels, parse_keep("monthly:3,yearly:3"))
    assert sorted(set(labels) - set(gone)) == ["2023-12", "2024-12", "2025-10", "2025-11", "2025-12"]


@pytest.mark.parametrize("text", ["monthly", "monthly:0", "hourly:3", "monthly:2;yearly:1", "24"])
def test_a_rule_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="write it as monthly:24,yearly:12"):
        parse_keep(text)
