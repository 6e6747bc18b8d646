"""What is compared when a part is opened or read by a build, and what damage gives."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.collection import verify
from webstrata.collection.check import check_collection
from webstrata.collection.verify import BLOCK_SUMS, SMALL, diagnose, read_block_sums
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

SIZE = SMALL + 12_345


def flip(path: Path, place: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 16
    path.write_bytes(data)


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    """With a part `notes` that has a small file and one that is compared by builds alone."""
    found = ws.create(tmp_path / "uk").add("2026-06")
    with found.write_part("notes", renew="webstrata note {collection} {snapshot}") as build:
        (build.path / "small.txt").write_text("kept")
        (build.path / "large.bin").write_bytes(os.urandom(SIZE))
    verify._compared.clear()
    return found


def build_from_notes(snapshot: Snapshot) -> None:
    with snapshot.write_part("copy", inputs=("notes",)) as build, snapshot.open_part("notes") as part:
        (build.path / "copy.bin").write_bytes((part.path / "large.bin").read_bytes())


def test_a_flipped_bit_of_a_small_file_is_found_when_its_part_is_opened(snapshot: Snapshot) -> None:
    flip(snapshot.path / "notes" / "small.txt")
    with pytest.raises(FormatError) as caught:
        snapshot.open_part("notes")
    place = snapshot.collection.path
    assert caught.value.explain() == (
        f"{snapshot.path}/.parts/notes.1/small.txt: this file of the part notes is damaged between byte 0 "
        f"and byte 4; run `webstrata check {place} --repair && webstrata note {place} 2026-06`"
    )


def test_a_build_refuses_a_damaged_input_and_takes_the_restored_one(snapshot: Snapshot) -> None:
    path = snapshot.path / "notes" / "large.bin"
    flip(path, SMALL + 7)
    snapshot.open_part("notes").close()  # a reader does not compare so much
    with pytest.raises(FormatError, match=r"large\.bin: .* is damaged between byte 4194304 and byte 4206649"):
        build_from_notes(snapshot)
    assert "copy" not in snapshot.parts
    flip(path, SMALL + 7)
    build_from_notes(snapshot)
    assert not snapshot.collection.states()["2026-06/copy"].stale


def test_what_was_compared_is_compared_again_when_it_was_altered(snapshot: Snapshot) -> None:
    build_from_notes(snapshot)
    path = snapshot.path / "notes" / "large.bin"
    times = path.stat()
    flip(path, SMALL + 7)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(FormatError, match=r"large\.bin"):
        build_from_notes(snapshot)


@pytest.mark.parametrize("size", [0, 1, SIZE - 1, SIZE + 1])
def test_another_size_of_a_large_file_is_found_without_reading_it(snapshot: Snapshot, size: int) -> None:
    os.truncate(snapshot.path / "notes" / "large.bin", size)
    with pytest.raises(FormatError, match=rf"large\.bin: .* has {size} bytes instead of {SIZE}"):
        snapshot.open_part("notes")


def test_files_that_are_missing_or_no_files_are_named(snapshot: Snapshot) -> None:
    path = snapshot.path / "notes" / "small.txt"
    path.unlink()
    with pytest.raises(FormatError, match=r"small\.txt: this file of the part notes is missing"):
        snapshot.open_part("notes")
    path.mkdir()
    with pytest.raises(FormatError, match=r"small\.txt: this file of the part notes is a directory"):
        snapshot.open_part("notes")


@pytest.mark.parametrize("place", [0, 70, 200, -20, -1])
def test_damaged_sums_of_blocks_are_named_and_made_again_by_a_repair(snapshot: Snapshot, place: int) -> None:
    flip(snapshot.path / "notes" / BLOCK_SUMS, place)
    with pytest.raises(FormatError, match=BLOCK_SUMS):
        snapshot.open_part("notes")
    (finding,) = check_collection(snapshot.collection).damage
    assert finding.where == "2026-06/notes"
    assert BLOCK_SUMS in finding.problem
    repaired = check_collection(snapshot.collection, repair=True)
    assert repaired.damage == []
    with snapshot.open_part("notes") as part:
        rows = read_block_sums(part.path, part.record.checksum)
    assert rows is not None
    assert sorted(size for _, size, _ in rows) == [4, SIZE]


def test_sums_of_another_part_are_not_taken_for_its_own(snapshot: Snapshot) -> None:
    build_from_notes(snapshot)
    (snapshot.path / "copy" / BLOCK_SUMS).write_bytes((snapshot.path / "notes" / BLOCK_SUMS).read_bytes())
    with pytest.raises(FormatError, match="belongs to another part or generation"):
        snapshot.open_part("copy")


def test_a_part_without_sums_of_blocks_is_verified_by_its_digests(snapshot: Snapshot) -> None:
    (snapshot.path / "notes" / BLOCK_SUMS).unlink()
    build_from_notes(snapshot)
    flip(snapshot.path / "notes" / "large.bin")
    snapshot.open_part("notes").close()
    with pytest.raises(FormatError, match=r"large\.bin: .* has another SHA-256"):
        build_from_notes(snapshot)
    os.truncate(snapshot.path / "notes" / "large.bin", 5)
    with pytest.raises(FormatError, match=r"large\.bin: .* has another SHA-256, and its files have 9 bytes"):
        snapshot.open_part("notes")


def test_an_error_of_a_reader_is_explained_by_the_damage_that_caused_it(snapshot: Snapshot) -> None:
    with snapshot.open_part("notes"):
        assert diagnose(ValueError("cannot read this")) is None
        flip(snapshot.path / "notes" / "large.bin", 99)
        found = diagnose(ValueError("cannot read this"))
        assert found is not None
        assert "large.bin: this file of the part notes is damaged between byte 0 and byte 1048576" in str(
            found
        )
        assert diagnose(FormatError("row 3 cannot be decoded")) is not None
        elsewhere = snapshot.collection.path / "collection.toml"
        assert diagnose(FormatError(f"{elsewhere}, line 3: no number")) is None


def test_a_part_whose_folder_is_gone_is_repaired_by_command_and_built_again(snapshot: Snapshot) -> None:
    snapshot.path.joinpath(".parts", "notes.1").rename(snapshot.collection.path / "elsewhere")
    with pytest.raises(FormatError, match=r"the folder of the part notes is missing.*repair=True"):
        snapshot.open_part("notes")
    assert [finding.problem for finding in check_collection(snapshot.collection).damage] == [
        "its files are gone"
    ]
    (note,) = check_collection(snapshot.collection, repair=True).notes
    assert note.remedy.startswith("taken out of the manifest; run `webstrata note ")
    assert "notes" not in snapshot.parts
    assert check_collection(snapshot.collection).damage == []


def test_a_repair_sets_a_damaged_part_aside_but_never_pages(snapshot: Snapshot) -> None:
    with snapshot.write_part("warc", renew="webstrata ingest {collection} {snapshot} a.warc") as build:
        (build.path / "a.warc").write_text("WARC/1.1")
    flip(snapshot.path / "notes" / "small.txt")
    flip(snapshot.path / "warc" / "a.warc")
    result = check_collection(snapshot.collection, repair=True)
    assert [finding.where for finding in result.damage] == ["2026-06/warc"]
    assert [record.name for record in snapshot.parts] == ["warc"]
    assert (snapshot.path / ".damaged" / "notes.1" / "large.bin").stat().st_size == SIZE


def test_a_repair_makes_sha_sums_again_where_the_files_are_those_of_the_manifest(snapshot: Snapshot) -> None:
    path = snapshot.path / "notes" / "SHA256SUMS"
    sums = path.read_bytes()
    for damage in (b"", b"spoilt"):
        path.write_bytes(damage)
        assert check_collection(snapshot.collection).damage != []
        assert check_collection(snapshot.collection, repair=True).damage == []
        assert path.read_bytes() == sums
