"""`webstrata store`, as typed."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import webstrata as ws
from tests.stories.conftest import assert_refused
from webstrata.store.pages import write_pages
from webstrata.store.urls import write_urls

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


@pytest.fixture
def crawled(crawled_months: Path, tmp_path: Path) -> None:
    """A crawl of two months of a small web, to be changed."""
    shutil.copytree(crawled_months, tmp_path / "uk", symlinks=True)


@pytest.mark.usefixtures("crawled")
def test_a_crawl_ends_with_all_parts_and_they_are_renewed_when_asked(
    webstrata: Command, tmp_path: Path
) -> None:
    done = webstrata("store", "uk", "2026-02")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "uk 2026-02: text, links and anchors are there, and made from its pages.\n"
    february = ws.open(tmp_path / "uk")["2026-02"]
    before = {record.name: record.checksum for record in february.parts}
    assert {"text", "links", "anchors"} < set(before)
    february.parts.remove("links")
    document = json.loads(webstrata("store", "uk", "2026-02", "--json").stdout)
    assert set(document["built"]) == {"links", "anchors"}
    assert document["built"]["links"]["links"] == len(february.links)
    done = webstrata("store", "uk", "2026-02", "--parts", "text, anchors", "--workers", "1")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["part", "anchors", "text"]
    assert {record.name: record.checksum for record in february.parts} == before


@pytest.mark.usefixtures("crawled")
def test_stale_parts_are_named_with_this_command(webstrata: Command, tmp_path: Path) -> None:
    january = ws.open(tmp_path / "uk")["2026-01"]
    with january.open_part("pages") as part, january.write_part("pages") as build:
        content = (part.path / "pages.parquet").read_bytes()
        (build.path / "pages.parquet").write_bytes(content)
        (build.path / "note.txt").write_text("changed")
    shown = webstrata("show", "uk").stdout
    assert "2026-01/text is stale: 2026-01/pages changed since; run `webstrata build uk 2026-01 text" in shown
    done = webstrata("store", "uk", "2026-01")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["part", "anchors", "links", "text"]


def test_what_cannot_be_built_is_refused_in_a_sentence(webstrata: Command) -> None:
    webstrata("new", "uk", "2026-06")
    assert_refused(webstrata("store", "uk", "2026-06"), "no part pages")
    assert_refused(webstrata("store", "uk", "2026-06", "--parts", "soup"), "no part soup to parse; choose of")
    assert_refused(webstrata("store", "uk", "2026-07"), "no snapshot 2026-07")


def test_a_snapshot_of_0_1_0_names_its_rule_and_is_numbered_again_on_command(
    webstrata: Command, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text("<title>The same</title>The same page twice")
    webstrata("new", "uk")
    webstrata("ingest", "uk", "2026-06", "a.html", "b.html", "--base-url", "http://example.org/")
    uk = ws.open(tmp_path / "uk")
    june = uk["2026-06"]
    # as 0.1.0 wrote them: one node for both, and the other URL stands for it
    table = june.pages.table().drop_columns(["noindex", "soft_404", "crawl", "subset"]).slice(0, 1)
    with june.write_part("pages", inputs=("captures",)) as build:
        write_pages(build.path / "pages.parquet", table, crawl="2026-06")
        build.count(nodes=1)
    others = pa.table({
        "row_key": ["org,example)/b.html"], "node": pa.array([0], pa.uint32()), "reason": ["duplicate"]
    })  # fmt: skip
    with june.write_part("urls", inputs=("pages",)) as build:
        write_urls(build.path, pa.array(["org,example)/a.html"]), others)
        build.count(nodes=1, others=1)
    assert "2026-06/pages follows the rule of 0.1.0" in webstrata("show", "uk").stdout
    webstrata("store", "uk", "2026-06")  # parses what is stale, and does not renumber
    again = webstrata("similar", "uk", "http://example.org/b.html")
    assert "http://example.org/b.html is a duplicate of http://example.org/a.html" in again.stderr
    assert len(ws.open(tmp_path / "uk")["2026-06"].urls) == 1
    done = webstrata("store", "uk", "2026-06", "--renumber")
    assert (done.returncode, done.stderr) == (0, "")
    assert "rule of 0.1.0" not in webstrata("show", "uk").stdout
    assert list(ws.open(tmp_path / "uk")["2026-06"].urls) == [
        "http://example.org/a.html",
        "http://example.org/b.html",
    ]
