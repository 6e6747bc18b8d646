"""Folding duplicates: which nodes stand for which, and what becomes of their arcs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.crawls import Answer, write_crawl
from webstrata.errors import UsageError
from webstrata.graph.build import build_graph
from webstrata.graph.fold import find_representatives
from webstrata.graph.settings import GraphSettings
from webstrata.store.build import build_store

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

WORDS = "Enough words that the page has a fingerprint of its own, " * 6


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    """Pages a and b have payload and links in common, c the payload alone, d the fingerprint alone."""
    page = f"<p>{WORDS}<a href=x>x</a><a href=http://e.org/>e</a>"
    pages: dict[str, bytes | Answer] = {
        "http://a.org/": page.encode(),
        "http://a.org/b": page.encode(),
        "http://c.org/": page.encode(),
        "http://d.org/": page.replace("<p>", "<p class=other>").encode(),
        "http://e.org/": b"<a href=http://a.org/b>b</a><a href=http://d.org/>d</a>",
        "http://a.org/x": b"x",
    }
    found = ws.create(tmp_path / "uk").add("2026-06")
    build_store(found, write_crawl(tmp_path / "crawl", pages))
    return found


def build(snapshot: Snapshot, **settings: object) -> dict[str, list[str]]:
    build_graph(snapshot, GraphSettings(**settings))  # type: ignore[arg-type]
    graph, urls = snapshot.graph, list(snapshot.urls)
    return {
        urls[node]: [urls[int(target)] for target in graph.successors(node)]
        for node in range(graph.num_nodes)
    }


def test_by_default_every_url_keeps_its_links(snapshot: Snapshot) -> None:
    found = build(snapshot)
    assert found["http://a.org/b"] == found["http://a.org/"] == ["http://a.org/x", "http://e.org/"]
    assert found["http://c.org/"] == found["http://d.org/"] == ["http://e.org/"]
    assert found["http://e.org/"] == ["http://a.org/b", "http://d.org/"]
    assert len(snapshot.graph.folded()) == 0


def test_exact_folding_joins_pages_with_equal_payloads_and_links(snapshot: Snapshot) -> None:
    found = build(snapshot, fold="exact")
    assert found["http://a.org/b"] == []
    assert found["http://a.org/"] == ["http://a.org/x", "http://e.org/"]
    assert found["http://c.org/"] == found["http://d.org/"] == ["http://e.org/"]
    assert found["http://e.org/"] == ["http://a.org/", "http://d.org/"]
    assert snapshot.graph.folded().to_pydict() == {"node": [1], "representative": [0]}
    assert snapshot.parts.record("graph").counts["folded"] == 1


def test_folding_by_fingerprint_contracts_arcs_and_keeps_the_numbering(snapshot: Snapshot) -> None:
    found = build(snapshot, fold="fingerprint")
    assert list(found) == list(snapshot.urls)
    assert found["http://a.org/"] == ["http://a.org/x", "http://e.org/"]
    assert [found[url] for url in ("http://a.org/b", "http://c.org/", "http://d.org/")] == [[], [], []]
    assert found["http://e.org/"] == ["http://a.org/"]
    assert snapshot.graph.folded()["representative"].to_pylist() == [0, 0, 0]


def test_arcs_to_the_frontier_stay_and_loops_that_folding_makes_go_by_choice(tmp_path: Path) -> None:
    page = f"<p>{WORDS}<a href=http://a.org/>a</a><a href=http://b.org/>b</a><a href=http://z.org/>z</a>"
    pages: dict[str, bytes | Answer] = {name: page.encode() for name in ("http://a.org/", "http://b.org/")}
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    build_store(snapshot, write_crawl(tmp_path / "crawl", pages))
    build_graph(snapshot, GraphSettings(fold="exact", frontier=True))
    assert [snapshot.graph.successors(node).tolist() for node in range(3)] == [[0, 2], [], []]
    build_graph(snapshot, GraphSettings(fold="exact", self_loops=False))
    graph = ws.open(tmp_path / "uk")["2026-06"].graph
    assert [graph.successors(node).tolist() for node in range(2)] == [[], []]


def test_what_the_connectivity_server_answers_for_is_known(snapshot: Snapshot) -> None:
    build(snapshot, fold="exact")
    server = snapshot.connectivity
    assert (server.representative(1), server.representative(2)) == (0, 2)


def test_representatives_are_the_smallest_of_their_class(snapshot: Snapshot) -> None:
    found = {fold: find_representatives(snapshot, fold).tolist() for fold in ("none", "exact", "fingerprint")}
    assert found["none"] == [0, 1, 2, 3, 4, 5]
    assert found["exact"] == [0, 0, 2, 3, 4, 5]
    # the urls are a.org/, a.org/b, a.org/x, c.org/, d.org/, e.org/
    assert found["fingerprint"] == [0, 0, 2, 0, 0, 5]


def test_links_alone_cannot_be_folded(snapshot: Snapshot, tmp_path: Path) -> None:
    other = ws.create(tmp_path / "links").add("2026-06")
    for name in ("links", "urls"):
        with snapshot.open_part(name) as part, other.write_part(name) as build_:
            for path in part.path.iterdir():
                if path.suffix in (".arrow", ".parquet"):
                    (build_.path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(UsageError, match="this snapshot has links alone"):
        build_graph(other, GraphSettings(fold="exact"))
