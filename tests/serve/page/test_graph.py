"""The graph page as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.serve.page.graph import show_graph
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site


def test_neighbours_of_a_page_are_its_links_in_both_directions(site: Site) -> None:
    rows = show_graph(site, of="http://reef.example/").rows
    june = site.collection["2026-06"]
    for way, inward in (("out", False), ("in", True)):
        expected = {row["url"] for row in june.graph_links("http://reef.example/", inward=inward).rows}
        assert {row["name"] for row in rows if way in row["ways"]} == expected - {"http://reef.example/"}


def test_a_direction_leaves_the_other_out(site: Site) -> None:
    rows = show_graph(site, of="http://reef.example/", direction="in").rows
    assert rows
    assert all(row["ways"] == ["in"] for row in rows)


def test_hosts_are_neighbours_with_the_number_of_links(site: Site) -> None:
    view = show_graph(site, of="Reef.example")
    graph = site.collection["2026-06"].host_graph
    own = graph.node("reef.example")
    expected = {
        graph.names[target]: weight for target, weight in graph.weighted_successors(own) if target != own
    }
    out = {row["name"]: row["links"] for row in show_graph(site, of="reef.example", direction="out").rows}
    assert view.facts["level"] == "host"
    assert out == expected


def test_the_drawing_has_every_neighbour_or_says_how_many_more(site: Site) -> None:
    view = show_graph(site, of="http://reef.example/")
    drawing = view.facts["drawing"]
    assert len(drawing["nodes"]) + drawing["more"] == view.facts["total"]
    heights = [node["y"] for node in drawing["nodes"] if node["side"] == "right"]
    assert heights == sorted(set(heights))  # no two labels at one place


def test_an_unknown_host_offers_the_nearest(site: Site) -> None:
    with pytest.raises(Refusal) as refused:
        show_graph(site, of="reef.exampel")
    assert "reef.example" in refused.value.more["nearest"]
