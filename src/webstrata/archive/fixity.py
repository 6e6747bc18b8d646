"""Fixity: the digests that WARC records declare, compared with the bytes of the records.

``WARC-Block-Digest`` covers the block of a record. ``WARC-Payload-Digest`` covers the body of an HTTP
message, and of any other record the block. Algorithms are MD5, SHA-1, SHA-256 and SHA-512, in hexadecimal,
Base32 or Base64. Writers disagree about what the body is, so a payload digest holds if it is that of

1. the body as it is stored (warcio, wget, Heritrix),
2. the body without chunks (RFC 9112, jwarc), or
3. the body without chunks and content codings (writers that digest what a browser shows).

Not compared are payload digests of ``revisit`` records, which are of another record, and of segments and
truncated records, which may be of the whole payload. Digests by other algorithms are counted as unknown.

``fixity.jsonl`` in the part `warc` keeps what was found at ingest, one object per line: the fields of
`Mismatch`, where ``file`` is the file in the part and ``origin`` the file that was read.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata._core import archive as core
from webstrata.archive.codings import read_payload
from webstrata.archive.gzip_members import GZIP, ZSTD
from webstrata.archive.tally import Damage, Tally
from webstrata.archive.warc import find_end, read_record, read_records
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from webstrata.archive.record import Record
    from webstrata.collection import Collection
    from webstrata.collection.progress import Task

FIXITY = "fixity.jsonl"
"""The file in the part `warc` with the mismatches that were found at ingest."""
_PAYLOAD = "WARC-Payload-Digest"


class Mismatch(NamedTuple):
    """A declared digest that is not that of the record."""

    file: str
    offset: int
    record_id: str
    kind: str
    url: str
    header: str
    expected: str
    found: str
    origin: str = ""
    """The file that was read, where `file` is one of a snapshot."""

    def __str__(self) -> str:
        about = " ".join(word for word in (self.kind, self.record_id, self.url) if word)
        return (
            f"{self.file}, byte {self.offset} ({about}): {self.header} is {self.expected}, "
            f"and that of the bytes is {self.found}"
        )


@dataclass
class Survey:
    """The records of a WARC file, and whether their digests hold."""

    places: dict[int, int] = field(default_factory=dict)
    """From the offset of each record to its length in the file."""
    checked: int = 0
    """Digests that were compared."""
    unknown: int = 0
    """Digests by algorithms that are not known."""
    mismatches: list[Mismatch] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    is_per_record: bool = True
    """Whether each record can be read by itself, given its offset."""

    def marks(self) -> dict[tuple[int, str], str]:
        """By offset and identifier of records with mismatches, ``block``, ``payload`` or both."""
        found: dict[tuple[int, str], set[str]] = {}
        for each in self.mismatches:
            word = "payload" if each.header == _PAYLOAD else "block"
            found.setdefault((each.offset, each.record_id), set()).add(word)
        return {place: ",".join(sorted(words)) for place, words in found.items()}


def verify_record(record: Record, file: str = "") -> tuple[int, int, list[Mismatch]]:
    """How many digests of a record were compared, how many are not known, and those that do not hold.

    Examples
    --------
    >>> from webstrata.archive.record import Record
    >>> headers = (("WARC-Block-Digest", "md5:900150983cd24fb0d6963f7d28e17f72"),)
    >>> verify_record(Record("resource", headers, b"abc", 0))
    (1, 0, [])
    >>> [mismatch.found for mismatch in verify_record(Record("resource", headers, b"abd", 0))[2]]
    ['md5:4911e516e5aa21d327512e0c8b197616']
    """
    checked, unknown, found = core.verify_record(
        [("WARC-Type", record.kind), *((name, value) for name, value in record.headers)], record.block
    )
    about = (record.offset, record.get("WARC-Record-ID") or "", record.kind, record.url or "")
    mismatches = [
        Mismatch(file, *about, header, expected, computed)
        for header, expected, computed in found
        if header != _PAYLOAD or not _holds_decoded(record, expected)
    ]
    return checked, unknown, mismatches


def _holds_decoded(record: Record, expected: str) -> bool:
    """Whether a payload digest is that of the body without content codings, or of none after a head alone."""
    body = read_payload(record)
    algorithm, _, value = expected.partition(":")
    digest = hashlib.new(algorithm.replace("-", "").lower(), body, usedforsecurity=False).digest()
    spelled = (digest.hex(), base64.b32encode(digest).decode().rstrip("=").lower())
    return value.strip().rstrip("=").lower() in spelled


def survey(path: Path, *, name: str = "", workers: int = 1, task: Task | None = None) -> Survey:
    """Find every record of a WARC file, and compare its digests.

    Parameters
    ----------
    path, name
        The file, and what it is called in results.
    workers
        Threads that unpack and digest.
    task
        Where progress is shown, in bytes of the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with WarcWriter(folder, "a") as writer:
    ...         capture = Capture(url="http://a.uk/", date=0, head=b"HTTP/1.1 200 OK", body=b"Hi")
    ...         place = writer.write(capture)
    ...     found = survey(Path(folder) / place.filename)
    >>> found.places[place.offset] == place.length, found.checked, found.mismatches
    (True, 3, [])
    """
    name = name or str(path)
    found = Survey()
    with explained(path, "read"), path.open("rb") as stream:
        start = stream.read(4)
    end = _survey_members(path, name, found, workers, task) if start.startswith(GZIP) else 0
    if end is not None:
        _survey_rest(path, name, found, end, start, task)
    return found


def _survey_members(path: Path, name: str, found: Survey, workers: int, task: Task | None) -> int | None:
    """Survey a gzip file as long as it is in order; where it is not, if so."""
    surveyor, start = core.Surveyor(path, workers), 0
    while True:
        places, checked, unknown, mismatches, following, is_end, is_odd = surveyor.read(start)
        found.places.update(places)
        found.checked += checked
        found.unknown += unknown
        for offset, kind, record_id, url, header, expected, computed in mismatches:
            mismatch = Mismatch(name, offset, record_id, kind, url, header, expected, computed)
            if header != _PAYLOAD or not _holds_decoded(read_record(path, offset), expected):
                found.mismatches.append(mismatch)
        if task is not None:
            task.advance(following - start)
        if is_end:
            return None
        if is_odd:
            return max(found.places, default=0) if following == start else following
        start = following


def _survey_rest(path: Path, name: str, found: Survey, start: int, magic: bytes, task: Task | None) -> None:
    """Survey what `read_records` gives from `start` on."""
    tally, last = Tally(), -1
    size = path.stat().st_size
    is_plain = not magic.startswith((GZIP, *ZSTD))
    # from the last record that is known to be whole, so that damage after it has its true place
    begun = max((offset for offset in found.places if offset < start), default=start)
    for record in read_records(path, start=begun, report=lambda problem: tally.report(name, problem)):
        offset = record.offset
        if offset == last or not _begins(path, offset, magic):
            found.is_per_record = False
        if last >= 0 and last not in found.places:
            found.places[last] = offset - last
        last = offset
        if offset in found.places and offset < start:
            continue
        if record.is_cut:
            continue
        checked, unknown, mismatches = verify_record(record, name)
        found.checked += checked
        found.unknown += unknown
        found.mismatches += mismatches
        if magic.startswith(GZIP):
            found.places[offset] = find_end(path, offset) - offset
        if task is not None and is_plain:
            task.advance(max(offset - task.done, 0))
    if last >= 0 and last not in found.places:
        found.places[last] = size - last
    found.damage += tally.damage


def _begins(path: Path, offset: int, magic: bytes) -> bool:
    """Whether a gzip member begins at `offset`, where the file consists of such."""
    if not magic.startswith(GZIP):
        return True
    with path.open("rb") as stream:
        stream.seek(offset)
        return stream.read(len(GZIP)) == GZIP


# ---- snapshots


@dataclass(frozen=True, repr=False)
class FixityResult(Table):
    """What came of verifying the stored WARC files."""

    files: int
    records: int
    digests: int
    """Digests that were compared."""
    unknown: int
    """Digests by algorithms that are not known."""
    mismatches: list[Mismatch]
    """Digests that do not hold, and did at ingest, or were never compared."""
    known: list[Mismatch]
    """Digests that did not hold when the files were ingested."""
    damage: list[Damage]
    """Places that cannot be read."""

    empty_columns = ("kind", "file", "offset")

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per digest that does not hold, and per place that cannot be read."""
        return [{"kind": name} | each._asdict() for name in _LISTS for each in getattr(self, name)]

    @property
    def lines(self) -> list[str]:
        """A sentence per finding, known ones first."""
        return [
            *(f"note: known since the ingest: {each}" for each in self.known),
            *(f"damaged: {each}" for each in (*self.mismatches, *self.damage)),
        ]

    @property
    def summary(self) -> str:
        """How much was compared, and with what result."""
        return (
            f"{tell_count(self.digests, 'digest')} of {tell_count(self.records, 'record')} in "
            f"{tell_count(self.files, 'WARC file')} compared, "
            f"{tell_count(len(self.mismatches) + len(self.damage), 'new finding')}, "
            f"{len(self.known):,} known since the ingest, "
            f"{tell_count(self.unknown, 'digest')} of unknown algorithms"
        )

    @property
    def damaged_files(self) -> list[str]:
        """The files with new findings."""
        return sorted({each.file for each in self.mismatches} | {each.file for each in self.damage})

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        lists = {name: [each._asdict() for each in getattr(self, name)] for name in _LISTS}
        return asdict(self) | lists


