"""The home page as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata import testing
from webstrata.serve.page.home import list_top, show_home
from webstrata.serve.page.site import Site

if TYPE_CHECKING:
    import webstrata as ws


def test_figures_are_those_of_the_collection(site: Site, ready: ws.Collection) -> None:
    view = show_home(site)
    assert view.facts["pages"] == ready.temporal.num_nodes
    assert view.facts["captures"] == sum(len(list(snapshot.captures)) for snapshot in ready)
    assert [row["links"] for row in view.rows] == [snapshot.graph.num_arcs for snapshot in ready]
    assert [row["hosts"] for row in view.rows] == [5, 5, 5]
    assert view.missing == []
    assert view.facts["stale"] == []


def test_important_pages_have_their_ranks_through_time(site: Site, ready: ws.Collection) -> None:
    for row in list_top(site):
        for date, rank in zip(row["dates"], row["trajectory"], strict=True):
            node = ready[date].urls.get(row["url"])
            assert rank == (None if node is None else ready[date].rank().ranks[node])
        assert row["before"] == row["trajectory"][-2]


def test_an_empty_collection_has_a_home(site: Site) -> None:
    view = show_home(Site(testing.empty(), "uk"))
    assert view.rows == []
    assert view.facts["pages"] == 0
