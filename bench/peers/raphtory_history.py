"""Raphtory's side of `bench.temporal`: histories in memory; runs in the interpreter of the peers."""

from __future__ import annotations

import gc
import os
import random
import time
from functools import cache
from pathlib import Path
from typing import Any

MONTHS = 12
MONTH = 6
"""The one that is read."""


def draw_nodes(num_nodes: int) -> list[int]:
    """The nodes that are asked for."""
    return random.Random(1).choices(range(num_nodes), k=2000)


def _resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@cache
def _load(place: str) -> tuple[Any, int, int, int]:
    """The graph, link instances, nodes, and the bytes by which the process grew."""
    import numpy as np
    import pandas as pd  # type: ignore[import-untyped]
    import pyarrow.parquet as pq
    import raphtory  # type: ignore[import-not-found]

    arcs = pq.read_table(Path(place) / "arcs.parquet")
    source, target, label = (arcs[name].to_numpy() for name in ("source", "target", "label"))
    num_nodes = pq.read_metadata(Path(place) / "nodes.parquet").num_rows
    graph, instances, before = raphtory.Graph(), 0, _resident()
    for month in range(MONTHS):
        kept = (label >> month & 1).astype(bool)
        columns = {"time": np.full(kept.sum(), month, np.int64), "src": source[kept], "dst": target[kept]}
        instances += int(kept.sum())
        graph.load_edges(pd.DataFrame(columns), time="time", src="src", dst="dst")
    del columns, kept
    return graph, instances, num_nodes, _resident() - before


def size(place: str) -> float:
    """What it takes in memory, in bits per link instance."""
    _, instances, _, grown = _load(place)
    return 8 * grown / instances


def at(place: str) -> dict[str, Any]:
    """Successors of random nodes at one month, node by node: it has no call for many."""
    graph, _, num_nodes, _ = _load(place)
    view, nodes = graph.at(MONTH), draw_nodes(num_nodes)
    arcs, start = 0, time.process_time()
    for number in nodes:
        node = view.node(number)
        arcs += 0 if node is None else len(node.out_neighbours.id.collect())
    return {"value": (time.process_time() - start) * 1e9 / arcs, "arcs": arcs}
