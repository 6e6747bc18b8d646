"""Sites found again in other snapshots."""

from __future__ import annotations

import pytest

from webstrata.classify.features.alignment import align_sites
from webstrata.graph import Graph


def test_a_site_that_begins_to_redirect_to_www_is_the_same_site() -> None:
    found = align_sites(["a.org", "b.org"], ["a.org", "b.org"])
    before = found.draw(Graph.from_arcs([(0, 1)]), ["a.org", "b.org"], 0)
    after = found.draw(Graph.from_arcs([(1, 0)]), ["b.org", "www.a.org"], 1)
    assert before.successors(0).tolist() == after.successors(0).tolist() == [1]


def test_links_within_a_site_and_to_hosts_never_captured_are_no_arcs() -> None:
    found = align_sites(["a.org", "b.org"])
    hosts = ["a.org", "www.a.org", "b.org", "frontier.org"]
    drawn = found.draw(Graph.from_arcs([(0, 0), (0, 1), (1, 0), (0, 3), (3, 2), (1, 2), (0, 2)]), hosts, 0)
    assert drawn.num_arcs == 1
    assert drawn.successors(0).tolist() == [1]


def test_names_that_are_not_those_of_the_graph_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 names"):
        align_sites(["a.org"]).draw(Graph.from_arcs([(0, 1)]), ["a.org"], 0)
