"""What other pages call a page."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import webstrata as ws
from tests.crawl.test_run import crawl_web
from tests.store.crawls import Answer, write_crawl
from webstrata.store.anchors import Anchor, build_anchors
from webstrata.store.build import build_store

if TYPE_CHECKING:
    from pathlib import Path


def test_anchors_come_from_other_pages_and_through_redirects(tmp_path: Path) -> None:
    answers: dict[str, bytes | Answer] = {
        "http://a.org/": b"<a href=http://r.org/>one</a><a href=http://b.org/ rel=nofollow> two\n </a>",
        "http://b.org/": b"<a href=/>self</a><a href=http://a.org/><img alt=''></a>",
        "http://c.org/": b"<a href=http://b.org/>three</a><link rel=next href=http://b.org/>",
        "http://r.org/": Answer(status=302, redirect="http://b.org/"),
    }
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    build_store(snapshot, write_crawl(tmp_path / "crawl", answers))
    assert snapshot.anchors[1] == [Anchor(0, "one", 0), Anchor(0, "two", 1), Anchor(2, "three", 0)]
    assert [anchor.is_followed for anchor in snapshot.anchors[1]] == [True, False, True]
    assert (snapshot.anchors[0], snapshot.anchors[2], repr(snapshot.anchors)) == ([], [], "<Anchors: 3>")


def test_anchors_of_a_crawl_are_the_links_turned_round(tmp_path: Path) -> None:
    snapshot, _, _ = crawl_web(tmp_path, ws.invitro.Web("tiny", seed=7))
    expected = defaultdict(list)
    for source in range(len(snapshot.urls)):
        for link in snapshot.links[source]:
            target = snapshot.urls.get(link.url)
            if target not in (None, source) and link.anchor and link.kind in ("anchor", "area"):
                expected[target].append((source, link.anchor, link.rel))
    for target in range(len(snapshot.urls)):
        found = [(anchor.source, anchor.text, anchor.rel) for anchor in snapshot.anchors[target]]
        assert found == expected[target]
    before = snapshot.parts.record("anchors").checksum
    build_anchors(snapshot, memory=20_000)  # many runs
    assert snapshot.parts.record("anchors").checksum == before
