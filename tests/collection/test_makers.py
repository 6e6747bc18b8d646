"""Commands that are named for parts that are missing: they are there, and take what they are given."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import webstrata as ws
from webstrata.cli import run
from webstrata.collection.makers import MAKERS, find_source, suggest_pages, tell_maker
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


def test_what_is_suggested_fits_how_the_collection_got_its_pages(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    assert find_source(uk.path) == ""
    assert " crawl " in suggest_pages(uk.path, "2026-06")
    page = tmp_path / "a.html"
    page.write_text("<title>A</title>Hello")
    words = ["ingest", str(uk.path), "2026-05", str(page), "--base-url", "http://a.uk/"]
    assert run(words) == 0
    uk.add("2026-06")
    assert find_source(uk.path) == "ingest"
    with pytest.raises(MissingError) as raised:
        uk["2026-06"].open_part("urls")
    assert f"`webstrata ingest {uk.path} 2026-06 FILE` makes it" in str(raised.value)
    # of a snapshot that was ingested, the command that did it
    uk["2026-05"].parts.remove("index")
    with pytest.raises(MissingError) as raised:
        uk["2026-05"].open_part("index")
    said = shlex.split(str(raised.value).split("`")[1])
    assert said[:4] == ["webstrata", "ingest", str(uk.path), "2026-05"]
    assert str(page) in said
