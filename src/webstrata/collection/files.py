"""The one way in which files of ours come to be: whole, durable, or not at all.

Writing goes through the core's `Writer`, in Python as in Rust, so that one plan of faults
(`webstrata.collection.faults`) reaches every byte. `replace_file` is the rule for small files: write beside,
sync, rename, sync the folder.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from webstrata._core.collection import Writer, crash_point, rename, sync_path
from webstrata.errors import (
    AccessError,
    DiskFullError,
    ExistsError,
    MissingError,
    StorageError,
    UsageError,
    WebstrataError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Buffer

__all__ = [
    "crash_point",
    "explain",
    "explained",
    "link_file",
    "make_directory",
    "open_writer",
    "remove_tree",
    "rename",
    "replace_file",
    "sync_path",
    "sync_tree",
]

_NO_PERMISSION = (
    AccessError,
    "no permission to {action}; change the permissions or choose another place",
)
_NO_SPACE = (
    DiskFullError,
    "no space left to {action}; free some space on this disk and run the command again",
)
_BY_ERRNO: dict[int | None, tuple[type[WebstrataError], str]] = {
    errno.EACCES: _NO_PERMISSION,
    errno.EPERM: _NO_PERMISSION,
    errno.EROFS: _NO_PERMISSION,
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EFBIG: _NO_SPACE,
    errno.ENOENT: (MissingError, "nothing there to {action}; check the path"),
    errno.ENOTDIR: (MissingError, "nothing there to {action}; a file stands where a folder was expected"),
    errno.EEXIST: (ExistsError, "cannot {action}: a file or folder of this name already exists"),
    errno.ENAMETOOLONG: (UsageError, "no way to {action}; the name is too long, choose a shorter one"),
}

_MAKING = ("write", "create", "make the folder")
"""Actions that need the folder that a path is in."""

# on another disk, on a file system without links, or with too many of them
_NO_SECOND_NAME = (errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def explain(error: OSError, path: object, action: str) -> WebstrataError:
    """What the operating system refused, as the exception of ours that says what to do.

    Examples
    --------
    >>> explain(OSError(errno.ENOSPC, "No space left on device"), "uk", "write")
    DiskFullError('uk: no space left to write; free some space on this disk and run the command again')
    """
    if error.errno == errno.ENOENT and action in _MAKING:
        return MissingError(f"{path}: cannot {action} there; check that its folder exists")
    kind, sentence = _BY_ERRNO.get(
        error.errno,
        (
            StorageError,
            f"could not {{action}} ({error.strerror}); look at the disk, then run the command again",
        ),
    )
    return kind(f"{path}: {sentence.format(action=action)}")


@contextmanager
def explained(path: Path, action: str) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence with the path and what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with explained(folder, "list"):
    ...     list(folder.iterdir())
    []
    >>> with explained(Path("/no/such"), "list"):
    ...     list(Path("/no/such").iterdir())
    Traceback (most recent call last):
    webstrata.errors.MissingError: /no/such: nothing there to list; check the path
    """
    try:
        yield
    except OSError as error:
        raise explain(error, path, action) from error


class _RawWriter(io.RawIOBase):
    """The core's writer as a raw Python stream; closing it makes it durable."""

    def __init__(self, path: Path, *, append: bool) -> None:
        super().__init__()
        self._writer = Writer(path, append=append)

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        return self._writer.write(data)

    def tell(self) -> int:
        return self._writer.position

    def sync(self) -> None:
        self._writer.sync()

    def close(self) -> None:
        if not self.closed:
            self._writer.close()
        super().close()


@contextmanager
def open_writer(path: Path, *, append: bool = False) -> Iterator[BinaryIO]:
    r"""A buffered stream into `path` that is durable when the block ends without an exception.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> with open_writer(folder / "a.txt") as stream:
    ...     _ = stream.write(b"one line\\n")
    >>> (folder / "a.txt").read_text()
    'one line\\n'
    """
    raw = _RawWriter(path, append=append)
    stream: BinaryIO = io.BufferedWriter(raw, 1 << 18)
    try:
        yield stream
        stream.flush()
        raw.sync()
    except BaseException:
        raw.close()  # what the buffer still holds is given up, or closing would try to write it once more
        raise
    raw.close()


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` at `path` so that a reader, or a crash, sees the old content or the new one.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a.toml"
    >>> replace_file(path, b"format = 1")
    >>> path.read_bytes()
    b'format = 1'
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        if not path.parent.is_dir():
            raise explain(OSError(errno.ENOENT, ""), path, "write")
        with open_writer(beside) as stream:
            stream.write(data)
        rename(beside, path)
    except BaseException:
        # half a file of a failed try is of no use, and on a full disk its room is
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def link_file(source: Path, target: Path) -> None:
    """Give a file that nobody changes a second name, or copy it where the file system has no such thing.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "a.txt").write_text("kept")
    >>> link_file(folder / "a.txt", folder / "b.txt")
    >>> (folder / "b.txt").samefile(folder / "a.txt")
    True
    """
    with explained(target, "write"):
        try:
            os.link(source, target)
            return
        except OSError as error:
            if error.errno not in _NO_SECOND_NAME:
                raise
        with source.open("rb") as stream, open_writer(target) as out:
            shutil.copyfileobj(stream, out, 1 << 20)


def sync_tree(folder: Path) -> None:
    """Make every file and folder below `folder` durable, whoever wrote it.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "b.txt").write_text("kept")
    >>> sync_tree(folder)
    >>> (folder / "b.txt").read_text()
    'kept'
    """
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():
            sync_path(path)
    sync_path(folder)


def make_directory(path: Path) -> Path:
    """Create a folder, and those above it, durably; one that is there is fine.

    Examples
    --------
    >>> from webstrata import testing
    >>> make_directory(testing.scratch() / "a" / "b").is_dir()
    True
    """
    with explained(path, "create"):
        missing = [path, *path.parents]
        missing = missing[: next(n for n, folder in enumerate(missing) if folder.is_dir())]
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
    # a new name is durable when the folder that has it is
    for folder in reversed(missing):
        sync_path(folder.parent)
    return path


def remove_tree(path: Path, *, first: str = "") -> None:
    """Remove a folder with all it holds, or a file; one that is not there is fine.

    `first` names the file in it that makes it count: of a removal that is killed halfway, nothing does.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = make_directory(testing.scratch() / "a" / "b")
    >>> remove_tree(folder.parent)
    >>> folder.parent.exists()
    False
    """
    with explained(path, "remove"):
        if path.is_dir() and not path.is_symlink():
            if first:
                (path / first).unlink(missing_ok=True)
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
