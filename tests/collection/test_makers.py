"""Commands that are named for parts that are missing: they are there, and take what they are given."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import webstrata as ws
from webstrata.cli import run
from webstrata.collection.makers import MAKERS, tell_maker
from webstrata.errors import MissingError


@pytest.mark.parametrize("command", sorted(set(MAKERS.values())))
def test_every_command_is_one(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command.format(collection="uk", snapshot="2026-06"))
    assert words[0] == "webstrata"
    assert run([*words[1:], "--help"]) == 0
    usage = capsys.readouterr().out.splitlines()[0]
    named = words[1 : words.index("uk")]
    assert usage.startswith(f"Usage: webstrata {' '.join(named)} ")
    assert "COLLECTION SNAPSHOT" in usage


def test_a_path_with_blanks_is_one_word(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "my web").add("2026-06")
    with pytest.raises(MissingError) as raised:
        snapshot.open_part("graph")
    said = str(raised.value).split("`")[1]
    assert shlex.split(said) == ["webstrata", "graph", "build", str(tmp_path / "my web"), "2026-06"]


def test_what_nobody_knows_is_to_be_built() -> None:
    assert tell_maker(Path("uk/snapshots/2026-06"), "notes") == "build it first"
    assert tell_maker(Path("uk"), "graph") == "build it first"
