"""Dates mean the same everywhere."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.collection.dates import find_last, find_range, parse_period, to_digits
from webstrata.errors import DateError, UsageError

MONTHS = ["2026-01", "2026-02", "2026-04"]


@pytest.mark.parametrize(
    "text", ["2026-13", "2026-99", "2026-02-30", "2026-1", "june", "", "202", "2026-06-12T99", "²⁰²⁶", "9999"]
)
def test_what_is_not_a_date_is_refused_with_the_forms_of_one(text: str) -> None:
    with pytest.raises(UsageError, match="is not a date; write it as 2026, 2026-06"):
        parse_period(text)


@given(st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(9000, 1, 1)), st.sampled_from(range(4, 16, 2)))
def test_a_moment_is_within_every_period_that_its_digits_begin_with(moment: dt.datetime, length: int) -> None:
    digits = f"{moment:%Y%m%d%H%M%S}"[:length]
    start, end = parse_period(digits)
    assert start <= moment.replace(tzinfo=dt.UTC) < end
    assert to_digits(digits) == digits


@pytest.mark.parametrize(
    ("at", "found"),
    [
        ("2026-01", "2026-01"),
        ("2026-03", "2026-02"),
        ("2026", "2026-04"),
        ("2030", "2026-04"),
        ("2026-02-01", "2026-02"),
        ("20260131235959", "2026-01"),
        ("2026-04-30T1200", "2026-04"),
    ],
)
def test_a_date_means_the_last_snapshot_at_or_before_it(at: str, found: str) -> None:
    assert find_last(MONTHS, at) == found


def test_a_date_before_the_first_snapshot_is_refused() -> None:
    with pytest.raises(DateError, match="2025-12 is before the first snapshot, 2026-01; give that date"):
        find_last(MONTHS, "2025-12")
    with pytest.raises(DateError, match="2025 is before the first snapshot"):
        find_last([], "2025")


def test_a_range_includes_both_of_its_ends() -> None:
    assert find_range(MONTHS, "2026-02", "2026-04") == ["2026-02", "2026-04"]
    assert find_range(MONTHS, end="2026-03") == ["2026-01", "2026-02"]
    assert find_range(MONTHS, "2026-01-15") == ["2026-02", "2026-04"]
    assert find_range(MONTHS) == MONTHS


def test_a_range_without_a_snapshot_is_refused() -> None:
    with pytest.raises(DateError, match="no snapshot is in the range from 2026-03 to 2026-03; there"):
        find_range(MONTHS, "2026-03", "2026-03")
    with pytest.raises(DateError, match="begins with 2026-04, after its end, 2026-01"):
        find_range(MONTHS, "2026-04", "2026-01")
