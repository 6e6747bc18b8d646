"""Links as parsed, and the arcs that come of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.crawl.test_run import crawl_web
from tests.store.crawls import Answer, write_crawl
from webstrata import testing
from webstrata.store.build import build_store
from webstrata.store.links import StoredLink, arcs, frontier_keys
from webstrata.web.html import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


@pytest.mark.parametrize(
    ("preset", "seed"), [("tiny", 0), ("tiny", 7), pytest.param("small", 7, marks=pytest.mark.slow)]
)
def test_the_arcs_of_a_crawl_are_the_truth(tmp_path: Path, preset: str, seed: int) -> None:
    web = ws.invitro.Web(preset, seed=seed)
    snapshot, _, _ = crawl_web(tmp_path, web)
    truth = web.graph(view="collection")
    found = arcs(snapshot)
    assert np.array_equal(
        found.sources, np.repeat(np.arange(truth.num_nodes), np.diff(truth.offsets).astype(np.int64))
    )
    assert np.array_equal(found.targets, truth.targets)


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    """Nodes a, b, c, d; d is a copy of b, r redirects to c, n is not a page, x and y were not captured."""
    home = b"""<link rel=canonical href=/canonical><a href=http://d.org/>to d</a>
        <a href=http://r.org/>to r</a><a href=http://n.org/>n</a><a href=http://y.org/>y</a>
        <a href=http://x.org/ rel=nofollow>x</a>
        <a href=/>self</a><a href=http://d.org/>again</a>"""
    answers: dict[str, bytes | Answer] = {
        "http://a.org/": home,
        "http://b.org/": b"the same",
        "http://c.org/": b"<meta name=robots content=nofollow><a href=http://a.org/>home</a>",
        "http://d.org/": b"the same",
        "http://n.org/": Answer(status=404),
        "http://r.org/": Answer(status=301, redirect="http://c.org/"),
    }
    found = ws.create(tmp_path / "uk").add("2026-06")
    build_store(found, write_crawl(tmp_path / "crawl", answers))
    return found


def pairs(snapshot: Snapshot, **options: bool) -> list[tuple[int, int]]:
    found = arcs(snapshot, **options)
    return list(zip(found.sources.tolist(), found.targets.tolist(), strict=True))


def test_arcs_go_through_redirects_and_not_through_duplicates(snapshot: Snapshot) -> None:
    assert list(snapshot.urls) == ["http://a.org/", "http://b.org/", "http://c.org/", "http://d.org/"]
    assert pairs(snapshot) == [(0, 0), (0, 2), (0, 3), (2, 0)]
    assert pairs(snapshot, self_loops=False) == [(0, 2), (0, 3), (2, 0)]


def test_a_reference_within_the_page_is_not_a_link(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {
        "http://a.org/": b"<a href='#top'>top</a><a href=''>menu</a><a href=' #'>menu</a>",
        "http://b.org/": b"<a href=http://b.org/#top>self</a>",
        "http://c.org/": b"<base href=http://b.org/><a href='#top'>another page</a>",
    }
    found = ws.create(tmp_path / "uk").add("2026-06")
    build_store(found, write_crawl(tmp_path / "crawl", pages))
    assert pairs(found) == [(1, 1), (2, 1)]
    assert found.links[0] == []


def test_links_that_are_not_to_be_followed_are_left_out_by_choice(snapshot: Snapshot) -> None:
    assert pairs(snapshot, nofollow=False) == [(0, 0), (0, 2), (0, 3)]
    assert pairs(snapshot, nofollow=False, frontier=True) == [(0, 0), (0, 2), (0, 3), (0, 6)]


def test_the_frontier_is_numbered_behind_the_pages(snapshot: Snapshot) -> None:
    # a canonical address that nothing links to is known, and has a number without an arc
    assert frontier_keys(snapshot).to_pylist() == ["org,a)/canonical", "org,x)/", "org,y)/"]
    assert pairs(snapshot, frontier=True) == [(0, 0), (0, 2), (0, 3), (0, 5), (0, 6), (2, 0)]


def test_links_are_kept_as_they_stand_in_the_page(snapshot: Snapshot) -> None:
    links = snapshot.links[0]
    assert links[0] == StoredLink("http://a.org/canonical", Kind.CANONICAL, 0, "")
    assert [link.anchor for link in links[1:]] == ["to d", "to r", "n", "y", "x", "self", "again"]
    assert [link.rel for link in links] == [0, 0, 0, 0, 0, 1, 0, 0]
    assert (snapshot.links[1], snapshot.links[99], repr(snapshot.links)) == ([], [], "<Links: 9>")


def test_a_snapshot_without_links_has_no_arcs(tmp_path: Path) -> None:
    found = ws.create(tmp_path / "uk").add("2026-06")
    build_store(found, write_crawl(tmp_path / "crawl", {}))
    assert [column.tolist() for column in arcs(found)] == [[], []]
    assert (len(found.links), len(found.text), len(found.anchors), found.links[0]) == (0, 0, 0, [])


def test_rows_and_targets_leave_out_what_was_taken_down() -> None:
    uk = testing.collection()
    links, anchors = uk["2026-06"].links, uk["2026-06"].anchors
    all_links, all_anchors = links.rows.table(), anchors.rows.table()
    storm = [node for node, url in enumerate(uk["2026-06"].urls) if url.startswith("http://news.example")]
    uk.takedown("news.example", reason="an example")
    shown = links.rows.table()
    assert 0 < shown.num_rows < all_links.num_rows
    assert not set(shown["source"].to_pylist()) & set(storm)
    assert not any("news" in key for key in links.targets.to_pylist())
    assert not any("news" in key for keys in links.scan_targets() for key in keys.to_pylist())
    assert links.rows.table("anchor").column_names == ["anchor"]
    assert sum(len(block) for block in links.rows.blocks("anchor")) == shown.num_rows
    assert all(len(links.rows.of(node)) == 0 for node in storm)
    kept = anchors.rows.table()
    assert 0 < kept.num_rows < all_anchors.num_rows
    assert not (set(kept["target"].to_pylist()) | set(kept["source"].to_pylist())) & set(storm)
    uk.takedown("news.example", lift=True)
    assert links.rows.table() == all_links
