"""Errors of RocksDB become errors of webstrata with one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.errors import AccessError, DiskFullError, FormatError, LockedError, StorageError, UsageError
from webstrata.store.table.failures import translated

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("message", "kind", "sentence"),
    [
        ("IO error: No space left on device", DiskFullError, "no space left to write"),
        ("IO error: Permission denied", AccessError, "no permission to write"),
        ("IO error: While lock file: x", LockedError, "another process is writing"),
        ("Corruption: block checksum mismatch", FormatError, "the table is damaged"),
        ("IO error: No such file or directory: 7.sst", FormatError, "a file is missing"),
    ],
)
def test_each_refusal_is_an_error_of_its_own(
    tmp_path: Path, message: str, kind: type[StorageError], sentence: str
) -> None:
    with pytest.raises(kind, match=sentence) as raised, translated(tmp_path, "write"):
        raise Exception(message)
    assert str(raised.value).startswith(f"{tmp_path}: ")


def test_errors_of_webstrata_are_passed_on(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a row key"), translated(tmp_path, "read"):
        raise UsageError("a row key is missing")
