"""From what a crawl left, however it ended, to one that goes on.

While a crawl runs, its folder holds three things that count: ``journal`` (URLs that came to the frontier, and
which are done), the WARC files, the last of them with ``.open`` behind its name, and ``captures.cdxj``, a
line a capture. They are written in this order: the links of a page, that it is done, its records, its line.
So, whatever was cut off, the files come into order by cutting them back to the last line that is whole, whose
records are there, and whose page is done:

- the journal up to its last good frame;
- ``captures.cdxj`` up to the first line that is not whole, names records that are not there as they were
  written, or a page that is not done;
- the WARC file of the last line that stays, behind the records of its capture (the field ``span``); later
  files go, and the open one is closed.

A power cut may keep any part of what was written and not synced, in any order, and zeros for the rest. The
journal therefore has the checksum of each capture's records, and a mark for each checkpoint: how far the
files were synced then. Records behind the last mark are read and compared, those before it are not. What
lies behind it is also written once more and synced: after a sync that failed, a disk may lack what memory
still shows, and no later sync would tell (a page that was written in vain counts as clean).

What is cut off is counted and fetched again. The frontier itself is made anew from the journal: URLs in their
order, less those that are done.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow.compute as pc

from webstrata._core import crawl as _core
from webstrata.collection.files import explained, open_writer, rename, sync_path
from webstrata.errors import FormatError
from webstrata.store.pages import REVISIT, ROBOTS, SOFT, TEXT, scan_captures
from webstrata.web.fingerprint import FIELD
from webstrata.web.url import split

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.collection import Snapshot

    Hashes = npt.NDArray[np.uint64]

JOURNAL = "journal"
CAPTURES = "captures.cdxj"
SCRATCH = "frontier"
POINTS = (
    "crawl.journal-written",
    "crawl.checkpoint-begun",
    "crawl.journal-synced",
    "crawl.files-synced",
    "crawl.checkpoint-ended",
    "store.file-begun",
    "store.file-filled",
    "store.file-closed",
    "crawl.sieve-merging",
    "crawl.sieve-merged",
)
"""The points at which a plan of faults can kill a crawl (see `webstrata.collection.faults`)."""

FINISHED = "finished"
"""Beside a journal: nothing is left to fetch but what was given up."""
_OPEN = ".open"
_PIECE = 16 << 20
_LINE = re.compile(rb"[^ ]+ \d{14} (\{.*\})\n")
_DIGITS = (r"\d{1,18}", "")
# of each field that is looked at, its form and what stands for it where it is missing
_VALUES = {
    "url": (r"(?s).+", ""),
    "mime": (r"(?s).*", None),
    "status": (r"\d{1,4}", ""),
    "digest": (r"[A-Z2-7]{32}", ""),
    "length": _DIGITS,
    "offset": _DIGITS,
    "filename": (r"[^/]+", ""),
    "span": (r"\d{1,18}", 0),
    FIELD: (r"[0-9a-f]{16}", "0" * 16),
}
_DESCRIBED = (
    "url", "status", "mime", "digest", "fingerprint", "duplicate-of", "time", "robots", "payload-mime",
)  # fmt: skip

Known = tuple[bytes, int | None, str, int]


class Mark(NamedTuple):
    """What was on the disk when a checkpoint was over: bytes of the files, and the last file of records."""

    journal: int
    captures: int
    name: str
    length: int


@dataclass
class Past:
    """What an earlier run of a crawl has stored; nothing, for one that begins."""

    stored: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Hashes of the URLs of its captures, in their order."""
    known: Sequence[Known] = ()
    pages: list[tuple[str, int]] = field(default_factory=list)
    duplicates: int = 0
    closed: list[tuple[str, str]] = field(default_factory=list)
    """Origins that were given up, each with the reason."""
    cut: int = 0
    """Captures that were not whole on the disk, to be fetched again."""
    ended: float = 0.0
    """When it last wrote, in seconds since 1970: nobody was asked later."""
    pause: float = 0.0
    """Seconds before anybody is asked, so that delays hold over a restart."""

    def to_core(self) -> dict[str, Any]:
        """What the engine is told."""
        return {
            "past_stored": self.stored.data,
            "past_known": self.known,
            "past_pages": self.pages,
            "past_duplicates": self.duplicates,
            "past_torn": self.cut,
            "past_pause": self.pause,
            "past_closed": self.closed,
        }

    def __str__(self) -> str:
        text = f"Resuming with {len(self.stored):,} captures"
        if not self.cut:
            return f"{text}; none was truncated."
        return (
            f"{text}; {self.cut:,} {'was' if self.cut == 1 else 'were'} truncated and will be fetched again."
        )


