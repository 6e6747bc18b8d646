"""The records of the WARC files of a snapshot, of all kinds, in the order of the files.

The index lists captures of pages. ``warcinfo``, ``request``, ``metadata``, ``conversion``, ``dns`` and
``whois`` records (the last two are of kind ``resource`` or ``response``, with a URL that is no page) are in
the files alone, and are found by reading these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webstrata.archive.warc import read_records
from webstrata.collection.progress import Progress
from webstrata.store.takedowns import find_takedowns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from webstrata.collection import Snapshot


class Listed(NamedTuple):
    """A record."""

    filename: str
    offset: int
    kind: str
    """The ``WARC-Type``."""
    record_id: str | None
    date: str | None
    url: str | None
    content_type: str | None
    length: int
    """Bytes of the block."""


def list_records(
    snapshot: Snapshot, *, kinds: Collection[str] = (), progress: Progress | None = None
) -> Iterator[Listed]:
    """The records of a snapshot, of all kinds or of some.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import webstrata as ws
    >>> from webstrata.store.ingest.run import ingest
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.html").write_text("Hello")
    ...     snapshot = ws.create(Path(folder, "uk")).add("2026-06")
    ...     _ = ingest(snapshot, [Path(folder, "a.html")], base_url="http://example.org/")
    ...     [(record.kind, record.url) for record in list_records(snapshot)]
    [('warcinfo', None), ('response', 'http://example.org/a.html')]
    """
    progress = progress or Progress()
    takedowns = find_takedowns(snapshot.collection)
    with snapshot.open_part("warc") as part:
        for path in sorted(part.path.glob("*.warc*")):
            with progress.task(f"listing {path.name}", total=path.stat().st_size, unit="bytes") as task:
                for record in read_records(path, kinds=kinds, blocks=False):
                    task.advance(max(record.offset - task.done, 0))
                    if record.url and takedowns.hides(record.url):
                        continue
                    length = record.get("Content-Length") or "0"
                    yield Listed(
                        path.name,
                        record.offset,
                        record.kind,
                        record.get("WARC-Record-ID"),
                        record.get("WARC-Date"),
                        record.url,
                        record.get("Content-Type"),
                        int(length) if length.isdigit() else 0,
                    )
