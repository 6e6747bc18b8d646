"""A whole search: events found in their month, pages that are not aligned, stages replaced."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.search.change.events import CALM, make_events
from webstrata.errors import DateError, MissingError, UsageError
from webstrata.search.change import ChangeSearch
from webstrata.search.change.seeds import QuerySeeds
from webstrata.search.change.settings import RANKS, ChangesSettings

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


def test_what_happened_is_found_in_its_month_and_not_in_the_next(uk: ws.Collection) -> None:
    then = uk.changes("flood", "2026-01", "2026-02")
    assert {"http://city.org/flood", "http://paper.com/flood"} <= set(then.urls[:3])
    later = uk.changes("flood", "2026-02", "2026-03")
    assert next(row.change for row in later if row.url == "http://city.org/flood") == 0
    fire = uk.changes("fire", "2026-02", "2026-03", rank="pagerank")
    assert fire.urls[0] == "http://city.org/fire"
    # neighbours that changed came in, though they do not match
    assert any(row.through for row in fire)
    assert uk.changes("nowhere", "2026-01", "2026-02").urls == []


def test_pages_that_are_not_aligned_are_ranked_by_text_alone(uk: ws.Collection) -> None:
    answer = uk.changes("dynamic", "2026-01", "2026-02", expansion=0)
    (row,) = answer
    assert (row.url, row.is_aligned, row.change) == ("http://city.org/q?id=1", False, 0.0)
    assert (
        "1 pages of 2026-02 are not aligned and are ranked by text alone, 1 of the" in answer.stages[1].told
    )


def test_every_stage_can_be_another(uk: ws.Collection) -> None:
    search = ChangeSearch(uk)
    first = uk["2026-02"].urls.node("http://paper.com/cup")
    assert first is not None

    def seeds(query: str, label: str, number: int) -> QuerySeeds:
        return QuerySeeds(np.array([first]), np.ones(1))

    usual = search.stages
    search.stages = replace(usual, seeds=seeds, rank=lambda _graph, preference, _settings: -preference)
    answer = search.search(
        "anything", "2026-01", "2026-02", ChangesSettings(expansion=1, rank="none", matches_first=False)
    )
    assert len(answer) == 2
    assert answer.scores[0] > answer.scores[1]
    assert answer.order[0] != 0


def test_times_that_cannot_be_asked_for_are_refused(uk: ws.Collection, tmp_path: Path) -> None:
    search = ChangeSearch(uk)
    assert search.interval("2026-03") == ("2026-02", "2026-03")
    assert search.interval("2026-03", "2026-01") == ("2026-01", "2026-03")
    assert search.interval("2027-01") == ("2026-02", "2026-03")
    assert search.interval("2026-02-03") == ("2026-01", "2026-02")
    for words, why in (
        (("2026-01",), r"2026-01 is the first snapshot.* can be asked for is 2026-02"),
        (("2025-01",), "2025-01 is before the first snapshot, 2026-01"),
        (("2026-02", "2026-03"), r"2026-03 is not before 2026-02"),
        (("soon",), "'soon' is not a date"),
    ):
        with pytest.raises((DateError, UsageError), match=why):
            search.interval(*words)
    with pytest.raises(UsageError, match="the query is empty"):
        search.search(" ", "2026-01", "2026-02")
    with pytest.raises(MissingError, match="there is no such snapshot in the union"):
        search.search("flood", "2025-01", "2026-02")
    with pytest.raises(MissingError, match="it has 1 snapshot, and what changed takes two"):
        ChangeSearch(make_events(tmp_path / "one", {"2026-01": CALM}))


def test_matches_come_before_pages_that_links_reach_and_these_are_marked(uk: ws.Collection) -> None:
    for rank in RANKS:
        rows = list(uk.changes("fire", "2026-02", "2026-03", rank=rank))  # type: ignore[arg-type]
        marks = [row.reached_by_links for row in rows]
        assert marks == sorted(marks), rank
        assert marks == [row.text == 0 for row in rows]
        assert any(marks)
    # the paper's way: by score alone
    mixed = uk.changes("fire", "2026-02", "2026-03", rank="none", alpha=0.0, matches_first=False)
    marks = [row.reached_by_links for row in mixed]
    assert marks != sorted(marks)


def test_a_page_that_did_not_change_is_no_answer_before_one_that_did(uk: ws.Collection) -> None:
    query = "flood river water", "2026-01", "2026-02"
    texts = {row.url: row.text for row in uk.changes(*query, rank="none")}
    assert texts["http://city.org/old"] > texts["http://city.org/"]
    found = uk.changes(*query)
    assert found.settings.rank == "new-text"
    rows = {row.url: row for row in found}
    assert rows["http://city.org/old"].score == rows["http://city.org/old"].new_words == 0
    assert rows["http://city.org/flood"].new_words == 1
    assert found.urls.index("http://city.org/") < found.urls.index("http://city.org/old")


def test_alpha_changes_no_weight_of_a_link(uk: ws.Collection) -> None:
    search = ChangeSearch(uk)
    settings = ChangesSettings(rank="hits")
    found = search.gather("flood", "2026-01", "2026-02", settings)
    weights = [
        search.stages.weigh(found, replace(settings, alpha=alpha)).tolist() for alpha in (0.0, 0.5, 1.0)
    ]
    assert weights[0] == weights[1] == weights[2]
    assert search.stages.weigh(found, replace(settings, old_links=1.0)).tolist() != weights[0]


def test_seeds_are_chosen_among_more_matches_by_their_new_words(uk: ws.Collection) -> None:
    query = "flood river water", "2026-01", "2026-02"
    few, many = (uk.changes(*query, seeds=3, matches=matches, expansion=0) for matches in (3, 50))
    assert len(few) == len(many) == 3
    assert min(row.new_words or 0 for row in few) == 0
    assert min(row.new_words or 0 for row in many) > 0
