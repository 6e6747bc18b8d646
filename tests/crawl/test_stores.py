"""Stores other than WARC files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.crawl.origin import Origin, page, reply
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.crawl.stores import FolderStore
from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.crawl.filters import Response
    from webstrata.crawl.stores import CrawlStore


class ListStore:
    """A store in memory, which keeps error pages out of the WARC files."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.is_closed = False

    def write(self, responses: Sequence[Response]) -> list[bool]:
        self.urls += [response.url for response in responses]
        return [response.status == 200 for response in responses]

    def close(self) -> None:
        self.is_closed = True


MADE: list[ListStore] = []


def make_store(snapshot: Snapshot) -> ListStore:
    assert snapshot.date == "2026-06"
    MADE.append(ListStore())
    return MADE[-1]


def make_nothing(snapshot: Snapshot) -> object:
    return object()


def crawl(tmp_path: Path, into: CrawlStore | None = None, **settings: object) -> Snapshot:
    with Origin() as origin:
        origin.say("/", reply(page("home", "/a", "/b", "/missing")))
        origin.say("/a", reply(page("A")))
        origin.say("/b", reply(page("A")))
        snapshot = ws.create(tmp_path / "uk").add("2026-06")
        chosen = CrawlSettings(resolve=False, host_delay=0, ip_delay=0, **settings)  # type: ignore[arg-type]
        Crawl(snapshot, chosen, seeds=["http://a.test/"], hosts={"a.test": origin.at()}, store=into).run()
    return snapshot


def test_a_store_receives_what_the_filter_admits_and_may_keep_it_out_of_the_warc_files(
    tmp_path: Path,
) -> None:
    store = ListStore()
    snapshot = crawl(tmp_path, store, store="not PathEndsWithOneOf(/b)", store_robots=False)
    assert sorted(store.urls) == ["http://a.test/", "http://a.test/a", "http://a.test/missing"]
    assert store.is_closed
    assert sorted(capture.url for capture in snapshot.captures) == ["http://a.test/", "http://a.test/a"]


def test_a_folder_has_each_payload_once_and_a_line_for_each_response(tmp_path: Path) -> None:
    snapshot = crawl(tmp_path, store_to=str(tmp_path / "files"), store="StatusCategory(2)")
    lines = [json.loads(line) for line in (tmp_path / "files" / "index.jsonl").read_text().splitlines()]
    by_url = {line["url"]: line for line in lines if not line["url"].endswith("robots.txt")}
    assert set(by_url) == set(snapshot.urls)
    assert by_url["http://a.test/a"]["digest"] == by_url["http://a.test/b"]["digest"]
    for url, line in by_url.items():
        payload = (tmp_path / "files" / line["digest"][:2] / f"{line['digest']}.bin").read_bytes()
        assert payload == snapshot.capture(url).payload


def test_a_folder_can_take_the_place_of_the_warc_files(tmp_path: Path) -> None:
    snapshot = crawl(tmp_path, FolderStore(tmp_path / "files", keeps_warc=False), store_robots=False)
    assert len(snapshot.urls) == 0
    assert len(list((tmp_path / "files").glob("*/*.bin"))) == 3


def test_a_store_is_made_by_a_function_that_an_option_names(tmp_path: Path) -> None:
    crawl(tmp_path, store_to="tests.crawl.test_stores:make_store")
    assert "http://a.test/a" in MADE[-1].urls
    assert MADE[-1].is_closed


def test_what_is_not_a_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="make_nothing returns has no methods write and close"):
        crawl(tmp_path, store_to="tests.crawl.test_stores:make_nothing")
