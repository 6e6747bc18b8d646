"""From what a crawl left, however it ended, to one that goes on.

While a crawl runs, its folder holds three things that count: ``journal`` (URLs that came to the frontier, and
which are done), the WARC files, the last of them with ``.open`` behind its name, and ``captures.cdxj``, a
line a capture. They are written in this order: the links of a page, that it is done, its records, its line.
So, whatever was cut off, the files come into order by cutting them back to the last line that is whole, whose
records are there, and whose page is done:

- the journal up to its last good frame;
- ``captures.cdxj`` up to the first line that is not whole, names records beyond the end of their file, or a
  page that is not done;
- the WARC file of the last line that stays, behind the records of its capture (the field ``span``); later
  files go, and the open one is closed.

What is cut off is counted and fetched again. The frontier itself is made anew from the journal: URLs in their
order, less those that are done.
"""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from webstrata._core import crawl as _core
from webstrata.collection.files import explained, open_writer, rename
from webstrata.errors import FormatError
from webstrata.store.pages import REVISIT, SOFT, TEXT, read_captures
from webstrata.web.url import split

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from webstrata.collection import Snapshot

JOURNAL = "journal"
CAPTURES = "captures.cdxj"
SCRATCH = "frontier"
_OPEN = ".open"


@dataclass
class Past:
    """What an earlier run of a crawl has stored; nothing, for one that begins."""

    stored: list[int] = field(default_factory=list)
    known: list[tuple[bytes, int | None, str, int]] = field(default_factory=list)
    pages: list[tuple[str, int]] = field(default_factory=list)
    duplicates: int = 0
    cut: int = 0
    """Captures that were cut off, to be fetched again."""

    def to_core(self) -> dict[str, Any]:
        """What the engine is told."""
        return {
            "past_stored": self.stored,
            "past_known": self.known,
            "past_pages": self.pages,
            "past_duplicates": self.duplicates,
        }


def recover(folder: Path) -> Past:
    """Bring the files of a crawl into order, and tell what it has stored.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> (folder / "journal").touch()
    >>> recover(folder)
    Past(stored=[], known=[], pages=[], duplicates=0, cut=0)
    """
    with explained(folder, "read"):
        good, done = _core.read_journal(folder / JOURNAL)
        _cut(folder / JOURNAL, good)
        lines, table = _read_lines(folder / CAPTURES)
        hashes = _hash(table)
        kept = _count_good(folder, table, np.isin(hashes, done))
        _cut_records(folder, table, kept)
        _cut(folder / CAPTURES, sum(map(len, lines[:kept])))
    past = _describe(table.slice(0, kept), hashes[:kept])
    past.cut = len(lines) - kept
    return past


def _read_lines(path: Path) -> tuple[list[bytes], pa.Table]:
    """The lines that are whole, and what they say."""
    data = path.read_bytes() if path.exists() else b""
    lines = data.splitlines(keepends=True)
    while lines:
        try:
            if lines[-1].endswith(b"\n"):
                return lines, read_captures(path)
        except FormatError:
            pass
        # the end may be torn, or zeros that a power cut left
        lines.pop()
        _cut(path, sum(map(len, lines)))
    path.touch()
    return [], read_captures(path)


def _hash(table: pa.Table) -> np.ndarray[Any, np.dtype[np.uint64]]:
    urls = [url.encode() for url in table["url"].to_pylist()]
    ends = np.cumsum([len(url) for url in urls], dtype=np.uint64)
    return _core.hash_records(b"".join(urls), ends) if urls else np.zeros(0, np.uint64)


def _ends(table: pa.Table) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Where the records of each capture end in their file."""
    spans = pc.cast(table["span"], "int64")
    return np.asarray(pc.add(table["offset"], pc.coalesce(spans, table["length"])))


def _count_good(folder: Path, table: pa.Table, is_done: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    """How many lines stay."""
    sizes = {path.name.removesuffix(_OPEN): path.stat().st_size for path in _list_warc(folder)}
    room = np.array([sizes.get(name, 0) for name in table["filename"].to_pylist()], dtype=np.int64)
    bad = np.flatnonzero(~(is_done & (_ends(table) <= room)))
    return int(bad[0]) if len(bad) else len(table)


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
    if not path.exists() or path.stat().st_size <= length:
        return
    # the part may have the same file under a second name, and keeps it as it is
    short = path.with_name(f"{path.name}.cut")
    with path.open("rb") as stream, open_writer(short) as out:
        while length > 0:
            piece = stream.read(min(length, 1 << 20))
            out.write(piece)
            length -= len(piece)
    rename(short, path)


def _describe(table: pa.Table, hashes: np.ndarray[Any, np.dtype[np.uint64]]) -> Past:
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
    return (snapshot.working_folder("crawl") / JOURNAL).exists()
