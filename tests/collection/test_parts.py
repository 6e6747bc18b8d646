"""Readers keep what they opened; a writer removes what nobody needs, and nothing else."""

from __future__ import annotations

import shutil
import threading
import time
from typing import TYPE_CHECKING

import pytest

from webstrata.collection import Collection
from webstrata.collection.faults import injected
from webstrata.collection.parts import stale_inputs
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import FormatError, MissingError, StorageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create(tmp_path / "uk")


def build(collection: Collection, text: str, name: str = "notes") -> None:
    with collection.write_part(name) as build:
        (build.path / "a").write_text(text)


def generations(collection: Collection) -> list[str]:
    return sorted(path.name for path in (collection.path / ".parts").iterdir())


def test_a_reader_keeps_what_it_opened_while_writers_republish(collection: Collection) -> None:
    build(collection, "first")
    with Collection.open(collection.path).open_part("notes") as part:
        build(collection, "second")
        build(collection, "third")
        assert (part.path / "a").read_text() == "first"
        assert generations(collection) == ["notes.1", "notes.3"]
    build(collection, "fourth")
    assert generations(collection) == ["notes.4"]


def test_a_part_that_was_removed_stays_with_its_readers(collection: Collection) -> None:
    build(collection, "first")
    with collection.open_part("notes") as part:
        collection.parts.remove("notes")
        assert (part.path / "a").read_text() == "first"
        assert "notes" not in collection.parts
        assert not (collection.path / "notes").is_symlink()
        build(collection, "second")
        assert (part.path / "a").read_text() == "first"
        with collection.open_part("notes") as newer:
            assert (newer.path / "a").read_text() == "second"


def test_readers_and_a_writer_at_once_never_see_a_mixture(collection: Collection) -> None:
    build(collection, "0")
    stop = threading.Event()
    seen: list[str] = []
    failures: list[BaseException] = []

    def read() -> None:
        mine = Collection.open(collection.path)
        try:
            while not stop.is_set():
                with mine.open_part("notes") as part:
                    text = (part.path / "a").read_text()
                    assert part.counts == {"number": int(text)} or text == "0"
                    seen.append(text)  # the other reader's, too
                time.sleep(0.001)  # the writer is in the same interpreter
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(1, 20):
        with collection.write_part("notes") as build_:
            (build_.path / "a").write_text(str(number))
            build_.count(number=number)
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert {*seen} <= {str(number) for number in range(20)}


def test_a_closed_part_lets_go_and_closing_again_is_fine(collection: Collection) -> None:
    build(collection, "first")
    part = collection.open_part("notes")
    part.close()
    part.close()
    build(collection, "second")
    assert generations(collection) == ["notes.2"]


def test_a_link_shows_the_part_to_people(collection: Collection) -> None:
    build(collection, "first")
    assert (collection.path / "notes" / "a").read_text() == "first"
    (collection.path / "notes").unlink()
    build(collection, "other", name="other")
    assert (collection.path / "notes" / "a").read_text() == "first"


def test_a_part_that_is_not_there_is_said_with_those_that_are(collection: Collection) -> None:
    with pytest.raises(MissingError, match=r"no part graph \(parts: none yet\); call `collection.build\("):
        collection.open_part("graph")
    build(collection, "first")
    with pytest.raises(MissingError, match=r"no part graph \(parts: notes\)"):
        collection.open_part("graph")


def test_a_part_whose_files_are_gone_is_said(collection: Collection) -> None:
    build(collection, "first")
    shutil.rmtree(collection.path / ".parts" / "notes.1")
    with pytest.raises(
        FormatError, match="the folder of the part notes is missing, though the manifest names"
    ):
        collection.open_part("notes")


def test_where_the_named_files_are_gone_older_ones_are_kept(collection: Collection) -> None:
    build(collection, "first")
    with collection.open_part("notes"):
        build(collection, "second")
        shutil.rmtree(collection.path / ".parts" / "notes.2")
    build(collection, "x", name="other")
    assert generations(collection) == ["notes.1", "other.1"]


def test_a_damaged_manifest_stops_writers_and_the_parts_it_lost_say_why(collection: Collection) -> None:
    build(collection, "first")
    (collection.path / "manifest.toml").write_text("spoilt")
    with pytest.raises(FormatError, match="repair=True"):
        build(collection, "second")
    with pytest.raises(FormatError, match="repair=True"):
        collection.open_part("notes")
    assert generations(collection) == ["notes.1"]


def test_what_cannot_be_removed_does_not_fail_the_build(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    build(collection, "first")
    with injected(f"sync-fails path={collection.path}/.parts after=1"):
        build(collection, "second")  # its second sync there is of the name that notes.1 loses
    assert "could not sync" in caplog.text
    assert (collection.path / "notes" / "a").read_text() == "second"
    build(collection, "third")
    assert generations(collection) == ["notes.3"]


def test_nothing_old_goes_before_the_new_name_is_durable(collection: Collection) -> None:
    build(collection, "first")
    with injected(f"sync-fails path={collection.path} after=2"), pytest.raises(StorageError):
        build(collection, "second")
    assert "notes.1" in generations(collection)
    with injected(f"sync-fails path={collection.path}"), pytest.raises(StorageError):
        build(collection, "third")
    assert "notes.1" in generations(collection)


def test_a_manifest_that_changed_is_read_again(collection: Collection) -> None:
    reader = Collection.open(collection.path)
    assert len(reader.parts) == 0
    build(collection, "first")
    assert "notes" in reader.parts
    collection.parts.remove("notes")
    assert "notes" not in reader.parts


def test_inputs_that_changed_or_are_gone_are_stale() -> None:
    assert stale_inputs({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9"}) == ["b", "c"]


def test_a_part_made_with_other_settings_or_from_others_is_not_the_one_asked_for(
    collection: Collection,
) -> None:
    parts, workers = collection.parts, ResourcesSettings(workers=2)
    assert parts.open_made("notes", {}, {}) is None
    with parts.build("notes", settings=workers, inputs={"/a": "1", "/b": "2"}) as made:
        (made.path / "a").write_text("text")
    values = workers.to_dict()
    with parts.open_made("notes", values, {"/a": "1"}) or pytest.fail("it is there") as part:
        assert (part.path / "a").read_text() == "text"
    assert parts.open_made("notes", values, {"/a": "2"}) is None
    assert parts.open_made("notes", values, {"/c": "1"}) is None
    assert parts.open_made("notes", values | {"workers": 3}, {}) is None
    assert parts.open_made("notes", values | {"workers": 3}, {}, heeded=["workers"]) is None
    other = parts.open_made("notes", values | {"workers": 3}, {}, heeded=[])
    assert other is not None
    other.close()
    shutil.rmtree(part.path)
    assert parts.open_made("notes", values, {"/a": "1"}) is None
