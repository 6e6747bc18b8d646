"""`webstrata merge`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused
from tests.stories.test_get import archive as archive
from tests.stories.test_get import ingested as ingested

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_snapshots_of_another_collection_are_copied(webstrata: Command, archive: Path) -> None:
    webstrata("new", "both")
    done = webstrata("merge", "both", archive.name, "2026-07", "--json")
    assert list(json.loads(done.stdout)["snapshots"]) == ["2026-07"]
    assert webstrata("get", "both", "http://a.uk/", "--json").returncode == 0
    assert_refused(webstrata("merge", "both", archive.name), "has a snapshot 2026-07 already")
    assert_refused(webstrata("merge", "both", "nowhere"), "no such collection")
