"""Faults come where they were ordered, and nowhere else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collection import reference
from webstrata.collection.faults import POINTS, injected
from webstrata.collection.files import replace_file
from webstrata.errors import DiskFullError, StorageError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_plan_ends_with_its_block(tmp_path: Path) -> None:
    with injected("no-space"), pytest.raises(DiskFullError):
        replace_file(tmp_path / "a", b"abc")
    replace_file(tmp_path / "a", b"abc")


def test_only_files_that_the_plan_names_fail(tmp_path: Path) -> None:
    with injected("write-fails path=*b.new"):
        replace_file(tmp_path / "a", b"abc")
        with pytest.raises(StorageError):
            replace_file(tmp_path / "b", b"abc")


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_a_glob_matches_what_its_reference_says(tmp_path: Path, glob: str, text: str) -> None:
    path = tmp_path / f"x{text}"
    plan = f"write-fails path={tmp_path}/.x{glob}.new"
    try:
        with injected(plan):
            replace_file(path, b"abc")
        failed = False
    except StorageError:
        failed = True
    assert failed == reference.matches_glob(glob, text)


@pytest.mark.parametrize("plan", ["flood", "crash path=x", "torn at=x", "no-space after=much", "crash x"])
def test_a_plan_that_is_not_understood_is_refused(plan: str) -> None:
    with pytest.raises(ValueError, match="fault rule"), injected(plan):
        pass


@pytest.mark.parametrize(
    ("plan", "left"),
    [("torn after=4", b"abcd"), ("crash at=file.created", b""), ("crash at=file.synced", b"abcdefgh")],
)
def test_a_child_takes_its_plan_from_the_environment_and_dies_by_it(
    tmp_path: Path, plan: str, left: bytes
) -> None:
    code = (
        "import pathlib, sys; from webstrata.collection.files import replace_file;"
        "replace_file(pathlib.Path(sys.argv[1]), b'abcdefgh')"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a"], env=os.environ | {"WEBSTRATA_FAULTS": plan}, check=False
    )
    assert child.returncode == -signal.SIGKILL
    assert (tmp_path / ".a.new").read_bytes() == left
    assert not (tmp_path / "a").exists()


def test_points_are_named_by_room_and_event() -> None:
    assert len(set(POINTS)) == len(POINTS)
    assert all(point.count(".") == 1 for point in POINTS)
