"""Budgets as people write them."""

from __future__ import annotations

import pytest

from webstrata.crawl.schedule.budget import parse_budget
from webstrata.errors import SettingError


@pytest.mark.parametrize(
    ("text", "visits"),
    [
        ("20/s", 1_728_000),
        ("10/min", 14_400),
        ("1000/h", 24_000),
        ("5000/day", 5_000),
        ("7", 7),
        ("0.5/page/day", 50),
    ],
)
def test_budgets_are_read_in_every_unit(text: str, visits: float) -> None:
    assert parse_budget(text, num_pages=100) == pytest.approx(visits)


@pytest.mark.parametrize("text", ["", "fast", "-3/s", "3/week", "1e9/s", "0/s"])
def test_what_is_no_budget_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(SettingError, match="budget"):
        parse_budget(text)
