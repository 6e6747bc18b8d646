"""`webstrata remove`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def test_a_snapshot_is_removed_when_that_is_confirmed(webstrata: Command, uk: Collection) -> None:
    labels = uk.dates
    assert_refused(webstrata("remove", "uk", labels[0]), "add --yes to confirm")
    assert uk.dates == labels
    done = webstrata("remove", "uk", labels[0], "--yes", "--json")
    assert json.loads(done.stdout)["removed"] == labels[0]
    assert uk.dates == labels[1:]
    assert_refused(webstrata("remove", "uk", labels[0], "--yes"), f"no snapshot {labels[0]}")


def test_a_collection_is_removed_whole(webstrata: Command, uk: Collection) -> None:
    done = webstrata("remove", "uk", "--yes")
    assert (done.returncode, done.stdout) == (0, "Removed uk.\n")
    assert not uk.path.exists()
    assert_refused(webstrata("remove", "uk", "--yes"), "no such collection")
