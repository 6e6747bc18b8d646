"""`webstrata new`, as typed."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conftest import command_path
from tests.stories.conftest import assert_refused, picture
from webstrata.collection import Collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.conftest import Command


def test_a_collection_is_made_with_its_settings_explained(webstrata: Command, tmp_path: Path) -> None:
    done = webstrata("new", "uk", "2026-05", "2026-06", "--title", "United Kingdom")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Created uk; its settings are in uk/collection.toml.",
        "Snapshot 2026-05 added.",
        "Snapshot 2026-06 added.",
    ]
    collection = Collection.open(tmp_path / "uk")
    assert (collection.title, collection.dates) == ("United Kingdom", ["2026-05", "2026-06"])
    assert "# workers = 0" in (tmp_path / "uk" / "collection.toml").read_text()


def test_snapshots_are_added_to_what_is_there(webstrata: Command, uk: Collection) -> None:
    done = webstrata("new", "uk", "2026-06", "2026-07")
    assert done.stdout == "Snapshot 2026-06 is there already.\nSnapshot 2026-07 added.\n"
    assert uk.dates == ["2026-05", "2026-06", "2026-07"]


def test_a_collection_that_is_there_is_not_made_again(webstrata: Command, uk: Collection) -> None:
    before = picture(uk.path)
    assert_refused(webstrata("new", "uk"), "uk: there is a collection here already; choose another name")
    assert_refused(webstrata("new", "uk", "2026-07", "--title", "x"), "there is a collection here already")
    assert picture(uk.path) == before


def test_a_folder_with_something_else_is_left_alone(webstrata: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years")
    assert_refused(webstrata("new", "mine"), "mine: something else is here already; choose another name")
    assert_refused(webstrata("new", "mine/thesis.tex"), "something else is here already")
    assert picture(tmp_path) == {"mine/thesis.tex": b"years"}


@pytest.mark.parametrize("label", ["June", "2026-6", "2026-13", "../x", "", "2026-06-31", "2026_06"])
def test_an_odd_label_is_refused_before_anything_is_made(
    webstrata: Command, tmp_path: Path, label: str
) -> None:
    assert_refused(webstrata("new", "uk", "2026-05", label), "not a date; write it as 2026, 2026-06")
    assert list(tmp_path.iterdir()) == []


def test_the_65th_snapshot_is_refused(webstrata: Command, uk: Collection) -> None:
    assert webstrata("new", "uk", *map(str, range(1900, 1962))).returncode == 0
    assert_refused(webstrata("new", "uk", "1999"), "it has 64 snapshots.*begin another collection for 1999")
    assert len(uk.dates) == 64


def test_a_full_disk_is_said_and_leaves_no_half_collection(webstrata: Command, tmp_path: Path) -> None:
    done = webstrata("new", "uk", faults="no-space after=10")
    assert_refused(done, r"collection\.toml.*: no space left to write; free some space on this disk")
    assert_refused(webstrata("show", "uk"), "uk: not a collection|uk: no such collection")
    assert webstrata("new", "uk").returncode == 0


def test_a_disk_that_fails_is_no_mistake_of_the_user(webstrata: Command) -> None:
    done = webstrata("new", "uk", faults="sync-fails")
    assert_refused(done, r"could not sync \(Input/output error.*look at the disk", exit_code=1)


def test_a_name_that_is_too_long_is_said(webstrata: Command) -> None:
    assert_refused(webstrata("new", "a" * 300), "the name is too long, choose a shorter one")


def test_a_title_of_two_lines_is_refused(webstrata: Command, tmp_path: Path) -> None:
    assert_refused(webstrata("new", "uk", "--title", "a\nb"), "cannot be printed; leave them out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_name_is_no_text_can_be_shown(webstrata: Command, tmp_path: Path) -> None:
    # one made with an earlier version, or renamed
    assert webstrata("new", "cafe", "2026-06").returncode == 0
    (tmp_path / "cafe").rename(tmp_path / "caf\udce9")
    done = webstrata("show", "caf\udce9", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "caf\udce9" / "collection.toml").is_file()


@pytest.mark.parametrize(
    "name", [b"two\nlines", b"a\x1b[31mred", b"not\xffutf-8", b"\xe2\x80\xaeright to left"]
)
def test_a_name_that_cannot_be_printed_is_refused(tmp_path: Path, name: bytes) -> None:
    for path in (name, name + b"/uk"):
        done = subprocess.run(
            [os.fsencode(command_path()), b"new", path, b"2026-06"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"the name of a collection has only printable characters" in done.stderr
        assert done.stderr.count(b"\n") == 1
    assert not os.listdir(tmp_path)  # noqa: PTH208 (also names that are no UTF-8)
