"""A snapshot as a WACZ that is not written: any range of its bytes, WARC files read where they are.

The members of a WACZ are stored, not compressed (`webstrata.archive.stored_zip`), so its bytes are those of
the WARC files with little between them. `WaczView` computes once what is between: headers, index, list of
pages and description, which go into a file of some 50 bytes per capture; checksums need one pass over the
WARC files. The list of pages has no titles, which would need every payload. Files that gzip does not compress
have other offsets in a WACZ: a snapshot with such a file is refused.
"""

from __future__ import annotations

import gzip
import shutil
import tempfile
import weakref
from bisect import bisect_right
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from webstrata._core import __version__
from webstrata.archive.cdxj import BLOCK_LINES
from webstrata.archive.wacz import FileSpan, WaczWriter
from webstrata.collection.action import Action
from webstrata.collection.files import explained
from webstrata.errors import UsageError
from webstrata.store.originals import copy_originals
from webstrata.store.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webstrata.collection import Snapshot
    from webstrata.collection.parts import Part

_PIECE = 1 << 18


class Segment(NamedTuple):
    """Bytes of the WACZ from `start` on are those of a file from `offset` on."""

    start: int
    path: Path
    offset: int
    size: int


class _Layout:
    """A stream that notes where bytes are: those of files where they are, others in a file of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._out = path.open("wb")
        self._written = 0
        self.size = 0
        self.segments: list[Segment] = []

    def write(self, data: bytes | FileSpan) -> int:
        if isinstance(data, FileSpan):
            self.segments.append(Segment(self.size, data.path, 0, data.size))
        else:
            last = self.segments[-1] if self.segments else None
            if last is not None and last.path == self._path:
                self.segments[-1] = last._replace(size=last.size + len(data))
            else:
                self.segments.append(Segment(self.size, self._path, self._written, len(data)))
            self._out.write(data)
            self._written += len(data)
        self.size += len(data)
        return len(data)

    def close(self) -> None:
        self._out.close()


class WaczView:
    """The bytes of the WACZ of a snapshot; a context manager. Forgotten, it ends with its last reader.

    Examples
    --------
    >>> import io, zipfile
    >>> from webstrata import testing
    >>> with WaczView(testing.snapshot()) as view:
    ...     data = b"".join(view.read(0, view.size))
    ...     data[40:60] == b"".join(view.read(40, 60))
    True
    >>> names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    >>> [name for name in names if not name.startswith("archive/")]
    ['indexes/index.cdx.gz', 'indexes/index.idx', 'pages/pages.jsonl', 'datapackage.json',
    'datapackage-digest.json']
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._parts = [snapshot.open_part(name) for name in ("warc", "captures", "pages")]
        self._scratch = Path(tempfile.mkdtemp(prefix="webstrata-wacz-"))
        self._release = weakref.finalize(self, _release, self._parts, self._scratch)
        try:
            self._segments, self.size = self._lay_out(snapshot)
        except BaseException:
            self.close()
            raise
        self._starts = [segment.start for segment in self._segments]

    def _lay_out(self, snapshot: Snapshot) -> tuple[list[Segment], int]:
        warc, captures, pages = (part.path for part in self._parts)
        scratch = self._scratch
        files = sorted(path for path in warc.iterdir() if ".warc" in path.name)
        if other := next((path for path in files if not path.name.endswith(".warc.gz")), None):
            action = Action.on(snapshot, "export", "wacz")
            raise UsageError(
                f"{snapshot.date}: {other.name} is not compressed by gzip, which a WACZ needs; make one with "
                f"`{action.command}`"
            )
        name = f"{snapshot.collection.path.name}-{snapshot.date}-originals.warc.gz"
        originals = copy_originals(snapshot, captures / "index.cdxj.gz", scratch, name)
        layout = _Layout(scratch / "between")
        try:
            writer = WaczWriter(
                cast("Any", layout), title=f"{snapshot.collection.title} {snapshot.date}", scratch=scratch
            )
            for path in [*files, *([originals.path] if originals else [])]:
                writer.refer_to_archive(path)
            with gzip.open(captures / "index.cdxj.gz") as lines:
                held = originals.merge(iter(lines)) if originals else iter(lines)
                writer.add_index(iter(lambda: list(islice(held, BLOCK_LINES)), []))
            writer.add_pages(_list_pages(Pages(pages)))
            record = snapshot.parts.record("captures")
            writer.close(created=f"{record.built:%Y-%m-%dT%H:%M:%SZ}", software=f"webstrata/{__version__}")
        finally:
            layout.close()
        return layout.segments, layout.size

    def read(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` up to, and without, `end`."""
        place = bisect_right(self._starts, start) - 1
        while start < end and place < len(self._segments):
            segment = self._segments[place]
            inside = start - segment.start
            left = min(end - start, segment.size - inside)
            start += left
            with explained(segment.path, "read"), segment.path.open("rb") as stream:
                stream.seek(segment.offset + inside)
                while left > 0 and (piece := stream.read(min(_PIECE, left))):
                    left -= len(piece)
                    yield piece
            place += 1

    def close(self) -> None:
        """Let the files go, and remove what was computed."""
        self._release()

    def __enter__(self) -> WaczView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _release(parts: list[Part], scratch: Path) -> None:
    for part in parts:
        part.close()
    shutil.rmtree(scratch, ignore_errors=True)


def _list_pages(pages: Pages) -> Iterator[dict[str, Any]]:
    node = 0
    for batch in pages.table("url", "fetch_time").to_batches(max_chunksize=4096):
        for row in batch.to_pylist():
            yield {"id": str(node), "url": row["url"], "ts": f"{row['fetch_time']:%Y-%m-%dT%H:%M:%SZ}"}
            node += 1
