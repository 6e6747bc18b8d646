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
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow.compute as pc

from webstrata._core import crawl as _core
from webstrata.collection.files import explained, open_writer, rename, sync_path
from webstrata.errors import FormatError
from webstrata.store.pages import REVISIT, SOFT, TEXT, read_captures
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


class Mark(NamedTuple):
    """What was on the disk when a checkpoint was over: bytes of the files, and the last file of records."""

    journal: int
    captures: int
    name: str
    length: int


@dataclass
class Past:
    """What an earlier run of a crawl has stored; nothing, for one that begins."""

    stored: list[int] = field(default_factory=list)
    known: list[tuple[bytes, int | None, str, int]] = field(default_factory=list)
    pages: list[tuple[str, int]] = field(default_factory=list)
    duplicates: int = 0
    closed: list[str] = field(default_factory=list)
    """Origins that were given up."""
    cut: int = 0
    """Captures that were not whole on the disk, to be fetched again."""
    ended: float = 0.0
    """When it last wrote, in seconds since 1970: nobody was asked later."""
    pause: float = 0.0
    """Seconds before anybody is asked, so that delays hold over a restart."""

    def to_core(self) -> dict[str, Any]:
        """What the engine is told."""
        return {
            "past_stored": self.stored,
            "past_known": self.known,
            "past_pages": self.pages,
            "past_duplicates": self.duplicates,
            "past_torn": self.cut,
            "past_pause": self.pause,
            "past_closed": self.closed,
        }

    def __str__(self) -> str:
        text = f"Going on with {len(self.stored):,} captures"
        if not self.cut:
            return f"{text}; none was cut off."
        return f"{text}; {self.cut:,} {'was' if self.cut == 1 else 'were'} cut off, to be fetched again."


def recover(folder: Path) -> Past:
    """Bring the files of a crawl into order, and tell what it has stored.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> (folder / "journal").touch()
    >>> recover(folder)
    Past(stored=[], known=[], pages=[], duplicates=0, closed=[], cut=0, ...)
    """
    journal, captures = folder / JOURNAL, folder / CAPTURES
    with explained(folder, "read"):
        ended = max(path.stat().st_mtime for path in folder.iterdir() if path.is_file())
        good, done, sums, told = _core.read_journal(journal)
        mark = Mark(*told)
        _cut(journal, good)
        lines, table = _read_lines(captures, mark)
        hashes = _hash(table)
        kept = _count_good(folder, table, np.isin(hashes, done))
        ends = np.cumsum([len(line) for line in lines], dtype=np.int64)
        trusted = min(int(np.searchsorted(ends, mark.captures, side="right")), kept)
        kept = trusted + _count_whole(
            folder, table.slice(trusted, kept - trusted), hashes[trusted:kept], done, sums
        )
        _cut_records(folder, table, kept)
        _cut(captures, int(ends[kept - 1]) if kept else 0)
        now = _write_again(folder, mark, table.slice(0, kept))
        _core.mark_journal(journal, now)
    past = _describe(table.slice(0, kept), hashes[:kept])
    past.ended = ended
    past.cut = len(np.setdiff1d(np.concatenate([done, hashes[kept:]]), hashes[:kept]))
    return past


def _read_lines(path: Path, mark: Mark) -> tuple[list[bytes], pa.Table]:
    """The lines that are whole, and what they say."""
    data = path.read_bytes() if path.exists() else b""
    lines = data.splitlines(keepends=True)
    place, good = 0, len(lines)
    for number, line in enumerate(lines):
        place += len(line)
        # the end may be torn, or zeros that a power cut left
        if place > mark.captures and not _is_line(line):
            good = number
            break
    while True:
        lines = lines[:good]
        _cut(path, sum(map(len, lines)))
        if not lines:
            path.touch()
        try:
            return lines, read_captures(path)
        except FormatError:
            if not lines:
                raise
            good = len(lines) - 1


def _is_line(line: bytes) -> bool:
    try:
        return line.endswith(b"}\n") and isinstance(json.loads(line[line.index(b"{") :]), dict)
    except ValueError:
        return False


