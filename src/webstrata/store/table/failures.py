"""What RocksDB refuses to do, as errors with a sentence."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from webstrata.errors import AccessError, DiskFullError, FormatError, LockedError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RESTORE = "restore the folder from a copy"
"""What to do about a damaged table."""
_REFUSALS = (
    ("No space left", DiskFullError, "no space left to {}; free some space on this disk, and try again"),
    ("File too large", DiskFullError, "no space left to {}; free some space on this disk, and try again"),
    ("Permission denied", AccessError, "no permission to {}; change the permissions of the folder"),
    ("Read-only file system", AccessError, "no permission to {}; the file system is read-only"),
    ("No locks available", LockedError, "the table is open already in this process; close it first"),
    ("While lock file", LockedError, "another process is writing; wait until it is done, or stop it"),
    ("Corruption", FormatError, f"the table is damaged; {RESTORE}"),
    ("No such file or directory", FormatError, f"the table is damaged, a file is missing; {RESTORE}"),
    (
        "Is a directory",
        FormatError,
        f"the table is damaged, a file is a directory; {RESTORE}",
    ),
    ("Not implemented", FormatError, f"the table is damaged; {RESTORE}"),
    ("Invalid argument", FormatError, f"the table is damaged; {RESTORE}"),
)


@contextmanager
def translated(folder: Path, action: str) -> Iterator[None]:
    """Turn what RocksDB refuses, which is only a text, into one of our sentences.

    Examples
    --------
    >>> from pathlib import Path
    >>> with translated(Path("uk/table"), "read"):
    ...     len("a row")
    5
    >>> with translated(Path("uk/table"), "read"):
    ...     raise Exception("Corruption: block checksum mismatch")
    Traceback (most recent call last):
    webstrata.errors.FormatError: uk/table: the table is damaged; restore the folder from a copy (...)
    """
    try:
        yield
    except Exception as error:
        if action == "open" and isinstance(error, OSError | ValueError):
            # of the file in which rocksdict notes its settings, without the name of it
            raise FormatError(f"{folder}: the table is damaged ({error}); {RESTORE}") from error
        if type(error) is not Exception:  # one of ours, or of the caller of a generator
            raise
        for mark, kind, sentence in _REFUSALS:
            if mark in str(error):
                raise kind(f"{folder}: {sentence.format(action)} ({error})") from error
        raise StorageError(
            f"{folder}: could not {action} ({error}); look at the disk, then try again"
        ) from error
