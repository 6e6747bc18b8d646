"""How up to date a collection is, compared with what is known about its pages."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from webstrata import testing
from webstrata.crawl.schedule.freshness import measure_freshness, observe_changes
from webstrata.errors import DateError, SettingError, UsageError


def test_each_pair_of_captures_is_one_observation() -> None:
    uk = testing.collection()
    seen = observe_changes([uk[date] for date in uk.dates])
    present = [set(uk[date].urls) for date in uk.dates]
    pairs = sum(max(sum(url in urls for urls in present) - 1, 0) for url in set().union(*present))
    assert len(seen.pages) == pairs
    assert seen.intervals == pytest.approx(30.5, abs=1)


def test_changes_are_those_of_the_main_content() -> None:
    uk = testing.collection()
    seen = observe_changes([uk[date] for date in uk.dates])
    expected = 0
    for before, after in zip(uk.dates, uk.dates[1:], strict=False):
        for url in set(uk[before].urls) & set(uk[after].urls):
            texts = [uk[date].text[uk[date].urls.node(url)].main for date in (before, after)]
            expected += texts[0] != texts[1]
    assert int(seen.changed.sum()) == expected


@pytest.mark.parametrize("basis", ["text", "bytes"])
def test_more_counts_as_a_change_if_all_text_or_all_bytes_count(basis: str) -> None:
    uk = testing.collection()
    snapshots = [uk[date] for date in uk.dates]
    assert observe_changes(snapshots, basis).changed.sum() >= observe_changes(snapshots).changed.sum()  # type: ignore[arg-type]


def test_freshness_falls_and_age_grows_with_time() -> None:
    uk = testing.collection()
    found = [measure_freshness(uk, at=date).facts for date in ("2026-06-20", "2026-08-20", "2027-06-20")]
    assert [each["freshness"] for each in found] == sorted(
        (each["freshness"] for each in found), reverse=True
    )
    assert [each["age"] for each in found] == sorted(each["age"] for each in found)
    for each in found:
        assert each["freshness_low"] < each["freshness"] < each["freshness_high"]


def test_hosts_are_listed_with_the_least_fresh_first() -> None:
    found = measure_freshness(testing.collection(), at="2026-06-20")
    table = pl.DataFrame(found)
    assert table["freshness"].is_sorted()
    assert table["pages"].sum() == found.facts["pages"]
    assert table["host"][0] == "news.example"


def test_the_optimal_plan_is_never_worse_than_simple_rules() -> None:
    for row in measure_freshness(testing.collection(), at="2026-06-20").plans().rows:
        assert row["optimal"] >= max(row["equal"], row["proportional"]) - 1e-9


def test_a_budget_can_be_named() -> None:
    found = measure_freshness(testing.collection(), at="2026-06-20", budgets=[3.0])
    assert [row["visits_per_day"] for row in found.plans().rows] == [3.0]


def test_the_default_date_is_today() -> None:
    found = measure_freshness(testing.collection())
    assert found.at in {
        (dt.datetime.now(dt.UTC) - dt.timedelta(days=back)).date().isoformat() for back in (0, 1)
    }
    assert np.all(found.elapsed > 0)


def test_what_cannot_be_measured_is_refused_in_one_sentence() -> None:
    with pytest.raises(UsageError, match="it has 0; add another"):
        measure_freshness(testing.empty())
    with pytest.raises(UsageError, match="give a date after it"):
        measure_freshness(testing.collection(), at="2026-05")
    with pytest.raises(DateError):
        measure_freshness(testing.collection(), at="2026-13")
    with pytest.raises(SettingError, match="choose one of main, text, bytes"):
        measure_freshness(testing.collection(), basis="links")  # type: ignore[arg-type]
