"""`webstrata ls`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused
from tests.stories.test_get import archive as archive
from tests.stories.test_get import ingested as ingested

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_captures_of_all_snapshots_are_listed_in_order(webstrata: Command, archive: Path) -> None:
    done = webstrata("ls", archive.name, "uk,", "--prefix")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("2026-06", "2026-06-12", "http://a.uk/"),
        ("2026-07", "2026-07-12", "http://a.uk/"),
        ("2026-06", "2026-06-12", "http://b.uk/x"),
        ("2026-07", "2026-07-12", "http://b.uk/x"),
    ]
    assert rows[2][4] == "warc/revisit"


def test_lists_are_narrowed_by_time_and_number(webstrata: Command, archive: Path) -> None:
    def count(*words: str) -> int:
        return len(json.loads(webstrata("ls", archive.name, *words, "--json").stdout))

    assert count("b.uk", "--host") == 2
    assert count("uk", "--domain") == 4
    assert count("uk", "--domain", "--from", "2026-07") == 2
    assert count("uk", "--domain", "--to", "2026-06-12") == 2
    assert count("uk", "--domain", "--from", "2026-06-13", "--to", "2026-07-11") == 0
    assert count("uk", "--domain", "--limit", "3") == 3
    assert count("http://a.uk/") == 2
    (first, _) = json.loads(webstrata("ls", archive.name, "a.uk", "--json").stdout)
    assert (first["snapshot"], first["url"], first["status"]) == ("2026-06", "http://a.uk/", "200")


def test_nothing_found_and_times_exchanged_are_told(webstrata: Command, archive: Path) -> None:
    done = webstrata("ls", archive.name, "nowhere.org")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "Nothing was captured there, or not at that time.\n"
    words = ["ls", archive.name, "a.uk", "--from", "2026-07", "--to", "2026-06"]
    assert_refused(webstrata(*words), "the start 2026-07 is after the end 2026-06; swap them")
    assert_refused(webstrata("ls", archive.name, "a.uk", "--from", "x"), "'x' is not a date")
    assert_refused(webstrata("ls", archive.name, ""), "what to look for is empty")
