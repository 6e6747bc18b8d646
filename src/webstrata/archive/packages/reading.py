"""A WACZ opened for reading, with every limit applied before something is read or decompressed.

=========================  ==================================================================================
central directory          `MAX_DIRECTORY` bytes at most, and `MAX_MEMBERS` members
members                    compressed, they are together no longer than the file: they do not overlap
a member                   decompressed, at most `MAX_RATIO` times its compressed size, or 1 GiB
``datapackage*.json``      `MAX_JSON` bytes at most, an object
a line of a page list      `MAX_LINE` bytes at most (`webstrata.store.packages`)
=========================  ==================================================================================

Names of members never become paths here. `is_safe` says which of them would stay inside a folder.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from types import TracebackType

MAX_DIRECTORY = 64 << 20
MAX_MEMBERS = 200_000
MAX_RATIO = 1000
MAX_JSON = 16 << 20
MAX_LINE = 16 << 20
_SMALL = 1 << 20
_END, _LOCATOR, _END64 = b"PK\5\6", b"PK\6\7", b"PK\6\6"
_PIECE = 1 << 20
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError)


class Package:
    """A WACZ, to be used as a context manager.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.wacz")
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("datapackage.json", '{"title": "Fish"}')
    ...     archive.writestr("pages/pages.jsonl", '{"format": "json-pages-1.0"}')
    >>> with Package(path) as package:
    ...     package.names, package.read_object("datapackage.json")["title"]
    (['datapackage.json', 'pages/pages.jsonl'], 'Fish')
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        with explained(self.path, "read"):
            size = self.path.stat().st_size
            _check_directory(self.path, size)
            try:
                self._zip = zipfile.ZipFile(self.path)
            except _UNREADABLE as error:
                raise FormatError(
                    f"{self.path}: the file is not a zip file that can be read ({error}); get it again"
                ) from error
        try:
            self.infos = [info for info in self._zip.infolist() if not info.filename.endswith("/")]
            self._by_name = {info.filename: info for info in self.infos}
            self._check_members(size)
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    @property
    def names(self) -> list[str]:
        """Names of the members in their order; one may occur twice."""
        return [info.filename for info in self.infos]

    def find(self, name: str) -> zipfile.ZipInfo | None:
        """The member of this name, the last one if there are several."""
        return self._by_name.get(name)

    def _check_members(self, size: int) -> None:
        if sum(info.compress_size for info in self.infos) > size:
            raise FormatError(
                f"{self.path}: its members are together longer than its {size} bytes, so they overlap; "
                f"the file is damaged or made to harm, get it again"
            )

    def check_ratio(self, info: zipfile.ZipInfo) -> None:
        """`FormatError` for a member that would become too large for what it is."""
        if info.file_size > MAX_RATIO * max(info.compress_size, _SMALL):
            raise FormatError(
                f"{self.path}!{info.filename}: {info.compress_size} compressed bytes are said to become "
                f"{info.file_size}, more than {MAX_RATIO} times as many; the member is not read"
            )

    def iter_pieces(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The content of a member in pieces, or `FormatError` where it cannot be read."""
        self.check_ratio(info)
        with self._explained(info), self._zip.open(info) as stream:
            while piece := stream.read(_PIECE):
                yield piece

    def read(self, info: zipfile.ZipInfo, limit: int = MAX_JSON) -> bytes:
        """The content of a member that has at most `limit` bytes."""
        if info.file_size > limit:
            raise FormatError(
                f"{self.path}!{info.filename}: {info.file_size} bytes, and at most {limit} are read of it"
            )
        return b"".join(self.iter_pieces(info))

    def read_object(self, name: str) -> dict[str, Any] | None:
        """The JSON object that a member is, or None where there is no such member."""
        info = self.find(name)
        if info is None:
            return None
        try:
            found = json.loads(self.read(info))
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{self.path}!{name}: not JSON ({error})") from error
        if not isinstance(found, dict):
            raise FormatError(f"{self.path}!{name}: a JSON object was expected, not {type(found).__name__}")
        return found

    @contextmanager
    def _explained(self, info: zipfile.ZipInfo) -> Iterator[None]:
        try:
            with explained(self.path, "read"):
                yield
        except _UNREADABLE as error:
            raise FormatError(f"{self.path}!{info.filename}: the member cannot be read ({error})") from error


def _check_directory(path: Path, size: int) -> None:
    """Refuse a central directory that would fill the memory; what is no zip at all is left to `zipfile`."""
    with path.open("rb") as stream:
        stream.seek(max(size - (1 << 16) - 100, 0))
        tail = stream.read()
        end = tail.rfind(_END)
        if end < 0 or end + 22 > len(tail):
            return
        number, length = struct.unpack_from("<HL", tail, end + 10)
        if tail[max(end - 20, 0) : end][:4] == _LOCATOR:
            (place,) = struct.unpack_from("<Q", tail, end - 12)
            if place + 56 <= size:
                stream.seek(place)
                record = stream.read(56)
                if record.startswith(_END64):
                    number, length = struct.unpack_from("<QQ", record, 32)
    if length > MAX_DIRECTORY or number > MAX_MEMBERS:
        raise FormatError(
            f"{path}: the zip file announces {number} members in a directory of {length} bytes, and at most "
            f"{MAX_MEMBERS} in {MAX_DIRECTORY} are read; the file is damaged or made to harm"
        )


def is_safe(name: str) -> bool:
    r"""Whether a name of a member, used as a path, would stay inside a folder on every system.

    Examples
    --------
    >>> [is_safe(name) for name in ("archive/a.warc.gz", "../a", "/a", "a/../../b", "C:\\a", "a\0b", "")]
    [True, False, False, False, False, False, False]
    """
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts and not set(name) & set("\\:\0")
