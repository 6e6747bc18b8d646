"""Small graphs, and a collection of three months with graphs of pages, hosts and domains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

import webstrata as ws
from webstrata.graph import Graph
from webstrata.graph.hosts import build_named
from webstrata.store.urls import write_urls
from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

HOSTS = [f"{name}.example.{end}" for name in ("a", "b", "c", "d", "e") for end in ("org", "uk")]
LABELS = ("2026-01", "2026-02", "2026-03")


graphs = st.integers(1, 20).flatmap(
    lambda n: st.lists(st.sets(st.integers(0, n - 1)), min_size=n, max_size=n)
)
"""Lists of successors."""


def to_graph(lists: Sequence[Collection[int]]) -> Graph:
    """The graph with these successors."""
    arcs = [(node, target) for node, row in enumerate(lists) for target in row]
    return Graph.from_arcs(arcs, num_nodes=len(lists))


def make_months(folder: Path, *, pages: int = 12) -> ws.Collection:
    """Ten hosts of some pages each; every month has two pages more a host, and other links."""
    collection = ws.create(folder / "uk")
    for month, label in enumerate(LABELS):
        urls = [f"http://{host}/{page}" for host in HOSTS for page in range(pages + 2 * month)]
        rng = np.random.default_rng(month // 2)
        size = len(urls)
        arcs = np.c_[rng.integers(size, size=6 * size), (size * rng.random(6 * size) ** 3).astype(int)]
        add_snapshot(collection, label, urls, arcs[arcs[:, 0] % 7 > 0])
    return collection


def add_snapshot(
    collection: ws.Collection,
    label: str,
    urls: list[str],
    arcs: np.ndarray[tuple[int, int], np.dtype[np.int64]],
) -> ws.Snapshot:
    """A snapshot with these pages; arcs are between places of the list, which need not be in order."""
    keys = [row_key(url) for url in urls]
    order = sorted(range(len(keys)), key=lambda place: keys[place].encode())
    nodes = np.empty(len(keys), np.int64)
    nodes[order] = np.arange(len(keys))
    column = pa.array([keys[place] for place in order], pa.large_string())
    snapshot = collection.add(label)
    none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    with snapshot.write_part("urls") as build:
        write_urls(build.path, column, none)
    graph = Graph.from_arcs(nodes[arcs] if len(arcs) else [], num_nodes=len(keys))
    with snapshot.write_part("graph", inputs=("urls",)) as build:
        graph.write(build.path / "forward")
        graph.transpose().write(build.path / "transpose")
        if len(keys):
            build_named(build.path, graph, [column])
        build.count(nodes=graph.num_nodes, arcs=graph.num_arcs)
    return snapshot
