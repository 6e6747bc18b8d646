"""WACZ 1.1.1: WARC files, their index and a list of pages in one zip that replay tools open over HTTP.

==============================  =========================================================================
``archive/*.warc.gz``           the captures
``indexes/index.cdx.gz``        the CDXJ lines in gzip members of 300, sorted
``indexes/index.idx``           ``!meta`` line, then a line a member: first key and timestamp, its place
``pages/pages.jsonl``           a header line, then a line a page: ``url``, ``ts``, ``title``
``datapackage.json``            what there is: path, size, SHA-256 of each file
``datapackage-digest.json``     the SHA-256 of ``datapackage.json``
==============================  =========================================================================

Everything is stored, not deflated: what is large is compressed already, and readers ask for ranges (see
`stored_zip`). WARC files that are not compressed by gzip are compressed again, since replay tools expect
that, and the index has the new offsets. When a WACZ is read, limits apply (`webstrata.archive.packages`);
only names that begin with ``archive/`` and end as WARC files do are read here, and no name becomes a path.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tempfile
import zipfile
import zlib
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata.archive.packages.reading import Package
from webstrata.archive.stored_zip import StoredZip
from webstrata.archive.warc import read_records
from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from os import PathLike
    from typing import IO, BinaryIO

    from webstrata.archive.tally import Tally
    from webstrata.archive.warc import Record

VERSION = "1.1.1"
_WARC = (".warc", ".warc.gz", ".warc.zst")
_PIECE = 1 << 20
_IN_MEMORY = 8 << 20
"""Bytes of a member that are held in memory before its size is known; more wait in a file."""


def read_wacz(
    path: str | PathLike[str], tally: Tally, *, name: str = "", scratch: str | PathLike[str] | None = None
) -> Iterator[Record]:
    r"""The records of the WARC files in a WACZ.

    Parameters
    ----------
    path, name
        The file, and what it is called where damage is told.
    tally
        Where damage is told.
    scratch
        A folder in which the WARC files are unpacked, one at a time.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.wacz"
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr(
    ...         "archive/a.warc", "WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 1\r\n\r\n!\r\n\r\n")
    >>> [(record.kind, record.block) for record in read_wacz(path, Tally())]
    [('metadata', b'!')]
    """
    for place, unpacked in extract_archives(path, tally, name=name, scratch=scratch):
        yield from read_records(unpacked, report=lambda problem, at=place: tally.report(at, problem))  # type: ignore[misc]


def extract_archives(
    path: str | PathLike[str], tally: Tally, *, name: str = "", scratch: str | PathLike[str] | None = None
) -> Iterator[tuple[str, Path]]:
    r"""The WARC files in a WACZ: what each is called, and where it is unpacked until the next is asked for.

    Examples
    --------
    >>> from webstrata.archive.tally import Tally
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.wacz")
    ...     with zipfile.ZipFile(path, "w") as archive:
    ...         archive.writestr("archive/a.warc", "WARC/1.1\r\n")
    ...     [(place.partition("!")[2], file.read_bytes()) for place, file in extract_archives(path, Tally())]
    [('archive/a.warc', b'WARC/1.1\r\n')]
    """
    name = name or str(path)
    with explained(Path(path), "read"), tempfile.TemporaryDirectory(dir=scratch) as folder:
        try:
            package = Package(path)
        except FormatError as error:
            tally.damaged(name, 0, str(error).removeprefix(f"{path}: "))
            return
        with package:
            members = [info for info in package.infos if _is_archive(info.filename)]
            if not members:
                tally.damaged(name, 0, "it has no WARC file below archive/")
            for info in members:
                place = f"{name}!{info.filename}"
                unpacked = Path(folder, "archive.warc")
                try:
                    _unpack(package, info, unpacked)
                except FormatError as error:
                    what = str(error).removeprefix(f"{path}!{info.filename}: ")
                    tally.damaged(place, info.header_offset, what)  # what came before it is read
                yield place, unpacked


def _unpack(package: Package, info: zipfile.ZipInfo, target: Path) -> None:
    """Copy a file out of a zip; damage to one that is only stored is left to the reader of WARC to find."""
    with target.open("wb") as out:
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            for piece in package.iter_pieces(info):
                out.write(piece)
            return
        with package.path.open("rb") as file:
            file.seek(info.header_offset + 26)
            lengths = file.read(4)  # of the name and of the extra field, which stand before the content
            file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
            left = info.file_size
            while piece := file.read(min(left, _PIECE)):
                out.write(piece)
                left -= len(piece)


def _is_archive(name: str) -> bool:
    return name.startswith("archive/") and name.endswith(_WARC)


class WaczWriter:
    r"""Writes a WACZ into a stream; `close` adds what describes it.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.cdxj import Line
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> folder = testing.scratch()
    >>> capture = Capture(url="http://a.uk/", date=10**18, head=b"HTTP/1.1 200 OK", body=b"Hi")
    >>> with WarcWriter(folder, "a") as writer:
    ...     place = writer.write(capture)
    >>> line = Line(
    ...     url=capture.url, date=capture.date, mime="text/html", status=200, digest=capture.digest,
    ...     **place._asdict())
    >>> with (folder / "a.wacz").open("wb") as stream:
    ...     wacz = WaczWriter(stream, title="A")
    ...     wacz.add_archive(folder / "a-00000.warc.gz")
    ...     wacz.add_index([[line.to_bytes()]])
    ...     wacz.add_pages([{"url": "http://a.uk/", "ts": "2001-09-09T01:46:40Z"}])
    ...     wacz.close(created="2026-06-30T12:00:00Z", software="webstrata")
    >>> zipfile.ZipFile(folder / "a.wacz").namelist()
    ['archive/a-00000.warc.gz', 'indexes/index.cdx.gz', 'indexes/index.idx', 'pages/pages.jsonl',
    'datapackage.json', 'datapackage-digest.json']
    """

    def __init__(self, stream: BinaryIO, *, title: str = "", scratch: Path | None = None) -> None:
        self._zip = StoredZip(stream)
        self._resources: list[dict[str, Any]] = []
        self._title = title
        self._scratch = scratch or Path(tempfile.gettempdir())

    def add_archive(self, path: Path) -> None:
        """Add a WARC file as it is; it is read twice, first for its checksums."""
        with explained(path, "read"), path.open("rb") as stream:
            self._add_stream(f"archive/{path.name}", stream)

    def add_repacked(self, path: Path, taken: Collection[str] = ()) -> Repacked:
        """Add a WARC file that is packed otherwise, each record as a gzip member; where they are now.

        It gets a name that is not among `taken`.
        """
        places: dict[int, tuple[int, int]] = {}

        def pack() -> Iterator[bytes]:
            offset = 0
            for record in read_records(path):
                packed = gzip.compress(_to_bytes(record), 6, mtime=0)
                places[record.offset] = (offset, len(packed))
                offset += len(packed)
                yield packed

        stem = re.sub(r"\.warc(\.\w+)?$", "", path.name)
        names = (f"{stem}{f'-{number}' if number else ''}.warc.gz" for number in count())
        name = next(name for name in names if name not in taken)
        self._add(f"archive/{name}", pack())
        return Repacked(name, places)

    def add_index(self, blocks: Iterable[list[bytes]]) -> None:
        """Add the index: lists of sorted lines, each of which becomes a gzip member."""
        summary = [b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']

        def pack() -> Iterator[bytes]:
            offset = 0
            for lines in blocks:
                packed = gzip.compress(b"".join(lines), 6, mtime=0)
                first = b" ".join(lines[0].split(b" ", 2)[:2]).decode()
                digest = hashlib.sha256(packed).hexdigest()
                place = {"offset": offset, "length": len(packed), "digest": f"sha256:{digest}"}
                summary.append(f"{first} {json.dumps(place | {'filename': 'index.cdx.gz'})}\n".encode())
                offset += len(packed)
                yield packed

        self._add("indexes/index.cdx.gz", pack())
        self._add("indexes/index.idx", summary)

    def add_pages(self, pages: Iterable[dict[str, Any]]) -> None:
        """Add the list of pages: ``url`` and ``ts``, and what else is known of each."""

        def lines() -> Iterator[bytes]:
            yield b'{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n'
            for page in pages:
                yield json.dumps(page, ensure_ascii=False).encode() + b"\n"

        self._add("pages/pages.jsonl", lines())

    def close(self, *, created: str, software: str) -> None:
        """Add the description, and end the zip."""
        package = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "title": self._title,
            "created": created,
            "software": software,
            "resources": self._resources,
        }
        described = json.dumps(package, indent=2, ensure_ascii=False).encode()
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(described).hexdigest()}"}
        for name, data in (
            ("datapackage.json", described),
            ("datapackage-digest.json", json.dumps(digest, indent=2).encode()),
        ):
            self._zip.add(name, len(data), zlib.crc32(data), [data])
        self._zip.close()

    def _add(self, path: str, pieces: Iterable[bytes]) -> None:
        """Add a member whose size only its end tells; it waits in a file of its own, if it is large."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(self._scratch)) as waiting:
            with explained(self._scratch, "write"):
                for piece in pieces:
                    waiting.write(piece)
            self._add_stream(path, waiting)

    def refer_to_archive(self, path: Path) -> None:
        """Add a reference to a WARC file; for streams that accept a `FileSpan` instead of bytes."""
        with explained(path, "read"), path.open("rb") as stream:
            self._add_stream(f"archive/{path.name}", stream, FileSpan(path, path.stat().st_size))

    def _add_stream(self, path: str, stream: IO[bytes], span: FileSpan | None = None) -> None:
        """Add what a stream has, from its beginning."""
        stream.seek(0)
        digest, crc, size = hashlib.sha256(), 0, 0
        while piece := stream.read(_PIECE):
            digest.update(piece)
            crc = zlib.crc32(piece, crc)
            size += len(piece)
        stream.seek(0)
        pieces: Any = iter(lambda: stream.read(_PIECE), b"") if span is None else [span]
        self._zip.add(path, size, crc, pieces)
        self._resources.append(
            {
                "name": path.rpartition("/")[2],
                "path": path,
                "hash": f"sha256:{digest.hexdigest()}",
                "bytes": size,
            }
        )


