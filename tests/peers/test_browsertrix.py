"""A WACZ made as Browsertrix makes it: ingested whole, and replayed from ours with its POST requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.peers.browsertrix import PNG, URL, make_wacz
from tests.peers.installed import find_npm, find_peer, run
from tests.peers.test_replay_web_page import browser, prepare, replay
from webstrata.archive.cdxj import Entry
from webstrata.store.export import export
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

pytestmark = pytest.mark.peer
__all__ = ["browser"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browsertrix")


@pytest.fixture(scope="module")
def crawl(folder: Path) -> Snapshot:
    snapshot = ws.create(folder / "shop").add("2026-06")
    result = ingest(snapshot, [make_wacz(folder, find_peer("wacz"))])
    assert (result.captures, result.pages, result.damaged, result.left_out) == (8, 2, 0, {})
    assert [(check.wrong, check.signature.state) for check in result.packages] == [(0, "not signed")]
    return snapshot


def test_page_lists_of_py_wacz_are_kept(crawl: Snapshot) -> None:
    pages = [(page.list, page.url, page.title) for page in crawl.packages.iter_pages()]
    assert pages == [
        ("pages/extraPages.jsonl", URL + "about", "About"),
        ("pages/pages.jsonl", URL, "Shop"),
    ]


def test_pages_are_what_get_returned(crawl: Snapshot) -> None:
    assert list(crawl.urls) == [URL, URL + "about"]
    posts = [entry for entry in crawl.captures.scan(URL + "api", "prefix") if entry.request]
    assert [json.loads(crawl.captures.read(entry).payload)["name"] for entry in posts] == ["Guppy", "Tetra"]


def test_screenshots_and_other_records_about_pages_are_listed(crawl: Snapshot) -> None:
    found = {entry.url: crawl.captures.read(entry).payload for entry in crawl.captures.scan("urn:", "prefix")}
    assert sorted(found) == [f"urn:{kind}:{URL}" for kind in ("pageinfo", "text", "thumbnail", "view")]
    assert found[f"urn:view:{URL}"] == PNG


def test_keys_of_post_captures_are_those_of_cdxj_indexer(crawl: Snapshot, folder: Path) -> None:
    told = run(find_peer("cdxj-indexer"), "-p", "-s", str(folder / "rec-crawl.warc.gz"))
    theirs = [Entry.parse(line.encode()) for line in told.splitlines()]
    export(crawl, "cdxj", folder / "ours.cdxj")
    ours = [Entry.parse(line) for line in (folder / "ours.cdxj").read_bytes().splitlines()]
    keys = [
        sorted((e.key, e.fields.get("requestBody")) for e in each if e.request) for each in (ours, theirs)
    ]
    assert len(keys[0]) == 2
    assert keys[0] == keys[1]


def test_a_page_that_posts_is_replayed_from_our_wacz(crawl: Snapshot, folder: Path, browser: Any) -> None:  # noqa: ANN401
    site = prepare(folder / "site", find_npm("replaywebpage"))
    export(crawl, "wacz", site / "uk.wacz")
    assert "Guppy and Tetra" in replay(browser, site, URL, "Guppy and Tetra")["text"]


def test_pywb_serves_the_unpacked_wacz(crawl: Snapshot, folder: Path) -> None:
    from tests.peers.test_warc import ask, serving_pywb

    place = folder / "pywb"
    place.mkdir()
    export(crawl, "wacz", place / "shop.wacz")
    run(find_peer("wb-manager"), "init", "uk", folder=place)
    run(find_peer("wb-manager"), "add", "--unpack-wacz", "uk", "shop.wacz", folder=place)
    with serving_pywb(find_peer("wayback"), place) as address:
        status, body = ask(f"{address}/20260612183000id_/{URL}about")
    assert (status, body) == (200, b"<title>About</title><p>About us")
