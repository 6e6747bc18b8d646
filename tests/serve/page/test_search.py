"""The search page as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import DateError
from webstrata.serve.page.search import show_completion, show_search, split_marks

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site


def test_hits_over_time_are_the_counts_of_each_snapshot(site: Site) -> None:
    view = show_search(site, q="fish")
    counts = {mark.date: mark.count for mark in view.marks}
    for date in site.dates:
        assert counts[date] == len(site.collection.search("fish", at=date, limit=100))
    assert all(mark.is_chosen for mark in view.marks)


def test_a_date_chooses_its_snapshot_and_keeps_the_histogram(site: Site) -> None:
    whole, one = show_search(site, q="fish"), show_search(site, q="fish", at="2026-05-20")
    assert [mark.count for mark in one.marks] == [mark.count for mark in whole.marks]
    assert [mark.date for mark in one.marks if mark.is_chosen] == ["2026-05"]
    assert one.facts["total"] == {mark.date: mark.count for mark in one.marks}["2026-05"]


def test_a_result_tells_when_it_was_seen_and_how_often_it_changed(site: Site) -> None:
    rows = {row["url"]: row for row in show_search(site, q="tomatoes pond bread").rows}
    tomatoes, bread = rows["http://garden.example/tomatoes"], rows["http://kitchen.example/bread"]
    assert (tomatoes["versions"], tomatoes["first_seen"], tomatoes["last_seen"]) == (3, "2026-04", "2026-06")
    assert (bread["versions"], bread["first_seen"], bread["last_seen"]) == (1, "2026-04", "2026-04")


def test_words_of_the_query_are_marked_in_snippets(site: Site) -> None:
    for row in show_search(site, q="fish").rows:
        marked = {piece.lower() for piece, is_marked in row["snippet"] if is_marked}
        assert not marked or any("fish" in word for word in marked)


def test_filters_by_host_and_language_narrow_the_results(site: Site) -> None:
    hosts = {row["host"] for row in show_search(site, q="fish", host="reef.example").rows}
    assert hosts == {"reef.example"}
    assert show_search(site, q="fish", language="de").rows == []
    assert show_search(site, q="fish", language="en").facts["total"] > 0


def test_pages_of_results_follow_each_other(site: Site) -> None:
    first = show_search(site, q="fish OR pills OR garden OR kitchen")
    assert first.next
    assert len(first.rows) == 10
    second = show_search(site, q="fish OR pills OR garden OR kitchen", cursor=first.next)
    assert [row["rank"] for row in second.rows] == list(range(11, 11 + len(second.rows)))
    assert not {row["url"] for row in first.rows} & {row["url"] for row in second.rows}


def test_a_time_and_a_range_together_are_refused(site: Site) -> None:
    with pytest.raises(DateError, match="at names one time"):
        show_search(site, q="fish", at="2026-05", from_="2026-04")


def test_no_query_shows_pages_per_snapshot(site: Site) -> None:
    view = show_search(site, at="2026-05")
    assert view.rows == []
    assert view.unit == "pages"
    assert [mark.date for mark in view.marks if mark.is_chosen] == ["2026-05"]


def test_stray_marks_of_a_text_do_no_harm() -> None:
    assert "".join(piece for piece, _ in split_marks("\ue001a\ue000b\ue000c\ue001d")) == "abcd"


def test_completion_completes_the_last_word(site: Site) -> None:
    assert all(row["text"].startswith("soup f") for row in show_completion(site, q="soup f").rows)
