"""Neighbourhoods: the arcs among a page or host and its neighbours, with the snapshots of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata import testing
from webstrata.serve.page.neighbourhood import show_neighbours
from webstrata.serve.page.site import Site
from webstrata.web.server.answers import Refusal

if TYPE_CHECKING:
    import webstrata as ws

REEF = "http://reef.example/"


def test_arcs_and_their_snapshots_are_those_of_the_union(site: Site, ready: ws.Collection) -> None:
    view = show_neighbours(site, of=REEF, limit=100)
    union = ready.temporal
    nodes = [union.node(row["name"]) for row in view.rows]
    expected = set()
    for place, node in enumerate(nodes):
        targets, labels = union.successors(node)
        for target, label in zip(targets.tolist(), labels.tolist(), strict=True):
            if target in nodes and target != node:
                expected.add((place, nodes.index(target), label))
    assert {(one, other, low | high << 32) for one, other, low, high in view.facts["arcs"]} == expected
    assert [row["when"][0] for row in view.rows] == [union.node_label(node) for node in nodes]


def test_the_centre_comes_first_and_the_others_by_rank(site: Site) -> None:
    rows = show_neighbours(site, of=REEF).rows
    ranks = [row["rank"] for row in rows[1:] if row["rank"]]
    assert rows[0]["name"] == REEF
    assert ranks == sorted(ranks)


def test_a_neighbourhood_is_told_in_pages_that_have_everything_once(site: Site) -> None:
    whole = [row["name"] for row in show_neighbours(site, of=REEF).rows]
    found, cursor = [REEF], None
    while True:
        view = show_neighbours(site, of=REEF, limit=2, cursor=cursor)
        found += [row["name"] for row in view.rows[1:]]
        cursor = view.next
        if cursor is None:
            break
        assert view.facts["left"] > 0
    assert found == whole
    assert view.facts["total"] == len(whole) - 1


def test_hosts_are_joined_over_all_snapshots(site: Site, ready: ws.Collection) -> None:
    view = show_neighbours(site, of="reef.example")
    names = [row["name"] for row in view.rows]
    assert view.facts["level"] == "host"
    masks = {(names[one], names[other]): low for one, other, low, _ in view.facts["arcs"]}
    for bit, snapshot in enumerate(ready):
        graph = snapshot.host_graph
        for host in names:
            node = graph.get(host)
            targets = (
                set() if node is None else {graph.names[one] for one, _ in graph.weighted_successors(node)}
            )
            shown = {other for (one, other), mask in masks.items() if one == host and mask >> bit & 1}
            assert shown == (targets & set(names)) - {host}


def test_without_a_union_one_snapshot_is_told() -> None:
    uk = testing.collection_of(
        {"2026-06": {"http://a.example/": "<a href='/b'>b</a>", "http://a.example/b": "<p>b"}},
        parts=("graph",),
    )
    view = show_neighbours(Site(uk, "uk"), of="http://a.example/")
    assert [row["name"] for row in view.rows] == ["http://a.example/", "http://a.example/b"]
    assert view.facts["arcs"] == [[0, 1, 1, 0]]
    assert view.facts["snapshots"] == ["2026-06"]


@pytest.mark.parametrize(
    ("of", "status"), [("http://reef.example/none", 404), ("no.example", 404), ("/", 422)]
)
def test_what_is_not_there_is_refused(site: Site, of: str, status: int) -> None:
    with pytest.raises(Refusal) as refused:
        show_neighbours(site, of=of)
    assert refused.value.status == status


def test_masks_have_two_halves(site: Site) -> None:
    from webstrata.serve.page.neighbourhood import _halves

    mask = int(np.uint64(1) << np.uint64(40) | np.uint64(5))
    assert _halves(mask) == (5, 1 << 8)
    assert site.dates