class FileSpan:
    """All bytes of a file, by reference.

    Examples
    --------
    >>> len(FileSpan(Path("a.warc.gz"), 7))
    7
    """

    def __init__(self, path: Path, size: int) -> None:
        self.path, self.size = path, size

    def __len__(self) -> int:
        return self.size


class Repacked(NamedTuple):
    """A file of a WACZ whose records lie elsewhere than in the file it was made of."""

    name: str
    places: dict[int, tuple[int, int]]
    """From the offset of a record to its offset and length now."""


def move_lines(lines: Iterable[bytes], files: Mapping[str, Repacked]) -> Iterator[bytes]:
    r"""The lines of a sorted index with the places that records have now, sorted as well.

    Examples
    --------
    >>> line = b'uk,a)/ 20260612183000 {"length": "9", "offset": "7", "filename": "a.warc.zst"}\n'
    >>> next(move_lines([line], {"a.warc.zst": Repacked("a.warc.gz", {7: (5, 3)})}))
    b'uk,a)/ 20260612183000 {"length": "3", "offset": "5", "filename": "a.warc.gz"}\n'
    """
    # the place of a record decides the order only among captures of one key and one second
    for _, group in groupby(lines, key=lambda line: line.split(b" ", 2)[:2]):
        yield from sorted(_move_line(line, files) for line in group)


def _move_line(line: bytes, files: Mapping[str, Repacked]) -> bytes:
    key, timestamp, text = line.split(b" ", 2)
    fields = json.loads(text)
    file = files.get(fields["filename"])
    if file is not None:
        offset, length = file.places[int(fields["offset"])]
        fields |= {"length": str(length), "offset": str(offset), "filename": file.name}
    return b"%b %b %b\n" % (key, timestamp, json.dumps(fields, ensure_ascii=False).encode())


def _to_bytes(record: Record) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in record.headers)
    return f"WARC/1.1\r\n{lines}\r\n".encode() + record.block + b"\r\n\r\n"
