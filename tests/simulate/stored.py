"""A small snapshot with links and their texts, addresses that are no pages, and summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

import webstrata as ws
from tests.temporal.months import add_month
from webstrata.store.links import LINKS, write_links
from webstrata.store.text import BATCH, COLUMNS, TEXT, write_text
from webstrata.store.urls import write_urls
from webstrata.summaries.build import build_summaries
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ["org,a)/", "org,a)/cats", "org,a)/fish", "org,a)/reef", "org,b)/"]
TEXTS = [
    "Welcome. Much is said here about the fish: read on. Then some more, of which nobody knows what it is "
    "and which goes on for long enough that nobody can say any more what stood before it: cats. More.",
    "Cats sleep.",
    "A fish swims.",
    "Fish of the reef.",
    "Others.",
]
# the second one leads to what stands for /reef, the fourth to an error, the last to what nobody captured
LINK_LIST = [
    (0, "org,a)/cats", "cats"),
    (0, "org,a)/old", "read on"),
    (0, "org,a)/fish", "the fish"),
    (0, "org,a)/gone", "a fish"),
    (0, "org,b)/", "Others"),
    (1, "org,c)/", "fish"),
]


def store(folder: Path) -> ws.Snapshot:
    """The snapshot."""
    arcs = [(0, 1), (0, 3), (0, 2), (0, 4)]
    snapshot = add_month(ws.create(folder), "2026-06", KEYS, arcs, duplicates={"org,a)/old": 3})
    others = pa.table({
        "row_key": pa.array(["org,a)/gone", "org,a)/old"], pa.string()),
        "node": pa.array([None, 3], pa.uint32()),
        "reason": pa.array(["no page", "redirect"], pa.string()),
    })  # fmt: skip
    with snapshot.write_part("urls") as build:
        write_urls(build.path, pa.array(KEYS, pa.large_string()), others)
    targets = sorted({key for _, key, _ in LINK_LIST})
    rows = {
        "source": [source for source, _, _ in LINK_LIST],
        "target": [targets.index(key) for _, key, _ in LINK_LIST],
        "kind": ["anchor"] * len(LINK_LIST),
        "rel": [0] * len(LINK_LIST),
        "anchor": [anchor for _, _, anchor in LINK_LIST],
    }
    with snapshot.write_part("links") as build:
        write_links(build.path, pa.array(targets, pa.large_string()), [pa.table(rows, schema=LINKS)])
    texts = [{"title": "", "headings": [], "text": text, "main": []} for text in TEXTS]
    columns = {"words": [0] * 5, "language": [None] * 5, "charset": ["UTF-8"] * 5, "simhash": [0] * 5}
    assert len(texts) <= BATCH
    with snapshot.write_part("text") as build:
        write_text(
            build.path, [pa.RecordBatch.from_pylist(texts, schema=TEXT)], pa.table(columns, schema=COLUMNS)
        )
    build_summaries(snapshot, SummariesSettings(min_df=1), workers=1)
    return snapshot
