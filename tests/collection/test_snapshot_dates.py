"""Snapshots are named by dates, and ranges of them are understood."""

from __future__ import annotations

import pytest

from webstrata.collection.snapshot_dates import expand_range, is_date
from webstrata.errors import DateError

KNOWN = ["2026-01", "2026-02", "2026-03"]


@pytest.mark.parametrize(
    ("word", "found"),
    [("2026-02", KNOWN[1:2]), ("..2026-02", KNOWN[:2]), ("2026-02..", KNOWN[1:]), ("..", KNOWN)],
)
def test_a_range_is_what_lies_between_its_ends(word: str, found: list[str]) -> None:
    assert expand_range(word, KNOWN) == found


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("2026-07", "no snapshot 2026-07; known are 2026-01"),
        ("", "a date is missing between commas"),
        ("2026-03..2026-01", "the range ends before it begins"),
    ],
)
def test_what_is_no_range_is_refused(word: str, sentence: str) -> None:
    with pytest.raises(DateError, match=sentence):
        expand_range(word, KNOWN)


def test_a_month_that_does_not_exist_is_no_label() -> None:
    assert is_date("2026-12")
    assert not is_date("2026-13")
