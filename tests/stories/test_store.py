"""`webstrata store`, as typed."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.stories.conftest import assert_refused

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
    with january.open_part("pages") as part, january.build("pages") as build:
        content = (part.path / "pages.parquet").read_bytes()
        (build.path / "pages.parquet").write_bytes(content)
        (build.path / "note.txt").write_text("changed")
    shown = webstrata("show", "uk").stdout
    assert "2026-01/text is older than 2026-01/pages; renew it with `webstrata store uk 2026-01" in shown
    done = webstrata("store", "uk", "2026-01")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["part", "anchors", "links", "text"]


def test_what_cannot_be_built_is_refused_in_a_sentence(webstrata: Command) -> None:
    webstrata("new", "uk", "2026-06")
    assert_refused(webstrata("store", "uk", "2026-06"), "there is no part pages")
    assert_refused(webstrata("store", "uk", "2026-06", "--parts", "soup"), "no part soup to parse; choose of")
    assert_refused(webstrata("store", "uk", "2026-07"), "no snapshot 2026-07")
