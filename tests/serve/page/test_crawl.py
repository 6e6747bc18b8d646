"""The crawl page: a crawl that runs, one that has ended, none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata import testing
from webstrata.crawl.control.listener import Listener
from webstrata.crawl.control.requests import Control
from webstrata.crawl.settings import CrawlSettings
from webstrata.serve.page.crawl import find_crawl, show_crawl
from webstrata.serve.page.site import Site

if TYPE_CHECKING:
    from pathlib import Path


class Core:
    """Stands for a crawl."""

    def counters(self) -> dict[str, int]:
        return {"pages": 7, "requests": 9, "status_2xx": 7, "failed_dns": 2, "front": 3, "required_front": 10}

    def cuts(self) -> list[object]:
        return []

    def shortage(self) -> None:
        return None


def test_a_running_crawl_is_asked_at_its_socket() -> None:
    collection = testing.empty()
    snapshot = collection.add("2026-06")
    snapshot.working_folder("crawl").mkdir()
    with Listener() as listener:
        listener.serve(Control(Core(), CrawlSettings()), snapshot.working_folder("crawl"))
        running = show_crawl(Site(collection, "uk")).facts["running"]
    assert (running["snapshot"], running["pages"], running["failures"]) == ("2026-06", 7, {"dns": 2})
    assert running["counters"]["front"] == 3
    # the socket that a dead process left is no crawl
    assert find_crawl(Site(collection, "uk")) is None


def test_a_crawl_that_has_ended_has_its_numbers(whole: Path) -> None:
    collection = ws.open(whole)
    rows = show_crawl(Site(collection, "uk")).rows
    assert [row["snapshot"] for row in rows] == ["2026-02", "2026-01"]
    assert all(row["pages"] > 0 and row["state"] == "ended" and row["seconds"] > 0 for row in rows)
    found = find_crawl(Site(collection, "uk"))
    assert found == rows[0]


def test_ingested_pages_have_no_crawl(site: Site) -> None:
    view = show_crawl(site)
    assert (view.rows, view.facts["running"], view.is_live) == ([], None, True)
