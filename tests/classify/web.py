"""A small snapshot of given pages: stored, with its links, and its graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.archive.warc import Capture, WarcWriter
from webstrata.graph.build import build_graph
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
JUNE = 1_781_289_000 * 10**9

PAGES = {
    "http://a.org/": "<title>Fish and ships</title><p>Fish swim. The fish swim in the sea. "
    "<a href='http://b.org/'>more fish</a> <a href='/deep'>deep sea</a>",
    "http://a.org/deep": "<title>Deep</title><p>Deep sea fish see little. <a href='/'>home</a>",
    "http://www.a.org/news": "<p>News of the reef, which is in the sea. <a href='http://a.org/'>fish</a>",
    "http://b.org/": "<title>Buy</title><p>cheap pills cheap pills cheap pills cheap pills "
    "<a href='http://c.org/x'>cheap pills</a>",
    "http://c.org/x": "<title>X</title><p>Größe und Länge 32.3 <a href='http://b.org/'>pills</a> "
    "<a href='http://a.org/'>fish</a>",
    "http://c.org/empty": "<title>Nothing here</title>",
}


def make_web(folder: Path, pages: Mapping[str, str] = PAGES, label: str = "2026-06") -> ws.Snapshot:
    """A snapshot with these pages, in the collection of that folder, which is made if it is not there."""
    try:
        collection = ws.open(folder)
    except ws.errors.MissingError:
        collection = ws.create(folder)
    files = folder.parent / f"{folder.name}-{label}"
    files.mkdir()
    with WarcWriter(files, "in") as writer:
        for url, page in pages.items():
            body = f"<html><body>{page}</body></html>".encode()
            writer.write(Capture(url=url, date=JUNE, head=HEAD, body=body))
    snapshot = collection.add(label)
    ingest(snapshot, [files])
    build_graph(snapshot)
    return snapshot
