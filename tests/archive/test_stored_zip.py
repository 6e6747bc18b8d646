"""The zip files we write: local headers and central directory say the same, ZIP64 only where it is needed."""

from __future__ import annotations

import io
import shutil
import struct
import subprocess
import zipfile
import zlib
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.archive.stored_zip import LIMIT, StoredZip
from webstrata.archive.wacz import WaczWriter

if TYPE_CHECKING:
    from pathlib import Path


class Header(NamedTuple):
    """What a header says of a member, and which numbers its extra field 1 has."""

    name: bytes
    flags: int
    crc: int
    sizes: tuple[int, int]
    extra: tuple[int, ...]
    data: int = 0


def parse_local(data: bytes, offset: int) -> Header:
    signature, _, flags, method, _, _, crc, packed, size, name, extra = struct.unpack_from(
        "<4s5H3L2H", data, offset
    )
    assert (signature, method) == (b"PK\3\4", 0)
    start = offset + 30
    numbers = parse_extra(data[start + name : start + name + extra])
    return Header(data[start : start + name], flags, crc, (packed, size), numbers, start + name + extra)


def parse_extra(data: bytes) -> tuple[int, ...]:
    if not data:
        return ()
    kind, length = struct.unpack_from("<2H", data)
    assert (kind, length) == (1, len(data) - 4)
    return struct.unpack_from(f"<{length // 8}Q", data, 4)


def parse_central(data: bytes) -> list[tuple[Header, int]]:
    """The headers of the central directory, each with the offset it gives; ZIP64 end records are followed."""
    end = data.rindex(b"PK\5\6")
    number, size, offset = struct.unpack_from("<HLL", data, end + 10)
    if LIMIT in (size, offset) or number == 0xFFFF:
        assert data[end - 20 : end - 16] == b"PK\6\7"
        (place,) = struct.unpack_from("<Q", data, end - 12)
        assert data[place : place + 4] == b"PK\6\6"
        number, size, offset = struct.unpack_from("<3Q", data, place + 32)
    found = []
    for _ in range(number):
        fields = struct.unpack_from("<4s6H3L5H2L", data, offset)
        assert fields[0] == b"PK\1\2"
        name, extra = fields[10], fields[11]
        start = offset + 46
        numbers = parse_extra(data[start + name : start + name + extra])
        header = Header(data[start : start + name], fields[3], fields[7], fields[8:10], numbers)
        found.append((header, fields[16]))
        offset = start + name + extra
    return found


def check(data: bytes, contents: dict[str, bytes], limit: int) -> None:
    members = parse_central(data)
    assert [header.name.decode() for header, _ in members] == list(contents)
    for (central, offset), content in zip(members, contents.values(), strict=True):
        numbers = list(central.extra)
        is_large = len(content) >= limit
        assert central.sizes == ((LIMIT, LIMIT) if is_large else (len(content),) * 2)
        sizes = [numbers.pop(0), numbers.pop(0)] if is_large else []
        place = numbers.pop(0) if offset == LIMIT else offset
        assert not numbers
        assert (offset == LIMIT) == (place >= limit)
        local = parse_local(data, place)
        assert local[:4] == central[:4]
        assert not local.flags & 8, "sizes are in the local header, not in a data descriptor"
        assert list(local.extra) == sizes == ([len(content)] * 2 if is_large else [])
        assert data[local.data : local.data + len(content)] == content
        assert local.crc == zlib.crc32(content)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=9)


@given(st.dictionaries(NAMES, st.binary(max_size=300), max_size=6), st.sampled_from([40, 100, 250, LIMIT]))
def test_local_headers_and_the_central_directory_agree(contents: dict[str, bytes], limit: int) -> None:
    stream = io.BytesIO()
    archive = StoredZip(stream, limit=limit)
    for name, content in contents.items():
        archive.add(name, len(content), zlib.crc32(content), [content[:7], content[7:]])
    archive.close()
    check(stream.getvalue(), contents, limit)
    with zipfile.ZipFile(stream) as theirs:
        assert theirs.testzip() is None
        assert {info.orig_filename: theirs.read(info) for info in theirs.infolist()} == contents


def test_a_wacz_without_large_members_has_no_zip64_fields(tmp_path: Path) -> None:
    warc = tmp_path / "a.warc.gz"
    warc.write_bytes(b"not read here" * 99)
    stream = io.BytesIO()
    wacz = WaczWriter(stream)
    wacz.add_archive(warc)
    wacz.add_index([[b"uk,a)/ 20260612183000 {}\n"]])
    wacz.add_pages([])
    wacz.close(created="2026-06-30T12:00:00Z", software="webstrata")
    data = stream.getvalue()
    assert len(parse_central(data)) == 6
    for central, offset in parse_central(data):
        assert parse_local(data, offset)[:5] == central[:5]
        assert central.extra == ()
        assert central.flags == 0


class Sparse:
    """A stream into a file that seeks over blocks of zeros, as long as the system has sparse files."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb")

    def write(self, data: bytes) -> int:
        if len(data) == 1 << 20:
            return self.file.seek(len(data), 1)
        return self.file.write(data)


def test_a_member_of_more_than_4_gib_and_those_after_it_are_read_by_others(tmp_path: Path) -> None:
    path, zeros, number = tmp_path / "large.zip", bytes(1 << 20), (4 << 10) + 1
    crc = 0
    for _ in range(number):
        crc = zlib.crc32(zeros, crc)
    stream = Sparse(path)
    archive = StoredZip(stream)  # type: ignore[arg-type]
    archive.add("before", 2, zlib.crc32(b"hi"), [b"hi"])
    archive.add("large", number << 20, crc, (zeros for _ in range(number)))
    archive.add("after", 5, zlib.crc32(b"small"), [b"small"])
    archive.close()
    stream.file.close()
    with zipfile.ZipFile(path) as theirs:
        assert [info.file_size for info in theirs.infolist()] == [2, number << 20, 5]
        assert theirs.getinfo("after").header_offset > LIMIT
        assert theirs.read("after") == b"small"
        with theirs.open("large") as large:
            assert large.read(99) == bytes(99)
    if unzip := shutil.which("unzip"):
        told = subprocess.run([unzip, "-p", path, "before", "after"], capture_output=True, check=True)
        assert told.stdout == b"hismall"


def test_a_member_that_changes_while_it_is_read_is_an_error() -> None:
    with pytest.raises(ValueError, match="a: 2 bytes were written where 3 were announced"):
        StoredZip(io.BytesIO()).add("a", 3, 0, [b"hi"])