def recover(folder: Path) -> Past:
    """Bring the files of a crawl into order, and tell what it has stored.

    The lines are read some at a time, and again when the engine asks for the payloads that are known: of a
    capture, some tens of bytes are held.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "journal").touch()
    >>> str(recover(folder))
    'Resuming with 0 captures; none was truncated.'
    """
    journal, captures = folder / JOURNAL, folder / CAPTURES
    with explained(folder, "read"):
        ended = max(path.stat().st_mtime for path in folder.iterdir() if path.is_file())
        good, done, sums, told = _core.read_journal(journal)
        mark = Mark(*told)
        _cut(journal, good)
        captures.touch()
        size = captures.stat().st_size
        # what was synced is whole; the end may be torn, or zeros that a power cut left
        _cut(captures, _find_torn(captures, mark.captures if size >= mark.captures else 0))
        trusted = _count_lines(captures, mark.captures)
        try:
            found = _Lines(folder, _Promises(done, sums), trusted)
        except FormatError:
            _cut(captures, _find_torn(captures, 0))
            found = _Lines(folder, _Promises(done, sums), trusted)
        _cut_records(folder, found.name, found.end)
        _cut(captures, _find_line(captures, found.kept))
        now = _write_again(folder, mark, found.name)
        _core.mark_journal(journal, now)
    past = found.past
    past.ended = ended
    # all that is stored is done
    past.cut = len(np.unique(np.concatenate([done, found.rest]))) - len(np.unique(past.stored))
    return past


# ---- lines


