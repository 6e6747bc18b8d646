"""Manifests: what was written is what is read, and of a damaged one nothing else."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import manifests, part_records
from webstrata.collection.manifest import (
    Manifest,
    PartRecord,
    read_manifest,
    repair_error,
    write_manifest,
)
from webstrata.errors import FormatError, NewerFormatError

if TYPE_CHECKING:
    from pathlib import Path


@given(manifests())
def test_a_manifest_comes_back_from_its_file(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "manifest.toml"
    write_manifest(path, manifest)
    assert read_manifest(path) == manifest


@given(part_records(), st.integers(1, 9))
def test_a_record_does_not_match_the_seal_of_another(record: PartRecord, more: int) -> None:
    table = record.to_sealed_table()
    assert PartRecord.from_table(record.name, table) == record
    with pytest.raises(ValueError, match="seal"):
        PartRecord.from_table(record.name + "x", table)
    with pytest.raises(ValueError, match="seal"):
        PartRecord.from_table(record.name, table | {"bytes": record.bytes + more})


def places(content: bytes | bytearray, manifest: Manifest) -> dict[str, range]:
    """Which bytes of the file belong to each record."""
    starts = [content.index(f"[parts.{name}]\n".encode()) for name in manifest.parts]
    pairs = itertools.pairwise([*starts, len(content)])
    return {name: range(*pair) for name, pair in zip(manifest.parts, pairs, strict=True)}


@settings(max_examples=40)
@given(manifests(), st.data())
def test_a_byte_changed_anywhere_costs_the_record_it_is_in_at_most_and_invents_none(
    tmp_path: Path, manifest: Manifest, data: st.DataObject
) -> None:
    path = tmp_path / "manifest.toml"
    write_manifest(path, manifest)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    spared = {name for name, bytes_ in places(content, manifest).items() if place not in bytes_}
    content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        found = read_manifest(path)
    except NewerFormatError:
        assert place == content.index(b"\n") - 1  # the 1 of `format = 1` became another digit
        return
    assert found.parts.items() <= manifest.parts.items()
    assert found.parts.keys() >= spared
    assert found.damage or found == manifest


@settings(max_examples=30)
@given(manifests(), st.data(), st.sampled_from([b"", b"\0\0\0", b"rubbish", b"]\n"]))
def test_a_manifest_cut_anywhere_shows_every_record_before_the_cut(
    tmp_path: Path, manifest: Manifest, data: st.DataObject, rubbish: bytes
) -> None:
    path = tmp_path / "manifest.toml"
    write_manifest(path, manifest)
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut] + rubbish)
    found = read_manifest(path)
    assert found.parts.items() <= manifest.parts.items()
    assert found.parts.keys() >= {
        name for name, bytes_ in places(content, manifest).items() if bytes_.stop < cut
    }


def test_damage_in_one_record_leaves_the_others_readable(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    records = {name: _record(name) for name in ("graph", "links", "urls")}
    write_manifest(path, Manifest(records))
    text = path.read_text()
    assert text.count("files = 5") == 3
    middle = text.index("files = 5", text.index("[parts.links]"))
    path.write_text(text[:middle] + "files = = 5" + text[middle + 9 :])
    found = read_manifest(path)
    assert found.parts == {"graph": records["graph"], "urls": records["urls"]}
    assert found.damage.startswith(f"{path}: ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "format = 1",
        "format = 1\nparts = 3",
        "parts = 3",
        "format = 'one'\n[parts]",
        "format = true\n[parts]",
        "format = 0\n[parts]",
        "format = 1\n[parts.graph]\ngeneration = 1",
        "format = 1\n[parts]\ngraph = 3",
        "\0" * 40,
    ],
)
def test_a_manifest_without_what_it_must_have_is_damaged(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(text)
    manifest = read_manifest(path)
    assert manifest.parts == {}
    assert manifest.damage
    assert "\n" not in repair_error(manifest).explain()


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text("format = 2\n[parts]\n")
    with pytest.raises(NewerFormatError, match="format 2 was written by a newer webstrata"):
        read_manifest(path)


def test_a_manifest_that_is_gone_while_parts_are_there_is_damage(tmp_path: Path) -> None:
    (tmp_path / ".parts" / "graph.1").mkdir(parents=True)
    assert "the manifest is gone" in read_manifest(tmp_path / "manifest.toml").damage


def test_the_version_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    old = Manifest({"graph": _record("graph")})
    write_manifest(path, old)
    write_manifest(path, Manifest())
    assert read_manifest(path.with_name("manifest.toml.bak")) == old


def test_a_damaged_manifest_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="repair=True"):
        write_manifest(tmp_path / "manifest.toml", Manifest(damage="manifest.toml: cut off"))
    assert list(tmp_path.iterdir()) == []


def _record(name: str) -> PartRecord:
    return PartRecord(
        name=name,
        generation=2,
        built=dt.datetime(2026, 6, 30, tzinfo=dt.UTC),
        seconds=3.5,
        version="0.1.0",
        files=5,
        bytes=123456,
        checksum="sha256:00",
    )
