"""The changes page as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import DateError
from webstrata.serve.page.changes import show_changes

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site


def test_pages_and_reasons_are_those_of_the_search_for_changes(site: Site) -> None:
    view = show_changes(site, q="storm", from_="2026-05", to="2026-06")
    answer = site.collection.changes("storm", "2026-05", "2026-06")
    assert [row["url"] for row in view.rows] == [page.url for page in answer.top(15)]
    assert view.rows[0]["is_new"]
    assert view.rows[0]["words_gained"]


def test_the_drawing_tells_added_kept_and_removed_arcs_apart(site: Site) -> None:
    drawing = show_changes(site, q="storm").facts["drawing"]
    graph = site.collection.changes("storm").graph.top(12)
    added = {(arc["source"], arc["target"]) for arc in drawing["arcs"] if arc["state"] == "added"}
    assert added == {tuple(arc) for arc in graph.gained.tolist() if arc[0] != arc[1]}
    removed = {(arc["source"], arc["target"]) for arc in drawing["arcs"] if arc["state"] == "removed"}
    assert removed == {tuple(arc) for arc in graph.lost.tolist() if arc[0] != arc[1]}


@pytest.mark.parametrize(("start", "end"), [("2026-06", "2026-05"), (None, "2026-04")])
def test_dates_in_the_wrong_order_are_refused(site: Site, start: str | None, end: str) -> None:
    with pytest.raises(DateError, match="choose"):
        show_changes(site, q="storm", from_=start, to=end)


def test_without_a_query_the_last_two_snapshots_are_offered(site: Site) -> None:
    facts = show_changes(site).facts
    assert (facts["before"], facts["after"]) == ("2026-05", "2026-06")