def _hash(table: pa.Table) -> Hashes:
    return _hash_pieces([url.encode() for url in table["url"].to_pylist()])


def _hash_pieces(pieces: list[bytes]) -> Hashes:
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.uint64)
    return _core.hash_records(b"".join(pieces), ends) if pieces else np.zeros(0, np.uint64)


def _ends(table: pa.Table) -> npt.NDArray[np.int64]:
    """Where the records of each capture end in their file."""
    return np.asarray(pc.add(table["offset"], pc.cast(_spans(table), "int64")))


def _spans(table: pa.Table) -> pa.ChunkedArray:
    return pc.coalesce(pc.cast(table["span"], "int64"), table["length"])


def _count_good(folder: Path, table: pa.Table, is_done: npt.NDArray[np.bool_]) -> int:
    """How many lines name pages that are done, and records that lie within their files."""
    sizes = {path.name.removesuffix(_OPEN): path.stat().st_size for path in _list_warc(folder)}
    room = np.array([sizes.get(name, 0) for name in table["filename"].to_pylist()], dtype=np.int64)
    bad = np.flatnonzero(~(is_done & (_ends(table) <= room)))
    return int(bad[0]) if len(bad) else len(table)


def _count_whole(folder: Path, table: pa.Table, hashes: Hashes, done: Hashes, sums: Hashes) -> int:
    """How many of these lines have the records that were written, by their checksums."""
    promised = set(zip(done.tolist(), sums.tolist(), strict=True))
    count = 0
    for pieces in _read_spans(folder, table):
        for found in _hash_pieces(pieces).tolist():
            if (int(hashes[count]), found) not in promised:
                return count
            count += 1
    return count


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


def _cut_records(folder: Path, table: pa.Table, kept: int) -> None:
    """Remove what the first lines do not name: the end of the last file, and files behind it."""
    name = table["filename"][kept - 1].as_py() if kept else ""
    for path in _list_warc(folder):
        plain = path.name.removesuffix(_OPEN)
        if plain > name:
            path.unlink()
        elif plain == name:
            _cut(path, int(_ends(table)[kept - 1]))
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


def _write_again(folder: Path, mark: Mark, table: pa.Table) -> Mark:
    """Make all that stays durable, whatever was heard of earlier syncs; how far the files go."""
    last = table["filename"][-1].as_py() if len(table) else ""
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


def _describe(table: pa.Table, hashes: Hashes) -> Past:
    past = Past(stored=hashes.tolist())
    names = ("url", "status", "mime", "digest", "fingerprint", "duplicate-of", "time", "robots")
    pages: Counter[str] = Counter()
    for row in table.select(names).to_pylist():
        is_soft = SOFT in (row["robots"] or "")
        is_copy = row["duplicate-of"] is not None
        past.duplicates += is_copy and not is_soft
        if row["status"] != 200 or row["mime"] == REVISIT:
            continue
        digest = base64.b32decode(row["digest"])
        date = int(row["time"].timestamp()) * 10**9
        past.known.append((digest, row["fingerprint"], row["url"], date))
        if row["mime"] in TEXT and not is_copy and not is_soft:
            pages[split(row["url"])[0]] += 1
    past.pages = list(pages.items())
    return past


def is_finished(snapshot: Snapshot) -> bool:
    """Whether a snapshot was crawled, or filled otherwise, and nothing is left to go on with.

    Examples
    --------
    >>> import webstrata as ws
    >>> is_finished(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    False
    """
    return any(record.name == "warc" for record in snapshot.parts) and not can_go_on(snapshot)


def can_go_on(snapshot: Snapshot) -> bool:
    """Whether a crawl of it ended before its time: the same command goes on.

    Examples
    --------
    >>> import webstrata as ws
    >>> can_go_on(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    False
    """
    folder = snapshot.working_folder("crawl")
    return (folder / JOURNAL).exists() and not (folder / FINISHED).exists()
