"""Files are whole and durable, or a sentence says why not."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collection import reference
from webstrata._core.collection import Writer, digest_files
from webstrata.collection.faults import injected
from webstrata.collection.files import (
    explain,
    make_directory,
    open_writer,
    remove_tree,
    rename,
    replace_file,
    sync_path,
    sync_tree,
)
from webstrata.errors import (
    AccessError,
    DiskFullError,
    ExistsError,
    MissingError,
    StorageError,
    UsageError,
    WebstrataError,
)


@given(st.lists(st.binary(max_size=300_000), max_size=5))
def test_what_is_written_in_any_pieces_is_what_is_read(tmp_path: Path, pieces: list[bytes]) -> None:
    path = tmp_path / "a"
    with open_writer(path) as stream:
        for piece in pieces:
            assert stream.write(piece) == len(piece)
        assert stream.tell() == sum(map(len, pieces))
    assert path.read_bytes() == b"".join(pieces)


def test_appending_goes_on_behind_what_is_there(tmp_path: Path) -> None:
    for text in (b"one ", b"two"):
        with open_writer(tmp_path / "a", append=True) as stream:
            stream.write(text)
    assert (tmp_path / "a").read_bytes() == b"one two"


def test_a_closed_writer_takes_no_more(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a")
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="the writer is closed"):
        writer.write(b"x")


def test_a_full_device_is_said() -> None:
    sentence = r"^/dev/full: no space left to write; free some space"
    with pytest.raises(DiskFullError, match=sentence), open_writer(Path("/dev/full")) as stream:
        stream.write(b"x")


@pytest.mark.parametrize(
    ("plan", "kind"),
    [
        ("no-space after=3", DiskFullError),
        ("write-fails after=3", StorageError),
        ("sync-fails", StorageError),
        ("sync-fails after=1", StorageError),
    ],
)
def test_a_failed_replacement_leaves_the_old_file_or_the_new_one_and_nothing_beside(
    tmp_path: Path, plan: str, kind: type[WebstrataError]
) -> None:
    path = tmp_path / "a.toml"
    replace_file(path, b"old")
    with injected(plan), pytest.raises(kind, match=str(tmp_path)):
        replace_file(path, b"new content")
    assert path.read_bytes() in (b"old", b"new content")
    assert [path.name for path in tmp_path.iterdir()] == ["a.toml"]


def test_an_exception_in_the_block_closes_the_file_and_comes_out(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), open_writer(tmp_path / "a") as stream:
        stream.write(b"x" * (1 // 0))
    assert stream.closed


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.EACCES, AccessError),
        (errno.EROFS, AccessError),
        (errno.ENOSPC, DiskFullError),
        (errno.EDQUOT, DiskFullError),
        (errno.ENOENT, MissingError),
        (errno.ENOTDIR, MissingError),
        (errno.EEXIST, ExistsError),
        (errno.ENAMETOOLONG, UsageError),
        (errno.EIO, StorageError),
    ],
)
def test_what_the_system_refuses_becomes_one_sentence_with_the_place(
    number: int, kind: type[WebstrataError]
) -> None:
    error = explain(OSError(number, os.strerror(number)), "uk/a", "write")
    assert type(error) is kind
    assert str(error).startswith("uk/a: ")
    assert "\n" not in str(error)


def test_folders_are_made_with_those_above_and_again_without_complaint(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c"
    assert make_directory(path) == path
    assert make_directory(path).is_dir()


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(ExistsError, match="a/b: cannot create"):
        make_directory(tmp_path / "a" / "b")


def test_removing_takes_files_folders_and_links_and_never_what_a_link_points_to(tmp_path: Path) -> None:
    kept = make_directory(tmp_path / "kept" / "deep")
    link = tmp_path / "link"
    link.symlink_to(kept)
    remove_tree(link)
    remove_tree(tmp_path / "never-there")
    assert not link.is_symlink()
    assert kept.is_dir()
    remove_tree(tmp_path / "kept")
    assert list(tmp_path.iterdir()) == []


def test_a_rename_without_a_source_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        rename(tmp_path / "a", tmp_path / "b")


def test_syncing_a_tree_reaches_every_file(tmp_path: Path) -> None:
    make_directory(tmp_path / "a")
    (tmp_path / "a" / "b").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    with (
        injected(f"sync-fails path={tmp_path}/a/b"),
        pytest.raises(StorageError, match="a/b: could not sync"),
    ):
        sync_tree(tmp_path)
    sync_tree(tmp_path)
    sync_path(tmp_path)


@given(st.lists(st.binary(max_size=2000), max_size=8), st.integers(0, 4))
def test_digests_are_those_of_hashlib_in_the_order_asked_for(
    tmp_path: Path, contents: list[bytes], workers: int
) -> None:
    paths = [tmp_path / str(number) for number in range(len(contents))]
    for path, data in zip(paths, contents, strict=True):
        path.write_bytes(data)
    seen: list[int] = []
    assert digest_files(paths, workers=workers, progress=seen.append) == reference.digest_files(paths)
    assert sum(seen) == sum(map(len, contents))


def test_a_file_larger_than_a_block_has_the_digest_of_all_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 4099)
    assert digest_files([path]) == reference.digest_files([path])


def test_a_file_that_cannot_be_digested_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="gone: nothing there to read"):
        digest_files([tmp_path / "gone"])
