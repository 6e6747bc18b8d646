"""`webstrata diff`, as typed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from typing import TYPE_CHECKING

from tests.conftest import command_path
from tests.stories.conftest import assert_refused
from tests.stories.test_get import archive as archive
from tests.stories.test_get import ingested as ingested

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_changed_lines_are_shown_with_their_marks(webstrata: Command, archive: Path) -> None:
    done = webstrata("diff", archive.name, "2026-06", "2026-07", "http://a.uk/")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "--- http://a.uk/ 2026-06 2026-06-12T18:30:00Z",
        "+++ http://a.uk/ 2026-07 2026-07-12T18:30:00Z",
        "@@ -1,2 +1,2 @@",
        " Grüße",
        "-from 2026-06",
        "+from 2026-07",
    ]
    words = ["diff", archive.name, "2026-06", "2026-07", "http://a.uk/", "--json", "--source"]
    document = json.loads(webstrata(*words).stdout)
    assert (document["added"], document["removed"], document["same_payload"]) == (1, 1, False)
    assert "-<html><title>A</title><p>Grüße<p>from 2026-06" in document["lines"]


def test_pages_that_are_the_same_are_said_to_be(webstrata: Command, archive: Path) -> None:
    done = webstrata("diff", archive.name, "2026-06", "2026-06", "http://a.uk/")
    assert (done.returncode, done.stdout) == (0, "The text is the same.\n")


def test_changes_are_coloured_on_a_terminal(archive: Path) -> None:
    ours, theirs = pty.openpty()
    words = [command_path(), "diff", str(archive), "2026-06", "2026-07", "http://a.uk/"]
    subprocess.run(words, stdout=theirs, check=True, env=os.environ | {"TERM": "xterm"})
    os.close(theirs)
    printed = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "\x1b[32m+from 2026-07" in printed
    assert "\x1b[31m-from 2026-06" in printed


def test_a_snapshot_or_page_that_is_not_there_is_refused(webstrata: Command, archive: Path) -> None:
    words = ["diff", archive.name, "2026-06"]
    assert_refused(webstrata(*words, "2025-08", "http://a.uk/"), "2025-08")
    assert_refused(webstrata("diff", archive.name, "2026-06", "2026-07", "http://c.uk/"), "was not captured")
