"""A report tells what the files of a crawl say, and of a crawl that runs what it says itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tests.crawl.control.core import Clock, Core
from webstrata.collection import Collection
from webstrata.crawl.control import Control, Listener
from webstrata.crawl.report import count_hosts, read_report
from webstrata.crawl.series import Series
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import FormatError, MissingError
from webstrata.store.pages import write_pages

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection import Snapshot


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    snapshot = Collection.create(tmp_path / "uk", title="United Kingdom").add("2026-06")
    snapshot.working_folder("crawl").mkdir()
    return snapshot


def test_a_crawl_that_ended_is_told_from_its_files(snapshot: Snapshot) -> None:
    folder = snapshot.working_folder("crawl")
    clock = Clock()
    Series(folder / "series.jsonl", clock=clock, wall_clock=clock).sample({"pages": 3})
    document = {
        "settings": {"host_delay": 4.0},
        "changes": [{"seconds": 1.0, "name": "host_delay", "value": 4.0}],
        "end": "max_pages",
        "seconds": 2.5,
        "counters": {"pages": 10},
    }
    (folder / "crawl.json").write_text(json.dumps(document))
    report = read_report(snapshot)
    assert (report.title, report.snapshot, report.state) == ("United Kingdom", "2026-06", "ended")
    assert (report.result.end, report.result.seconds, report.result.rate) == ("max_pages", 2.5, 4.0)
    assert report.settings == {"host_delay": 4.0}
    assert report.changes == document["changes"]
    assert [row["pages"] for row in report.rows] == [3]
    assert report.hosts == []


def test_a_crawl_that_runs_is_asked(snapshot: Snapshot) -> None:
    core = Core()
    core.numbers["pages"] = 7
    control = Control(core, CrawlSettings(max_pages=9))
    control.pause()
    with Listener() as listener:
        listener.serve(control, snapshot.working_folder("crawl"))
        report = read_report(snapshot)
    assert (report.state, report.result.pages, report.settings["max_pages"]) == ("paused", 7, 9)
    assert report.ending == "it has not ended, and is paused"


def test_a_snapshot_that_was_never_crawled_is_named(snapshot: Snapshot) -> None:
    with pytest.raises(MissingError, match="no crawl is running here"):
        read_report(snapshot)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"end": "exhausted"}'])
def test_a_file_that_is_no_report_is_refused(snapshot: Snapshot, text: str) -> None:
    (snapshot.working_folder("crawl") / "crawl.json").write_text(text)
    with pytest.raises(FormatError, match=r"crawl.json: this is no report of a crawl"):
        read_report(snapshot)


def test_hosts_are_counted_and_the_largest_come_first(snapshot: Snapshot) -> None:
    hosts = ["b.example", "a.example", "c.example", "c.example", "c.example", "a.example", "b.example"]
    with snapshot.write_part("pages") as build:
        write_pages(build.path / "pages.parquet", pa.table({"url_host_name": hosts}))
    assert count_hosts(snapshot) == [("c.example", 3), ("a.example", 2), ("b.example", 2)]
