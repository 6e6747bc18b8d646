"""Packed files, whole and not."""

from __future__ import annotations

import bz2
import gzip
from typing import TYPE_CHECKING

import pytest

from webstrata.errors import FormatError
from webstrata.store.wikipedia.packed import scan_blocks

if TYPE_CHECKING:
    from pathlib import Path

TEXT = bytes(range(256)) * 400


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gzip", "bzip2"])
def test_members_are_read_one_behind_the_other(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(TEXT) + pack(b"more"))  # type: ignore[operator]
    seen: list[int] = []
    assert b"".join(scan_blocks(path, size=1000, advance=seen.append)) == TEXT + b"more"
    assert sum(seen) == path.stat().st_size


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
@pytest.mark.parametrize("cut", [20, -1, -5])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, pack: object, cut: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(TEXT)[:cut])  # type: ignore[operator]
    with pytest.raises(
        FormatError, match=r"a: the file is cut off or damaged behind byte .*; fetch it again"
    ):
        list(scan_blocks(path))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
def test_a_file_that_is_damaged_is_refused(tmp_path: Path, pack: object) -> None:
    data = bytearray(pack(TEXT))  # type: ignore[operator]
    data[len(data) // 2] ^= 0x55
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(FormatError, match="fetch it again"):
        list(scan_blocks(tmp_path / "a"))


def test_a_7z_file_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"7z\xbc\xaf\x27\x1crest")
    with pytest.raises(FormatError, match="7z files are not read"):
        list(scan_blocks(tmp_path / "a"))
