"""`webstrata takedown`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused
from tests.stories.test_get import archive as archive
from tests.stories.test_get import ingested as ingested

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_a_host_is_hidden_and_shown_again(webstrata: Command, archive: Path) -> None:
    name = archive.name
    assert_refused(webstrata("takedown", name, "a.uk"), "needs a reason")
    assert_refused(webstrata("takedown", name), "name a URL")
    done = webstrata("takedown", name, "a.uk", "--reason", "request of the owner")
    assert (done.returncode, done.stdout) == (0, "Took down a.uk (host).\n")
    assert_refused(webstrata("get", name, "http://a.uk/"), "request of the owner")
    assert "a.uk" not in webstrata("ls", name, "uk", "--domain").stdout
    [listed] = json.loads(webstrata("takedown", name, "--list", "--json").stdout)["takedowns"]
    assert (listed["what"], listed["lifted"]) == ("a.uk", "")
    assert webstrata("takedown", name, "a.uk", "--lift").stdout == "Lifted the takedown of a.uk.\n"
    assert webstrata("get", name, "http://a.uk/", "--json").returncode == 0
