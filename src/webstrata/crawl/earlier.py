"""The payloads of earlier snapshots, as a crawl looks them up: sorted rows in two files that the core maps.

``earlier.digests`` has a row of 32 bytes per payload: SHA-1 (20), number of the WARC file (4, little-endian),
offset of the record (8, little-endian). ``earlier.urls``, made for a conditional crawl only, has a row of 40
bytes per URL: its hash (8, big-endian), and the SHA-1, file and offset of the last complete capture.
``earlier.json`` says which indexes they were made from; a crawl that resumes uses them again if these did not
change. Rows are sorted by their first 8 bytes: of two digests that share these (one pair in 2⁶⁴) one is left
out, and its payload is stored again.

The files of a snapshot stay open while the crawl runs, so nobody removes what it refers to. Memory is
constant: rows beyond `MEMORY` bytes are divided by their first byte and sorted part by part.
"""

from __future__ import annotations

import base64
import json
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from webstrata._core import crawl as _core
from webstrata.collection.files import explained, open_writer, replace_file
from webstrata.errors import UsageError
from webstrata.store.pages import REVISIT, scan_captures
from webstrata.store.warc_files import find_lenders, find_lending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.crawl.settings import CrawlSettings

    Rows = npt.NDArray[np.uint8]

DIGESTS, URLS, INPUTS = "earlier.digests", "earlier.urls", "earlier.json"
MEMORY = 64 << 20
"""Bytes of rows that are sorted at a time."""
_DIGEST, _PLACE, _HASH = 20, 12, 8


@contextmanager
def lend_payloads(
    snapshot: Snapshot, settings: CrawlSettings, folder: Path, progress: Progress
) -> Iterator[dict[str, Any]]:
    """What the core needs to know of the payloads of earlier snapshots, whose files are held open meanwhile.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> folder = testing.scratch()
    >>> snapshot = ws.create(folder / "uk").add("2026-06")
    >>> with lend_payloads(snapshot, ws.CrawlSettings(), folder, Progress()) as told:
    ...     told
    {'earlier': None}
    """
    indexes = find_lending(snapshot) if settings.revisits or settings.conditional else {}
    with ExitStack() as stack:
        inputs: dict[str, Any] = {"version": 1, "conditional": settings.conditional, "checksums": {}}
        files: list[Path] = []
        numbers: dict[tuple[str, str], int] = {}
        held: dict[str, Path] = {}
        for label in indexes:
            parts = [
                stack.enter_context(snapshot.collection[label].open_part(n)) for n in ("captures", "warc")
            ]
            inputs["checksums"][label] = [part.record.checksum for part in parts]
            held[label] = parts[0].path / "index.cdxj.gz"
            for path in sorted(parts[1].path.iterdir()):
                numbers[label, path.name] = len(files)
                files.append(path)
        if not held:
            yield {"earlier": None}
            return
        digests, urls = folder / DIGESTS, folder / URLS if settings.conditional else None
        if not _are_made_from(folder, inputs):
            _write(held, numbers, digests, urls, progress)
            replace_file(folder / INPUTS, json.dumps(inputs).encode())
        yield {"earlier": (digests, urls, files)}


def check_not_lending(snapshot: Snapshot, *, again: bool) -> None:
    """Raise `UsageError` if a snapshot that is crawled `again` holds payloads of later ones.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> check_not_lending(collection["2026-04"], again=True)  # no snapshot refers to its payloads
    >>> with collection["2026-06"].write_part("pages", inputs=("2026-04/warc",)):
    ...     pass
    >>> check_not_lending(collection["2026-04"], again=True)
    Traceback (most recent call last):
    webstrata.errors.UsageError: ...2026-04: snapshot 2026-06 refers to payloads of this one, which a new
    crawl would remove; crawl a new snapshot instead
    """
    for label in snapshot.collection.dates if again else ():
        inputs = [record.inputs for record in snapshot.collection[label].parts if record.name == "pages"]
        if label != snapshot.date and any(snapshot.date in find_lenders(names, label) for names in inputs):
            raise UsageError(
                f"{snapshot.path}: snapshot {label} refers to payloads of this one, which a new crawl would "
                "remove; crawl a new snapshot instead"
            )


def _are_made_from(folder: Path, inputs: dict[str, Any]) -> bool:
    names = (DIGESTS, URLS) if inputs["conditional"] else (DIGESTS,)
    if not all((folder / name).is_file() for name in (*names, INPUTS)):
        return False
    with explained(folder / INPUTS, "read"):
        try:
            return bool(json.loads((folder / INPUTS).read_bytes()) == inputs)
        except ValueError:
            return False


