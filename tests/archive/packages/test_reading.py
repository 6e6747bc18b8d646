"""Packages made to harm: each limit is applied before something is read."""

from __future__ import annotations

import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from webstrata.archive.packages.reading import Package
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def make(path: Path, members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_a_directory_that_would_fill_the_memory_is_not_read(tmp_path: Path) -> None:
    path = make(tmp_path / "a.wacz", {"a": b"1"})
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, len(data) - 22 + 12, 1 << 30)
    path.write_bytes(data)
    with pytest.raises(FormatError, match="announces 1 members in a directory of 1073741824 bytes"):
        Package(path)
    end = data[:-22] + struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1 << 40, 1 << 40, 46, 31)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(data) - 22, 1)
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(end + locator + last)
    with pytest.raises(FormatError, match="announces 1099511627776 members"):
        Package(path)


def test_members_that_overlap_are_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "a.wacz", {"a": bytes(999)}, zipfile.ZIP_STORED)
    data = path.read_bytes()
    start = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    entry = data[start:end]
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 9 * len(entry), start, 0)
    path.write_bytes(data[:start] + 9 * entry + last)
    with pytest.raises(FormatError, match="so they overlap"):
        Package(path)


def test_a_member_that_expands_enormously_is_not_decompressed(tmp_path: Path) -> None:
    path = make(tmp_path / "a.wacz", {"datapackage.json": b"[" + bytes(17 << 20)})
    with Package(path) as package:
        info = package.infos[0]
        with pytest.raises(FormatError, match="17825793 bytes, and at most 16777216 are read of it"):
            package.read_object("datapackage.json")
        info.file_size = 1100 << 20
        with pytest.raises(FormatError, match="more than 1000 times as many"):
            next(package.iter_pieces(info))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "a JSON object was expected, not list"),
        (b'{"a": "\xff"}', "not JSON"),
    ],
)
def test_an_absurd_description_is_refused_in_a_sentence(tmp_path: Path, data: bytes, reason: str) -> None:
    with Package(make(tmp_path / "a.wacz", {"datapackage.json": data})) as package:
        with pytest.raises(FormatError, match=reason) as raised:
            package.read_object("datapackage.json")
        assert "\n" not in str(raised.value)
        assert package.read_object("datapackage-digest.json") is None


def test_a_member_without_a_name_is_read_as_any_other(tmp_path: Path) -> None:
    path = make(tmp_path / "a.wacz", {"n": b"1"}, zipfile.ZIP_STORED)
    data = path.read_bytes()
    place = data.index(b"PK\1\2")
    head = bytearray(data[place : place + 46])
    struct.pack_into("<H", head, 28, 0)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 46, place, 0)
    path.write_bytes(data[:place] + head + end)
    with Package(path) as package:
        assert package.names == [""]


def test_what_is_no_zip_or_encrypted_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    path.write_bytes(b"PK\3\4 and nothing")
    with pytest.raises(FormatError, match="not a zip file that can be read"):
        Package(path)
    make(path, {"a": b"1"})
    with Package(path) as package:
        package.infos[0].flag_bits |= 1
        with pytest.raises(FormatError, match="the member cannot be read"):
            package.read(package.infos[0])
