"""Originals of revisits that name a URL and a time, and no digest.

They are looked for among the captures of an ingest, those that the snapshot had before, and those of earlier
snapshots of the collection. The lines of the ingest are read when the first one is asked for.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from webstrata.archive.cdxj import Entry, Index
from webstrata.archive.digests import from_base32
from webstrata.archive.revisits import MIME
from webstrata.collection.files import explained
from webstrata.store.build import BASE, CAPTURES
from webstrata.store.warc_files import find_lending

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.collection import Snapshot


class OriginalLookup:
    """Digests of captures by URL and second.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import webstrata as ws
    >>> from webstrata.archive.cdxj import Line
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = Path(name)
    ...     line = Line(
    ...         url="http://a.uk/", date=10**18, mime="text/html", status=200, digest=bytes(20), length=9,
    ...         offset=0, filename="a.warc.gz")
    ...     _ = (folder / "captures.cdxj").write_bytes(line.to_bytes())
    ...     lookup = OriginalLookup(ws.create(folder / "uk").add("2026-06"), folder)
    ...     found = [lookup.find("http://a.uk/", date) for date in (10**18, 2 * 10**18, 0)]
    >>> found == [bytes(20), None, None]
    True
    """

    def __init__(self, snapshot: Snapshot, folder: Path) -> None:
        self._snapshot, self._folder = snapshot, folder
        self._known: dict[tuple[str, str], str] | None = None
        self._indexes: list[Index] = []

    def find(self, url: str, date: int) -> bytes | None:
        """The digest of the capture of a URL at a time in nanoseconds, to the second, or None."""
        if date <= 0:
            return None
        if self._known is None:
            self._known = {(entry.url, entry.timestamp): entry.fields["digest"] for entry in self._scan()}
            folders = [self._folder / BASE] if (self._folder / BASE).is_dir() else []
            folders += [path.parent for path in find_lending(self._snapshot).values()]
            self._indexes = [Index(folder) for folder in folders]
        stamp = dt.datetime.fromtimestamp(date // 10**9, dt.UTC).strftime("%Y%m%d%H%M%S")
        digest = self._known.get((url, stamp))
        for index in self._indexes if digest is None else ():
            found = (entry for entry in index.captures(url) if _is_stored(entry))
            digest = next((each.fields["digest"] for each in found if each.timestamp == stamp), None)
            if digest is not None:
                break
        return from_base32(digest) if digest is not None else None

    def _scan(self) -> Iterator[Entry]:
        path = self._folder / CAPTURES
        with explained(path, "read"), path.open("rb") as lines:
            yield from filter(_is_stored, map(Entry.parse, lines))


def _is_stored(entry: Entry) -> bool:
    return entry.fields["mime"] != MIME and entry.fields["status"] == "200"