def _write(
    indexes: dict[str, Path],
    numbers: dict[tuple[str, str], int],
    digests: Path,
    urls: Path | None,
    progress: Progress,
) -> None:
    by_digest = SortedRows(digests, _DIGEST + _PLACE)
    by_url = SortedRows(urls, _HASH + _DIGEST + _PLACE) if urls is not None else None
    for label, path in indexes.items():
        for table in scan_captures(path, progress=progress):
            complete = _select_complete(table)
            rows = _make_rows(complete, label, numbers)
            is_stored = np.asarray(pc.not_equal(complete["mime"], REVISIT))
            by_digest.add(rows[is_stored])
            if by_url is not None:
                hashes = _hash(complete["url"].to_pylist())
                # of several captures the last one comes first
                by_url.add(np.hstack([hashes, rows])[::-1])
    by_digest.close()
    if by_url is not None:
        by_url.close()


def _select_complete(table: pa.Table) -> pa.Table:
    """Captures with status 200, a digest and their whole payload."""
    good = pc.and_(pc.equal(table["status"], 200), pc.is_null(table["truncated"]))
    good = pc.and_(good, pc.match_substring_regex(table["digest"], "^[A-Z2-7]{32}$"))
    return table.filter(good)


def _make_rows(table: pa.Table, label: str, numbers: dict[tuple[str, str], int]) -> Rows:
    decoded = base64.b32decode("".join(table["digest"].to_pylist()))  # 32 letters are 20 bytes
    digests = np.frombuffer(decoded, np.uint8).reshape(-1, _DIGEST)
    places = [numbers[label, name] for name in table["filename"].to_pylist()]
    files = np.array(places, "<u4").view(np.uint8).reshape(-1, 4)
    offsets = table["offset"].to_numpy().astype("<u8").view(np.uint8).reshape(-1, 8)
    return np.hstack([digests, files, offsets])


def _hash(urls: list[str]) -> Rows:
    pieces = [url.encode() for url in urls]
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.uint64)
    hashes = _core.hash_records(b"".join(pieces), ends) if pieces else np.zeros(0, np.uint64)
    return hashes.astype(">u8").view(np.uint8).reshape(-1, _HASH)


class SortedRows:
    """A file of rows of bytes, sorted by their first 8 bytes; of rows that share them the first is kept.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "rows"
    >>> rows = SortedRows(path, 9, memory=18)
    >>> for first in (7, 3, 7):
    ...     rows.add(np.full((1, 9), first, np.uint8))
    >>> rows.close()
    >>> [row[0] for row in np.fromfile(path, np.uint8).reshape(-1, 9).tolist()]
    [3, 7]
    """

    def __init__(self, path: Path, width: int, *, memory: int = MEMORY) -> None:
        self._path, self._width, self._memory = path, width, memory
        self._waiting: list[Rows] = []
        self._size = 0
        self._is_divided = False

    def add(self, rows: Rows) -> None:
        """Add rows, in order of preference."""
        self._waiting.append(rows)
        self._size += rows.size
        if self._size > self._memory:
            self._divide()

    def close(self) -> None:
        """Write the file."""
        if self._is_divided:
            self._divide()
        with open_writer(self._path) as out:
            if not self._is_divided:
                out.write(_sort(self._take()).tobytes())
            for path in self._parts() if self._is_divided else ():
                with explained(path, "read"):
                    rows = np.fromfile(path, np.uint8).reshape(-1, self._width)
                    path.unlink()
                out.write(_sort(rows).tobytes())

    def _take(self) -> Rows:
        rows = np.concatenate([np.zeros((0, self._width), np.uint8), *self._waiting])
        self._waiting, self._size = [], 0
        return rows

    def _parts(self) -> list[Path]:
        return [self._path.with_name(f"{self._path.name}.{first:02x}") for first in range(256)]

    def _divide(self) -> None:
        rows = self._take()
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        bounds = np.searchsorted(rows[:, 0], np.arange(257))
        for first, path in enumerate(self._parts()):
            with explained(path, "write"), path.open("ab" if self._is_divided else "wb") as out:
                out.write(rows[bounds[first] : bounds[first + 1]].tobytes())
        self._is_divided = True


def _sort(rows: Rows) -> Rows:
    keys = np.ascontiguousarray(rows[:, :8]).view(">u8").ravel()
    order = np.argsort(keys, kind="stable")
    is_first = np.ones(len(order), bool)
    is_first[1:] = np.diff(keys[order].astype(np.uint64)) != 0
    return rows[order[is_first]]
