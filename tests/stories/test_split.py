"""`webstrata split`, as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused
from tests.stories.test_get import archive as archive
from tests.stories.test_get import ingested as ingested

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_a_host_is_split_off_into_a_new_collection(webstrata: Command, archive: Path) -> None:
    done = webstrata("split", archive.name, "b", "2026-06", "--host", "b.uk")
    assert (done.returncode, done.stdout) == (0, "b 2026-06: 1 page.\n"), done.stderr
    listed = webstrata("ls", "b", "uk", "--domain").stdout
    assert "http://b.uk/x" in listed
    assert "http://a.uk/" not in listed
    assert_refused(webstrata("split", archive.name, "b"), "there is a collection here already")
