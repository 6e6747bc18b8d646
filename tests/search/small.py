"""Small collections with text: what each page says in each snapshot, and what links call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

import webstrata as ws
from webstrata.store.anchors import ANCHORS
from webstrata.store.parquet.rows import write_rows
from webstrata.store.text import COLUMNS, TEXT, write_text
from webstrata.store.urls import write_urls
from webstrata.web.row_key import row_key
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Says(NamedTuple):
    """A page: title, text, where main content is, what links call it."""

    title: str = ""
    text: str = ""
    main: tuple[int, ...] = ()
    anchors: tuple[str, ...] = ()
    language: str | None = "en"


Month = "Mapping[str, Says]"


def add_text(collection: ws.Collection, label: str, pages: Mapping[str, Says]) -> ws.Snapshot:
    """A snapshot with `urls`, `text` and `anchors` of pages by their URLs."""
    snapshot = collection.add(label)
    ordered = sorted((row_key(url).encode(), says) for url, says in pages.items())
    keys = [key.decode() for key, _ in ordered]
    with snapshot.write_part("urls") as build:
        none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
        write_urls(build.path, pa.array(keys, pa.large_string()), none)
    rows, columns, anchors = [], [], []
    for node, (_, says) in enumerate(ordered):
        words, simhash = load_core().simhash(says.text)
        rows.append({"title": says.title, "headings": [], "text": says.text, "main": list(says.main)})
        columns.append({"words": words, "language": says.language, "charset": "UTF-8", "simhash": simhash})
        anchors += [{"target": node, "source": node + 1, "rel": 0, "text": text} for text in says.anchors]
    with snapshot.write_part("text") as build:
        batches = [
            pa.RecordBatch.from_pylist(rows[start : start + 64], schema=TEXT)
            for start in range(0, len(rows), 64)
        ]
        write_text(build.path, batches, pa.Table.from_pylist(columns, schema=COLUMNS))
    with snapshot.write_part("anchors", inputs=("urls",)) as build:
        write_rows(build.path / "anchors.parquet", ANCHORS, [pa.Table.from_pylist(anchors, schema=ANCHORS)])
    return snapshot


SEA = "The sea has tropical fish and cold fish. "
MONTHS: dict[str, dict[str, Says]] = {
    "2026-05": {
        "http://fish.example/": Says("Fish", "Tropical fish swim in warm water."),
        "http://fish.example/chips": Says("Fish and chips", "A dish of fried fish with chips."),
        "http://www.sea.example/": Says("The sea", SEA * 3, anchors=("an ocean",)),
        "http://cats.example/": Says("Cats", "Cats like fish.", language="de"),
    },
    "2026-06": {
        "http://fish.example/": Says("Fish", "Tropical fish swim in warm water."),
        "http://fish.example/chips": Says("Fish and chips", "A dish of fried fish with mushy peas."),
        "http://www.sea.example/": Says("The sea", SEA * 3, anchors=("an ocean", "waves")),
        "http://www.sea.example/copy": Says("The sea", SEA * 3),
    },
    "2026-07": {
        "http://fish.example/": Says("Fish", "Tropical fish swim in warm water."),
        "http://fish.example/chips": Says("Fish and chips", "A dish of fried fish with chips."),
        "http://new.example/": Says("New", "Menu\nTropical storms are here.\nfish", main=(5, 31)),
    },
}


def make_small(folder: Path, months: Mapping[str, Mapping[str, Says]] = MONTHS) -> ws.Collection:
    """A collection with these months; not indexed yet."""
    collection = ws.create(folder)
    for label, pages in months.items():
        add_text(collection, label, pages)
    return collection
