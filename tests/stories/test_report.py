"""`webstrata report`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def test_the_report_is_written_and_what_is_missing_is_named_with_its_command(
    webstrata: Command, crawled_months: Path, tmp_path: Path
) -> None:
    done = webstrata("report", str(crawled_months), "--output", "report.html")
    assert done.returncode == 0, done.stderr
    first, *missing = done.stdout.splitlines()
    assert first.startswith("report.html: ")
    command = f"webstrata run {crawled_months} --last sheets"
    assert f"Missing: duplicates of 2026-01; `{command}` makes it." in missing
    assert all("; `webstrata " in line and line.endswith("` makes it.") for line in missing)
    page = (tmp_path / "report.html").read_text()
    assert "Hosts in common (like TIME, table 2)" in page
    assert "There is no data for simulated crawls" in page


def test_a_collection_without_pages_has_a_report_of_what_is_missing(
    webstrata: Command, uk: Collection
) -> None:
    done = webstrata("report", "uk", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["report"] == "uk/reports/report.html"
    assert (uk.path / "reports" / "report.html").is_file()
    assert {"chapter", "what", "why", "command"} == set(found["missing"][0])


def test_what_is_no_collection_and_a_place_that_cannot_be_written_are_refused(
    webstrata: Command, uk: Collection
) -> None:
    assert_refused(webstrata("report", "nowhere"), "nowhere: no such collection")
    assert_refused(webstrata("report", "uk", "--output", "no/such/folder/a.html"), "no/such/folder")
