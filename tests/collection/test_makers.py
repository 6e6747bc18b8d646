"""Commands that are named for parts that are missing: they are there, and take what they are given."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import webstrata as ws
from webstrata.cli import run
from webstrata.collection.makers import find_source, suggest_pages, suggest_part
from webstrata.errors import MissingError


def test_what_is_proposed_for_a_part_is_a_command_and_a_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot = ws.create(tmp_path / "my web").add("2026-06")
    with pytest.raises(MissingError) as raised:
        snapshot.open_part("graph")
    assert str(raised.value).endswith("no part graph (parts: none yet); call `snapshot.build('graph')`")
    said = shlex.split(raised.value.explain().split("`")[1])
    assert said == ["webstrata", "build", str(tmp_path / "my web"), "2026-06", "graph"]
    assert run([*said[1:], "--help"]) == 0
    assert "--window" in capsys.readouterr().out


def test_nothing_is_proposed_for_a_part_that_nobody_declares() -> None:
    assert suggest_part(Path("uk/snapshots/2026-06"), "notes") is None
    temporal = suggest_part(Path("uk"), "temporal")
    assert temporal is not None
    assert temporal.command == "webstrata build uk temporal"


def test_what_is_suggested_fits_how_the_collection_got_its_pages(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    assert find_source(uk.path) == ""
    assert " crawl " in suggest_pages(uk.path, "2026-06").command
    page = tmp_path / "a.html"
    page.write_text("<title>A</title>Hello")
    words = ["ingest", str(uk.path), "2026-05", str(page), "--base-url", "http://a.uk/"]
    assert run(words) == 0
    uk.add("2026-06")
    assert find_source(uk.path) == "ingest"
    with pytest.raises(MissingError) as raised:
        uk["2026-06"].open_part("urls")
    assert f"run `webstrata ingest {uk.path} 2026-06 FILE`" in raised.value.explain()
    # of a snapshot that was ingested, the command that did it
    uk["2026-05"].parts.remove("captures")
    with pytest.raises(MissingError) as raised:
        uk["2026-05"].open_part("captures")
    said = shlex.split(raised.value.explain().split("`")[1])
    assert said[:4] == ["webstrata", "ingest", str(uk.path), "2026-05"]
    assert str(page) in said