_LISTS = ("mismatches", "known", "damage")


def check_fixity(
    collection: Collection, *, workers: int = 1, progress: Progress | None = None
) -> FixityResult:
    """Compare the digests of every record of the stored WARC files of a collection.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = check_fixity(ws.create(Path(folder, "uk")))
    >>> result.files, result.mismatches
    (0, [])
    """
    progress = progress or Progress()
    files = records = digests = unknown = 0
    mismatches: list[Mismatch] = []
    known: list[Mismatch] = []
    damage: list[Damage] = []
    for snapshot in collection:
        if "warc" not in snapshot.parts:
            continue
        with snapshot.parts.open("warc", verify=False) as part:
            told = {_place(each) for each in read_report(part.path / FIXITY)}
            for path in sorted(part.path.glob("*.warc*")):
                name = f"{snapshot.date}/{path.name}"
                with progress.task(f"verifying {name}", total=path.stat().st_size, unit="bytes") as task:
                    found = survey(path, name=name, workers=workers, task=task)
                files += 1
                records += len(found.places)
                digests += found.checked
                unknown += found.unknown
                damage += found.damage
                for each in found.mismatches:
                    is_known = _place(each._replace(file=path.name)) in told
                    (known if is_known else mismatches).append(each)
    return FixityResult(files, records, digests, unknown, mismatches, known, damage)