def _iter_lines(path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """The lines of a file from a byte on, each with the byte behind it."""
    with path.open("rb") as stream:
        stream.seek(start)
        for line in stream:
            start += len(line)
            yield start, line


def _find_torn(path: Path, start: int) -> int:
    """Where the first line that is none begins, or the end of the file; those before `start` are."""
    for end, line in _iter_lines(path, start):
        if not _is_line(line):
            break
        start = end
    return start


def _count_lines(path: Path, length: int) -> int:
    """How many lines end within the first bytes of a file."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] <= length, _iter_lines(path)))


def _find_line(path: Path, number: int) -> int:
    """Where a line begins, counted from 0."""
    return max((end for end, _ in islice(_iter_lines(path), number)), default=0)


def _is_line(line: bytes) -> bool:
    """Whether a line is whole, and says all that a capture needs."""
    found = _LINE.fullmatch(line)
    try:
        fields = json.loads(found[1]) if found else None
    except ValueError:
        return False
    return isinstance(fields, dict) and all(
        re.fullmatch(pattern, str(fields.get(name, default))) for name, (pattern, default) in _VALUES.items()
    )


class _Promises:
    """The checksums of the records of each URL that the journal says is done."""

    def __init__(self, done: Hashes, sums: Hashes) -> None:
        order = np.argsort(done, kind="stable")
        self._done, self._sums = done[order], sums[order]

    def has(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Which of some URLs are done."""
        first, behind = self._find(hashes)
        return first < behind

    def hold(self, hashes: Hashes, found: Hashes) -> npt.NDArray[np.bool_]:
        """Which of some URLs, all of them done, have one of the checksums that were promised."""
        first, behind = self._find(hashes)
        ranges = zip(first.tolist(), behind.tolist(), found.tolist(), strict=True)
        return np.array([sum_ in self._sums[begin:end] for begin, end, sum_ in ranges], dtype=np.bool_)

    def _find(self, hashes: Hashes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """From where to where each of them lies."""
        return np.searchsorted(self._done, hashes), np.searchsorted(self._done, hashes, side="right")


class _Lines:
    """What the lines say that stay: those before the first one whose page or records are not there.

    Parameters
    ----------
    folder
        That of the crawl.
    promises
        What the journal has.
    trusted
        How many lines name records that need not be read, since they were synced.
    """

    def __init__(self, folder: Path, promises: _Promises, trusted: int) -> None:
        self.kept = 0
        self.name, self.end = "", 0
        """The file of the last line that stays, and where its records end."""
        self._folder, self._promises, self._trusted = folder, promises, trusted
        self._sizes = {path.name.removesuffix(_OPEN): path.stat().st_size for path in _list_warc(folder)}
        self._pages: Counter[str] = Counter()
        self._num_known = self._duplicates = 0
        self._not_text: set[str] = set()
        """Digests of payloads that are not text: a revisit record does not say what it repeats."""
        stored: list[Hashes] = []
        rest: list[Hashes] = []
        for table in scan_captures(folder / CAPTURES):
            hashes = _hash_pieces([url.encode() for url in table["url"].to_pylist()])
            count = 0 if rest else self._count_good(table, hashes)
            stored.append(hashes[:count])
            if count:
                self._take(table.slice(0, count))
            if count < len(table):
                rest.append(hashes[count:])
        self.rest = np.concatenate([np.zeros(0, np.uint64), *rest])
        self.past = Past(
            stored=np.concatenate(stored),
            known=_KnownPayloads(folder / CAPTURES, self._num_known),
            pages=list(self._pages.items()),
            duplicates=self._duplicates,
        )

    def _count_good(self, table: pa.Table, hashes: Hashes) -> int:
        """How many of the next lines stay."""
        room = np.array([self._sizes.get(name, 0) for name in table["filename"].to_pylist()], dtype=np.int64)
        good = _count_true(self._promises.has(hashes) & (_ends(table) <= room))
        # records behind the last checkpoint may be anything
        count = min(max(self._trusted - self.kept, 0), good)
        for pieces in _read_spans(self._folder, table.slice(count, good - count)):
            found = _hash_pieces(pieces)
            whole = _count_true(self._promises.hold(hashes[count : count + len(found)], found))
            count += whole
            if whole < len(found):
                break
        return count

    def _take(self, table: pa.Table) -> None:
        self.kept += len(table)
        self.name, self.end = table["filename"][-1].as_py(), int(_ends(table)[-1])
        for row in table.select(_DESCRIBED).to_pylist():
            self._num_known += _is_payload(row)
            if not _is_answer(row):
                continue
            # crawls of 0.2.0 and before do not say what a revisit repeats
            if (row["payload-mime"] or row["mime"]) not in (*TEXT, REVISIT):
                self._not_text.add(row["digest"])
            elif row["payload-mime"] or row["mime"] != REVISIT or row["digest"] not in self._not_text:
                self._pages[split(row["url"])[0]] += 1
                is_soft = SOFT in (row["robots"] or "")
                self._duplicates += row["duplicate-of"] is not None and not is_soft


class _KnownPayloads(Sequence[Known]):
    """Digest, fingerprint, URL and date (in nanoseconds) of the payloads of lines, read when asked for."""

    def __init__(self, path: Path, number: int) -> None:
        self._path, self._number = path, number

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Known]:
        for table in scan_captures(self._path):
            for row in table.select(_DESCRIBED).to_pylist():
                if _is_payload(row):
                    date = int(row["time"].timestamp()) * 10**9
                    yield base64.b32decode(row["digest"]), row["fingerprint"], row["url"], date

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401, what a sequence takes and gives
        return list(self)[place]


def _is_payload(row: dict[str, Any]) -> bool:
    """Whether it is the first capture of its payload in this crawl, which an earlier snapshot may have."""
    is_first = row["mime"] != REVISIT or (row["payload-mime"] and row["duplicate-of"] is None)
    return bool(_is_answer(row) and is_first)


def _is_answer(row: dict[str, Any]) -> bool:
    """Whether it is a capture of what was asked for, and its payload is known."""
    is_known = row["status"] == 200 or (row["status"] == 304 and row["payload-mime"])
    return bool(is_known and ROBOTS not in (row["robots"] or ""))


def _count_true(are: npt.NDArray[np.bool_]) -> int:
    """How many are true before the first that is not."""
    return len(are) if are.all() else int(np.argmin(are))


def _hash_pieces(pieces: list[bytes]) -> Hashes:
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.uint64)
    return _core.hash_records(b"".join(pieces), ends) if pieces else np.zeros(0, np.uint64)


