"""A snapshot of pages that are linked as a test says, without a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

import webstrata as ws
from webstrata.graph.build import build_graph
from webstrata.graph.settings import GraphSettings
from webstrata.store.links import LINKS, write_links
from webstrata.store.urls import write_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def link_pages(
    folder: Path,
    num_pages: int,
    links: Iterable[tuple[int, int]],
    *,
    frontier: int = 0,
    keys: Sequence[str] = (),
) -> ws.Snapshot:
    """The snapshot of pages ``http://test/000``, … or of `keys`; the last `frontier` were not captured."""
    keys = keys or [f"test)/{page:03}" for page in range(num_pages)]
    snapshot = ws.create(folder).add("2026-06")
    with snapshot.write_part("urls") as build:
        none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
        write_urls(build.path, pa.array(keys[: num_pages - frontier]), none)
    pairs = sorted(links)
    columns = {
        "source": [source for source, _ in pairs],
        "target": [target for _, target in pairs],
        "kind": ["anchor"] * len(pairs),
        "rel": [target % 2 for _, target in pairs],
        "anchor": [f"from {source} to {target}" for source, target in pairs],
    }
    with snapshot.write_part("links") as build:
        write_links(build.path, pa.array(keys), [pa.table(columns, schema=LINKS)])
    build_graph(snapshot, GraphSettings(frontier=bool(frontier)))
    return snapshot