def _place(mismatch: Mismatch) -> tuple[str, int, str, str, str]:
    return mismatch.file, mismatch.offset, mismatch.header, mismatch.expected, mismatch.found


def read_report(path: Path) -> Iterator[Mismatch]:
    """The mismatches in a ``fixity.jsonl``; none where there is no such file.

    Examples
    --------
    >>> from pathlib import Path
    >>> list(read_report(Path("no-such-folder/fixity.jsonl")))
    []
    """
    if not path.is_file():
        return
    with explained(path, "read"), path.open("rb") as lines:
        for line in lines:
            yield Mismatch(**json.loads(line))


def to_lines(mismatches: Iterable[Mismatch]) -> bytes:
    r"""The lines of a ``fixity.jsonl``.

    Examples
    --------
    >>> header = "WARC-Block-Digest"
    >>> to_lines([Mismatch("a.warc", 0, "", "response", "http://a.uk/", header, "md5:1", "md5:2")])
    b'{"file": "a.warc", "offset": 0, "record_id": "", "kind": "response", "url": "http://a.uk/", "header":
    "WARC-Block-Digest", "expected": "md5:1", "found": "md5:2", "origin": ""}\n'
    """
    return b"".join(json.dumps(each._asdict()).encode() + b"\n" for each in mismatches)
