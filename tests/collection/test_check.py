"""Check finds every damage, calls nothing else damage, and repairs without loss."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.collection import Collection
from webstrata.collection.check import check_collection, repair_manifest
from webstrata.collection.manifest import read_manifest
from webstrata.errors import LockedError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return fill(Collection.create(tmp_path / "uk"))


def fill(collection: Collection) -> Collection:
    snapshot = collection.add("2026-06")
    for name, inputs in (("links", ()), ("graph", ("links",))):
        with snapshot.write_part(name, inputs=inputs, renew=f"webstrata {name} {{collection}}") as build:
            (build.path / "deep").mkdir()
            (build.path / "deep" / "a").write_text(name * 10)
            (build.path / "b").write_text("b" * 100)
    return collection


def problems(collection: Collection, *, repair: bool = False) -> list[tuple[str, str]]:
    return [
        (finding.where, finding.problem) for finding in check_collection(collection, repair=repair).damage
    ]


def part_file(collection: Collection, name: str) -> Path:
    return collection.path / "snapshots" / "2026-06" / name


def test_a_sound_collection_has_neither_damage_nor_notes(collection: Collection) -> None:
    result = check_collection(collection)
    assert (result.damage, result.notes) == ([], [])
    assert (result.parts, result.files, result.bytes) == (2, 4, 50 + 50 + 200)


@settings(max_examples=30)
@given(st.sampled_from(["deep/a", "b", "SHA256SUMS", "part.toml"]), st.integers(0), st.integers(1, 255))
def test_any_changed_byte_of_any_file_is_noticed(tmp_path: Path, name: str, place: int, change: int) -> None:
    path = tmp_path / "uk"
    collection = Collection.open(path) if path.exists() else fill(Collection.create(path))
    file = part_file(collection, f"graph/{name}")
    original = file.read_bytes()
    content = bytearray(original)
    content[place % len(content)] ^= change
    file.write_bytes(content)
    try:
        ((where, problem),) = problems(collection)
        assert where == "2026-06/graph"
        assert f"{name} is damaged" in problem
    finally:
        file.write_bytes(original)
    assert problems(collection) == []


def test_files_that_are_gone_or_do_not_belong_are_named_with_the_command_that_renews(
    collection: Collection,
) -> None:
    part_file(collection, "graph/b").unlink()
    part_file(collection, "graph/c").touch()
    part_file(collection, "graph/dangling").symlink_to("nowhere")
    part_file(collection, "links/SHA256SUMS").unlink()
    assert sorted(problems(collection)) == [
        ("2026-06/graph", "b is gone"),
        ("2026-06/graph", "c does not belong to it"),
        ("2026-06/graph", "dangling does not belong to it"),
        ("2026-06/links", "SHA256SUMS is gone"),
    ]
    (remedy, *_) = [finding.remedy for finding in check_collection(collection).damage]
    assert remedy == f"run `webstrata build {collection.path} 2026-06 graph`"


def test_a_part_whose_folder_is_gone_is_named_and_building_it_again_mends_it(collection: Collection) -> None:
    folder = part_file(collection, ".parts/graph.1")
    folder.rename(collection.path / "elsewhere")
    assert problems(collection) == [("2026-06/graph", "its files are gone")]
    fill(collection)
    assert problems(collection) == []


def test_stale_parts_and_leftovers_are_notes(collection: Collection) -> None:
    snapshot = collection["2026-06"]
    with snapshot.write_part("links") as build:
        (build.path / "a").write_text("changed")
    part_file(collection, ".building/urls/shards/0").mkdir(parents=True)
    part_file(collection, ".parts/urls.1").mkdir()
    result = check_collection(collection)
    assert result.damage == []
    assert [(note.where, note.problem.replace(str(snapshot.path), "…")) for note in result.notes] == [
        ("2026-06/urls", "a build was interrupted, 1 shard of it done"),
        ("2026-06/urls", "…/.parts/urls.1 is not in the manifest"),
        ("2026-06/graph", "stale: 2026-06/links changed since"),
    ]


def test_a_build_under_way_is_not_called_interrupted(collection: Collection) -> None:
    with collection["2026-06"].write_part("urls"):
        (note,) = check_collection(Collection.open(collection.path)).notes
    assert "is building it" in note.problem


def test_settings_files_are_read_as_the_stages_will(collection: Collection) -> None:
    part_file(collection, "snapshot.toml").write_text("[resources]\nworkres = 3\n")
    (finding,) = check_collection(collection).damage
    assert finding.where.endswith("2026-06/snapshot.toml")
    assert finding.problem.startswith("[resources]: workres is not a setting of [resources]")


def test_a_check_beside_a_busy_writer_finds_no_damage(collection: Collection) -> None:
    stop = threading.Event()

    def write() -> None:
        mine = Collection.open(collection.path)
        while not stop.is_set():
            fill(mine)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(40):
            assert problems(collection) == []
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize("damage", ["spoilt", "", "format = 1\n[parts", None])
def test_a_repair_makes_the_manifest_again_and_keeps_the_damaged_one(
    collection: Collection, damage: str | None
) -> None:
    path = part_file(collection, "manifest.toml")
    before = read_manifest(path)
    if damage is None:
        path.unlink()
    else:
        path.write_text(damage)
    ((where, _),) = problems(collection)
    assert where == str(path)
    result = check_collection(collection, repair=True)
    assert result.damage == []
    assert read_manifest(path) == before
    kept = part_file(collection, "manifest.toml.damaged1")
    assert (kept.read_text() if kept.exists() else None) == damage
    assert problems(collection) == []


def test_a_second_damaged_manifest_does_not_replace_the_first(collection: Collection) -> None:
    path = part_file(collection, "manifest.toml")
    for number in (1, 2, 3):
        path.write_text(f"spoilt {number}")
        assert repair_manifest(collection["2026-06"].parts) == part_file(
            collection, f"manifest.toml.damaged{number}"
        )
    assert part_file(collection, "manifest.toml.damaged1").read_text() == "spoilt 1"


def test_a_repair_loses_no_part_whose_own_record_is_damaged(collection: Collection) -> None:
    path = part_file(collection, "manifest.toml")
    before = read_manifest(path)
    part_file(collection, "graph/part.toml").write_text("spoilt")
    path.write_text(path.read_text().replace("[parts.links]", "[parts.lynx]"))
    assert problems(collection, repair=True) == []
    assert read_manifest(path) == before
    assert problems(collection) == []


def test_a_part_that_nothing_describes_any_more_is_set_aside(collection: Collection) -> None:
    part_file(collection, "graph/part.toml").write_text("spoilt")
    part_file(collection, "manifest.toml").write_text("spoilt")
    result = check_collection(collection, repair=True)
    aside = part_file(collection, ".damaged/graph.1")
    assert (aside / "b").read_text() == "b" * 100
    assert any("was set aside by a repair" in note.problem for note in result.notes)
    fill(collection)
    assert (aside / "b").is_file()


def test_the_record_that_the_manifest_still_has_wins_over_a_newer_folder(collection: Collection) -> None:
    shutil.copytree(part_file(collection, ".parts/graph.1"), part_file(collection, ".parts/graph.2"))
    path = part_file(collection, "manifest.toml")
    path.write_text(path.read_text() + "rubbish")
    assert problems(collection, repair=True) == []
    assert collection["2026-06"].parts.record("graph").generation == 1


def test_a_repair_waits_for_no_writer(collection: Collection) -> None:
    path = part_file(collection, "manifest.toml")
    with collection["2026-06"].parts.writing():
        path.write_text("spoilt")
        with pytest.raises(LockedError):
            check_collection(Collection.open(collection.path), repair=True)
    assert path.read_text() == "spoilt"


def test_a_damaged_record_in_a_part_is_made_again_by_repair(collection: Collection) -> None:
    part_file(collection, "graph/part.toml").write_text("spoilt")
    assert problems(collection) == [("2026-06/graph", "part.toml is damaged")]
    result = check_collection(collection, repair=True)
    assert result.damage == []
    assert problems(collection) == []
