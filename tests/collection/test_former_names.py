"""Parts renamed since a collection was written are found, fresh, under their names of today."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata import testing
from webstrata.collection.build import write_record
from webstrata.collection.former_names import FORMER
from webstrata.collection.manifest import PartRecord, write_manifest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection.parts import Parts

CURRENT = {now: former for former, now in FORMER.items()}


def former(name: str) -> str:
    holder, slash, part = name.rpartition("/")
    return f"{holder}{slash}{CURRENT.get(part, part)}"


def age(parts: Parts) -> None:
    """Give the parts of a holder the names that release 0.1.0 wrote: in the manifest, folders and parts."""
    old: dict[str, PartRecord] = {}
    for record in parts:
        inputs = {former(name): checksum for name, checksum in record.inputs.items()}
        written = replace(record, name=former(record.name), inputs=inputs)
        place = parts.path(record)
        write_record(place, written)
        if written.name != record.name:
            (parts.folder / record.name).unlink()
            target = place.with_name(f"{written.name}.{record.generation}")
            place.rename(target)
            (parts.folder / written.name).symlink_to(target.relative_to(parts.folder))
        old[written.name] = written
    manifest = replace(parts.manifest, parts=old)
    write_manifest(parts.folder / "manifest.toml", manifest)


@pytest.fixture
def old(tmp_path: Path) -> ws.Collection:
    """A collection as release 0.1.0 named its parts."""
    shutil.copytree(testing.collection().path, tmp_path / "uk", symlinks=True)
    uk = ws.open(tmp_path / "uk")
    for holder in (uk, *uk):
        age(holder.parts)
    assert "[parts.search]" in (uk.path / "manifest.toml").read_text()
    return ws.open(tmp_path / "uk")


def test_renamed_parts_are_open_under_their_names_of_today(old: ws.Collection) -> None:
    new = testing.collection()
    assert old.parts.names == new.parts.names
    for snapshot in old:
        assert "captures" in snapshot.parts.names
        assert list(snapshot.urls) == list(new[snapshot.date].urls)
    assert [hit.url for hit in old.search("storm")] == [hit.url for hit in new.search("storm")]


def test_nothing_is_built_again_for_a_new_name(old: ws.Collection) -> None:
    before = [record for holder in (old, *old) for record in holder.parts]
    old.build("text_index", "temporal", workers=1)
    assert [record for holder in (old, *old) for record in holder.parts] == before
    assert old.check().damage == []


def test_a_part_that_is_built_again_gets_a_folder_of_its_new_name(old: ws.Collection) -> None:
    before = old.parts.record("text_index")
    assert old.parts.path(before).name == f"search.{before.generation}"
    old.parts.remove("text_index")
    old.build("text_index", workers=1)
    after = old.parts.record("text_index")
    assert (after.stored, old.parts.path(after).name) == ("", f"text_index.{after.generation}")
    assert (old.path / "text_index").is_symlink()
    assert not (old.path / "search").exists()
    assert not list((old.path / ".parts").glob("search.*"))


def test_a_manifest_is_made_again_from_parts_with_former_names(old: ws.Collection) -> None:
    records = list(old.parts)
    (old.path / "manifest.toml").unlink()
    old.check(repair=True)
    assert list(ws.open(old.path).parts) == records


def test_a_former_name_works_with_a_warning(old: ws.Collection) -> None:
    june = next(iter(old))
    with pytest.warns(DeprecationWarning, match="the part index is called captures now"):
        assert june.parts.record("index").name == "captures"
