"""The store step: from the files of a crawl to the parts of a snapshot.

=========  ============================================================================================
``warc``   the WARC files, linked, not copied
``index``  the CDXJ index of all captures (see `cdxj`)
``pages``  the table of nodes (see `pages`)
``urls``   row keys of the nodes, and what other URLs stand for (see `urls`)
=========  ============================================================================================

A crawl leaves a folder of closed WARC files and ``captures.cdxj``, a line a capture in any order.
"""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from webstrata.collection.files import explained, open_writer
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.cdxj import build_index
from webstrata.store.pages import read_captures, select_pages, write_pages
from webstrata.store.urls import write_urls

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection import Snapshot

CAPTURES = "captures.cdxj"
_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")


def build_store(
    snapshot: Snapshot, crawl: Path, *, renew: str = "", progress: Progress | None = None
) -> None:
    """Build the parts `warc`, `index`, `pages` and `urls` of a snapshot from the folder of a crawl.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.store.cdxj import Line
    >>> from webstrata.store.warc import Capture, WarcWriter
    >>> folder = getfixture("tmp_path")
    >>> capture = Capture(url="http://example.org/", date=10**18, head=b"HTTP/1.1 200 OK", body=b"Hello")
    >>> with WarcWriter(folder, "crawl") as writer:
    ...     place = writer.write(capture)
    >>> line = Line(
    ...     url=capture.url, date=capture.date, mime="text/html", status=200, digest=capture.digest,
    ...     **place._asdict())
    >>> _ = (folder / "captures.cdxj").write_bytes(line.to_bytes())
    >>> snapshot = ws.create(folder / "uk").add("2026-06")
    >>> build_store(snapshot, folder)
    >>> list(snapshot.urls)
    ['http://example.org/']
    >>> snapshot.pages[0]["filename"]
    'crawl-00000.warc.gz'
    """
    progress = progress or Progress()
    files = _list_files(crawl)
    captures = read_captures(crawl / CAPTURES)
    unknown = set(pc.unique(captures["filename"]).to_pylist()) - {path.name for path in files}
    if unknown:
        raise FormatError(
            f"{crawl / CAPTURES}: it names {min(unknown)}, which is not in this folder; put the file back, "
            f"or crawl again"
        )
    with snapshot.build("warc", renew=renew, progress=progress) as build:
        for path in files:
            _link(path, build.path / path.name)
        build.count(files=len(files), captures=len(captures))
    with snapshot.build("index", inputs=("warc",), renew=renew, progress=progress) as build:
        build.count(captures=build_index(crawl / CAPTURES, build.path, progress=progress))
    with snapshot.build("pages", inputs=("index",), renew=renew, progress=progress) as build:
        selection = select_pages(captures)
        write_pages(build.path / "pages.parquet", selection.pages)
        build.count(nodes=len(selection.pages))
    with snapshot.build("urls", inputs=("pages",), renew=renew, progress=progress) as build:
        write_urls(build.path, selection.pages["row_key"], selection.others)
        build.count(nodes=len(selection.pages), others=len(selection.others))


def _list_files(crawl: Path) -> list[Path]:
    with explained(crawl, "list"):
        paths = sorted(crawl.iterdir())
    still_open = [path.name for path in paths if path.name.endswith(".open")]
    if still_open:
        raise UsageError(
            f"{crawl}: {still_open[0]} is not closed, so the crawl has not ended; resume it, or stop it first"
        )
    if not (crawl / CAPTURES).is_file():
        raise MissingError(f"{crawl}: there is no {CAPTURES}; name the folder of a crawl")
    return [path for path in paths if path.name.endswith(_SUFFIXES)]


def _link(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where that is on another disk."""
    with explained(target, "write"):
        try:
            os.link(source, target)
            return
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK):
                raise
        with source.open("rb") as stream, open_writer(target) as out:
            shutil.copyfileobj(stream, out, 1 << 20)
