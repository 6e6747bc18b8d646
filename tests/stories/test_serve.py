"""`webstrata serve`: the real command, asked over loopback and ended by Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING
from urllib.request import urlopen

from tests.conftest import command_path
from tests.stories.conftest import assert_refused
from webstrata import testing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_a_collection_is_walked_through_until_ctrl_c(tmp_path: Path) -> None:
    testing.collection().path.rename(tmp_path / "uk")
    process = subprocess.Popen(
        [command_path(), "serve", "uk", "--port", "0", "--access-log"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("Serving uk at http://127.0.0.1:")
        url = first.split()[-1]
        with urlopen(f"{url}/search.json?q=storm") as response:
            found = json.load(response)
        assert found["made_by"] == "webstrata search uk storm"
        best = found["rows"][0]["url"]
        with urlopen(f"{url}/page.json/{best}?view=text") as response:
            assert any("storm" in row["text"] for row in json.load(response)["rows"])
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert '"GET /search.json?q=storm' in said
    assert "Traceback" not in said


def test_it_tells_as_json_where_it_is(webstrata: Command) -> None:
    webstrata("new", "uk", "2026-06")
    said = webstrata("serve", "uk", "--port", "0", "--seconds", "0.1", "--json")
    found = json.loads(said.stdout)
    assert found["url"] == f"http://127.0.0.1:{found['port']}"
    assert found["replay_url"] != found["url"]


def test_an_unknown_collection_and_a_bad_setting_are_refused(webstrata: Command) -> None:
    assert_refused(webstrata("serve", "nowhere"), "nowhere: no such collection")
    webstrata("new", "uk", "2026-06")
    assert_refused(webstrata("serve", "uk", "--port", "70000"), "--port")
    assert_refused(webstrata("serve", "uk", "--replay-origin", "replay"), "--replay-origin")
    assert_refused(webstrata("serve", "uk", "--port", "0", "--token-file", "none"), "none")
