"""Collections with months, as a test says or as a perfect crawl of an in-vitro web would leave them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import webstrata as ws
from webstrata.graph import Graph
from webstrata.store.pages import write_pages
from webstrata.store.urls import write_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from webstrata.invitro import Web

Months = dict[str, "tuple[list[str], list[tuple[int, int]]]"]


def add_month(
    collection: ws.Collection,
    label: str,
    keys: Sequence[str],
    arcs: Iterable[tuple[int, int]] | np.ndarray,
    *,
    contents: Sequence[int] | None = None,
    duplicates: dict[str, int] | None = None,
) -> ws.Snapshot:
    """A snapshot with `urls` and `graph`, and with `pages` where it is told what they show."""
    assert list(keys) == sorted(keys, key=str.encode)
    snapshot = collection.add(label)
    others = dict(sorted((duplicates or {}).items()))
    with snapshot.write_part("urls") as build:
        table = pa.table({
            "row_key": pa.array(list(others), pa.string()),
            "node": pa.array(list(others.values()), pa.uint32()),
            "reason": pa.array(["duplicate"] * len(others), pa.string()),
        })  # fmt: skip
        write_urls(build.path, pa.array(list(keys), pa.large_string()), table)
    if contents is not None:
        prints = pa.array(list(contents), pa.uint64())
        with snapshot.write_part("pages") as build:
            columns = {"fingerprint": prints, "content_digest": pa.array([""] * len(keys))}
            write_pages(build.path / "pages.parquet", pa.table(columns))
    pairs = np.array(list(arcs) if not isinstance(arcs, np.ndarray) else arcs, np.int64).reshape(-1, 2)
    with snapshot.write_part("graph", inputs=("urls",)) as build:
        graph = Graph.from_arcs(pairs, num_nodes=len(keys))
        forward = graph.write(build.path / "forward")
        graph.transpose().write(build.path / "transpose")
        bits = 8 * (build.path / "forward.graph").stat().st_size
        build.count(nodes=forward.num_nodes, arcs=forward.num_arcs, bits=bits)
    return snapshot


def make_months(folder: Path, months: Months) -> ws.Collection:
    """A collection with these months: row keys and arcs of each."""
    collection = ws.create(folder)
    for label, (keys, arcs) in months.items():
        add_month(collection, label, keys, arcs)
    return collection


def crawl_perfectly(folder: Path, web: Web, months: int) -> ws.Collection:
    """What a perfect crawl of the first months of a web would leave, by the truth."""
    from webstrata.web.row_key import row_keys

    collection = ws.create(folder)
    for month in range(months):
        truth = web.graph(month, view="collection")
        keys = row_keys(truth.urls)
        sources = np.repeat(np.arange(truth.num_nodes), np.diff(truth.offsets).astype(np.int64))
        add_month(
            collection,
            f"2026-{month + 1:02}",
            keys,
            np.stack([sources, truth.targets.astype(np.int64)], axis=1),
            contents=[int(content) for content in truth.contents],
        )
    return collection
