"""A build publishes all of its files, or nothing."""

from __future__ import annotations

import hashlib
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from webstrata.collection import Collection
from webstrata.collection.build import list_files, read_record
from webstrata.collection.check import check_collection
from webstrata.collection.faults import injected
from webstrata.collection.files import make_directory
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import DiskFullError, ExistsError, LockedError, SettingError, StorageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create(tmp_path / "uk")


def build_notes(collection: Collection, text: str) -> None:
    with collection.write_part(
        "notes", settings=ResourcesSettings(workers=2), renew="webstrata note"
    ) as build:
        (build.path / "deep").mkdir()
        (build.path / "deep" / "a.txt").write_text(text)
        build.count(notes=1)


def test_a_part_is_described_in_the_manifest_and_in_itself(collection: Collection) -> None:
    build_notes(collection, "kept")
    with collection.open_part("notes") as part:
        record = part.record
        assert read_record(part.path) == record
        sums = (part.path / "SHA256SUMS").read_bytes()
    assert (record.files, record.bytes, record.generation) == (1, 4, 1)
    assert record.settings == {"workers": 2}
    assert record.counts == {"notes": 1}
    assert record.checksum == f"sha256:{hashlib.sha256(sums).hexdigest()}"
    assert record.renew == "webstrata note"


def test_sha256sum_verifies_a_part(collection: Collection) -> None:
    build_notes(collection, "kept")
    checked = subprocess.run(
        ["sha256sum", "--check", "SHA256SUMS"],
        cwd=collection.path / "notes",
        capture_output=True,
        text=True,
        check=True,
    )
    assert checked.stdout == "deep/a.txt: OK\n"


def test_the_same_files_have_the_same_checksum_whenever_they_are_built(collection: Collection) -> None:
    build_notes(collection, "kept")
    first = collection.parts.record("notes")
    build_notes(collection, "kept")
    second = collection.parts.record("notes")
    assert first.checksum == second.checksum
    assert first.generation < second.generation


def test_an_exception_in_the_block_publishes_nothing_and_leaves_nothing(collection: Collection) -> None:
    build_notes(collection, "old")
    with pytest.raises(ZeroDivisionError), collection.write_part("notes") as build:
        (build.path / "a.txt").write_text(str(1 // 0))
    assert (collection.path / "notes" / "deep" / "a.txt").read_text() == "old"
    assert not build.folder.exists()
    assert collection.parts.lock.holder() == ""


@pytest.mark.parametrize("plan", ["no-space", "no-space path=*manifest.toml.new", "sync-fails after=3"])
def test_a_failing_disk_gives_its_own_error_and_releases_the_lock(collection: Collection, plan: str) -> None:
    build_notes(collection, "old")
    with pytest.raises((DiskFullError, StorageError)), injected(plan):
        build_notes(collection, "new")
    assert collection.parts.lock.holder() == ""
    assert (collection.path / "notes" / "deep" / "a.txt").read_text() == "old"
    build_notes(collection, "new")
    assert check_collection(collection).notes == []


def test_a_failure_after_the_part_was_named_does_not_take_it_back(collection: Collection) -> None:
    build_notes(collection, "old")
    # the last sync but the link's: the manifest has its new name by then
    for after in range(30):
        with injected(f"sync-fails path={collection.path} after={after}"):
            try:
                build_notes(collection, f"new {after}")
            except StorageError:
                pass
            else:
                break
        text = (collection.parts.path(collection.parts.record("notes")) / "deep" / "a.txt").read_text()
        assert text in {"old", *(f"new {number}" for number in range(after + 1))}
        assert check_collection(collection).damage == []
    assert 0 < after < 29


def test_a_build_is_used_once(collection: Collection) -> None:
    build = collection.write_part("notes")
    with build:
        pass
    with pytest.raises(ValueError, match="notes: a build is used once"), build:
        pass
    assert collection.parts.lock.holder() == ""


def test_a_part_is_not_built_inside_its_own_build(collection: Collection) -> None:
    with collection.write_part("notes") as outer:
        (outer.path / "a").write_text("outer")
        with pytest.raises(ValueError, match="is being built already"), collection.write_part("notes"):
            pass
        with collection.write_part("other") as inner:
            (inner.path / "b").write_text("inner")
    assert sorted(record.name for record in collection.parts) == ["notes", "other"]
    assert (collection.path / "notes" / "a").read_text() == "outer"


def test_another_thread_waits_for_its_turn(collection: Collection) -> None:
    refused: list[str] = []

    def build() -> None:
        try:
            build_notes(collection, "second")
        except LockedError as error:
            refused.append(str(error))

    with collection.write_part("other"):
        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
    assert len(refused) == 1
    build()
    assert sorted(record.name for record in collection.parts) == ["notes", "other"]


def test_what_the_user_put_where_a_part_belongs_is_left_alone(collection: Collection) -> None:
    mine = collection.path / "notes"
    mine.write_text("mine")
    with pytest.raises(ExistsError, match="notes: something that is no part stands where"):
        build_notes(collection, "theirs")
    with pytest.raises(ExistsError), collection.write_part("snapshots"):
        pass
    assert mine.read_text() == "mine"
    assert len(collection.parts) == 0


def test_what_the_user_put_there_later_survives_other_builds(collection: Collection) -> None:
    build_notes(collection, "kept")
    (collection.path / "notes").unlink()
    (collection.path / "notes").write_text("mine")
    with collection.write_part("other"):
        pass
    assert (collection.path / "notes").read_text() == "mine"
    with collection.open_part("notes") as part:
        assert (part.path / "deep" / "a.txt").read_text() == "kept"


@pytest.mark.parametrize("name", ["a\nb", "a\u2028b", "a\x07"])
def test_a_file_name_that_no_list_can_hold_is_refused(collection: Collection, name: str) -> None:
    with (
        pytest.raises(ValueError, match="expected printable file names"),
        collection.write_part("notes") as build,
    ):
        (build.path / name).touch()
    assert "notes" not in collection.parts


@pytest.mark.parametrize("name", ["", "Graph", "1a", "a/b", "a.b", "../a", "-a"])
def test_a_part_name_that_is_no_plain_word_is_refused(collection: Collection, name: str) -> None:
    with pytest.raises(ValueError, match="expected lower-case letters"):
        collection.write_part(name)


def test_files_are_listed_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b", "a/c", "a/SHA256SUMS", "part.toml", "SHA256SUMS"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [str(path.relative_to(tmp_path)) for path in list_files(tmp_path)] == ["a/SHA256SUMS", "a/c", "b"]


def test_shards_stay_for_the_next_build_unless_their_settings_were_refused(collection: Collection) -> None:
    def fail(error: Exception) -> None:
        with collection.write_part("notes") as build:
            make_directory(build.folder / "shards" / "first")
            raise error

    with pytest.raises(StorageError):
        fail(StorageError("a disk"))
    [note] = check_collection(collection).notes
    assert note.problem == "a build was interrupted, 1 shard of it done"
    with pytest.raises(SettingError):
        fail(SettingError("a setting"))
    assert check_collection(collection).notes == []