def _ends(table: pa.Table) -> npt.NDArray[np.int64]:
    """Where the records of each capture end in their file."""
    return np.asarray(pc.add(table["offset"], pc.cast(_spans(table), "int64")))


def _spans(table: pa.Table) -> pa.ChunkedArray:
    return pc.coalesce(pc.cast(table["span"], "int64"), table["length"])


# ---- files


def _read_spans(folder: Path, table: pa.Table) -> Iterator[list[bytes]]:
    """The bytes of the records of each line, some lines at once."""
    open_name, stream, pieces, size = "", None, list[bytes](), 0
    rows = zip(
        table["filename"].to_pylist(), table["offset"].to_pylist(), _spans(table).to_pylist(), strict=True
    )
    try:
        for name, offset, span in rows:
            if name != open_name:
                if stream is not None:
                    stream.close()
                path = folder / name
                stream = (path if path.exists() else folder / f"{name}{_OPEN}").open("rb")
                open_name = name
            assert stream is not None
            stream.seek(offset)
            pieces.append(stream.read(span))
            size += span
            if size > _PIECE:
                yield pieces
                pieces, size = [], 0
        yield pieces
    finally:
        if stream is not None:
            stream.close()


def _cut_records(folder: Path, name: str, end: int) -> None:
    """Remove what the lines that stay do not name: the end of the last file, and files behind it."""
    for path in _list_warc(folder):
        plain = path.name.removesuffix(_OPEN)
        if plain > name:
            path.unlink()
        elif plain == name:
            _cut(path, end)
            if path.name != plain:
                rename(path, folder / plain)


def _list_warc(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if ".warc" in path.name]


def _cut(path: Path, length: int) -> None:
    """Take away what lies behind `length`, durably."""
    if not path.exists() or path.stat().st_size <= length:
        return
    if path.stat().st_nlink == 1:
        # a disk that is full has no room for a second one
        os.truncate(path, length)
        sync_path(path)
        return
    # the part has the same file under a second name, and keeps it as it is
    short = path.with_name(f"{path.name}.cut")
    with path.open("rb") as stream, open_writer(short) as out:
        while length > 0:
            piece = stream.read(min(length, 1 << 20))
            out.write(piece)
            length -= len(piece)
    rename(short, path)


def _write_again(folder: Path, mark: Mark, last: str) -> Mark:
    """Make all that stays durable, whatever was heard of earlier syncs; how far the files go."""
    for path in _list_warc(folder):
        if path.name >= mark.name:
            _write_same(path, mark.length if path.name == mark.name else 0)
    _write_same(folder / CAPTURES, mark.captures)
    _write_same(folder / JOURNAL, mark.journal)
    sync_path(folder)
    journal, captures = ((folder / name).stat().st_size for name in (JOURNAL, CAPTURES))
    return Mark(journal, captures, last, (folder / last).stat().st_size if last else 0)


def _write_same(path: Path, start: int) -> None:
    """Write what a file holds from `start` on to where it is, and sync it."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        while piece := os.pread(descriptor, 1 << 20, start):
            os.pwrite(descriptor, piece, start)
            start += len(piece)
    finally:
        os.close(descriptor)
    sync_path(path)


def is_finished(snapshot: Snapshot) -> bool:
    """Whether a snapshot was crawled, or filled otherwise, and nothing is left to go on with.

    Examples
    --------
    >>> from webstrata import testing
    >>> is_finished(testing.snapshot()), is_finished(testing.empty().add("2026-06"))
    (True, False)
    """
    return any(record.name == "warc" for record in snapshot.parts) and not can_go_on(snapshot)


def can_go_on(snapshot: Snapshot) -> bool:
    """Whether a crawl of it ended before its time: the same command goes on.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> can_go_on(snapshot)
    False
    >>> snapshot.working_folder("crawl").mkdir()
    >>> (snapshot.working_folder("crawl") / "journal").touch()  # as a crawl that was killed leaves it
    >>> can_go_on(snapshot)
    True
    """
    folder = snapshot.working_folder("crawl")
    return (folder / JOURNAL).exists() and not (folder / FINISHED).exists()
