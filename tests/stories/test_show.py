"""`webstrata show`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.stories.conftest import assert_refused, picture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command
    from webstrata.collection import Collection


def test_parts_are_shown_with_their_sizes_and_counts(webstrata: Command, uk: Collection) -> None:
    done = webstrata("show", "uk")
    assert (done.returncode, done.stderr) == (0, "")
    assert "United Kingdom (uk): 2 snapshots" in done.stdout
    assert "3 nodes, 2,000 arcs" in done.stdout
    assert "Nothing built yet: 2026-05" in done.stdout
    assert uk.dates == ["2026-05", "2026-06"]


def test_json_is_one_document_with_everything(webstrata: Command, uk: Collection) -> None:
    document = json.loads(webstrata("show", "uk", "--json").stdout)
    assert document["title"] == uk.title
    newer = document["snapshots"][1]
    assert newer["date"] == "2026-06"
    graph = newer["parts"][0]
    assert (graph["name"], graph["state"], graph["bytes"]) == ("graph", "ready", 1000)
    assert graph["counts"] == {"nodes": 3, "arcs": 2000}
    assert graph["renew"] == "webstrata build uk 2026-06 graph"
    assert graph["built"].endswith("+00:00")
    assert "T" in graph["built"]
    assert "seal" not in graph


def test_one_snapshot_can_be_chosen(webstrata: Command, uk: Collection) -> None:
    document = json.loads(webstrata("show", "uk", "2026-05", "--json").stdout)
    assert [snapshot["date"] for snapshot in document["snapshots"]] == ["2026-05"]
    assert_refused(webstrata("show", "uk", "2026-07"), r"no snapshot 2026-07 \(snapshots: 2026-05, 2026-06\)")
    assert_refused(webstrata("show", "uk", "July"), "snapshot 'July': not a date")
    assert len(uk) == 2


def test_a_stale_part_is_named_with_the_command_that_renews_it(webstrata: Command, uk: Collection) -> None:
    with uk["2026-06"].write_part("links") as build:
        (build.path / "arcs.txt").write_text("changed")
    done = webstrata("show", "uk")
    stale = "2026-06/graph is stale: 2026-06/links changed since; "
    assert f"{stale}run `webstrata build uk 2026-06 graph`" in done.stdout
    assert done.returncode == 0


def test_an_empty_collection_says_what_to_do_next(webstrata: Command) -> None:
    webstrata("new", "my uk")
    done = webstrata("show", "my uk")
    assert done.stdout.splitlines()[-1] == (
        "There are no snapshots; to add one, run `webstrata new 'my uk' 2026-06`"
    )


def test_a_place_that_is_no_collection_says_how_to_make_one(webstrata: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert_refused(webstrata("show", "folder"), r"folder: not a collection.*`webstrata new folder`")
    assert_refused(webstrata("show", "file"), "file: not a collection|file: no such collection")
    assert_refused(webstrata("show", "gone"), "gone: no such collection.*`webstrata new gone`")


@pytest.mark.parametrize("name", ["collection.toml", "snapshots/2026-06/manifest.toml"])
def test_a_newer_format_is_refused_and_left_alone(webstrata: Command, uk: Collection, name: str) -> None:
    file = uk.path / name
    file.write_text(file.read_text().replace("format = 1", "format = 2"))
    before = picture(uk.path)
    for words in (["show", "uk"], ["check", "uk"], ["check", "uk", "--repair"]):
        assert_refused(webstrata(*words), f"{name}: format 2 was written by a newer webstrata.*upgrade")
    assert picture(uk.path) == before


def test_of_a_damaged_manifest_the_readable_is_shown(webstrata: Command, uk: Collection) -> None:
    manifest = uk.path / "snapshots" / "2026-06" / "manifest.toml"
    manifest.write_text(manifest.read_text().replace("[parts.links]", "[parts.links"))
    before = picture(uk.path)
    for words in (["show", "uk"], ["show", "uk", "--json"]):
        done = webstrata(*words)
        assert_refused(done, r"manifest\.toml: .*`webstrata check uk --repair` to make it again")
        assert "graph" in done.stdout
    assert [part["name"] for part in json.loads(done.stdout)["snapshots"][1]["parts"]] == ["graph"]
    assert picture(uk.path) == before


def test_a_settings_file_that_is_not_toml_is_said(webstrata: Command, uk: Collection) -> None:
    (uk.path / "collection.toml").write_text("format = 1\ntitle = \n")
    assert_refused(webstrata("show", "uk"), r"collection\.toml: this is not TOML \(.*line 2.*mend the line")


def test_an_unknown_table_is_refused_with_the_known_ones(webstrata: Command, uk: Collection) -> None:
    (uk.path / "collection.toml").write_text("format = 1\n[resourses]\n")
    assert_refused(webstrata("show", "uk"), r"resourses is no table \(did you mean resources\?\); known are ")
