"""Graphs written from streams of arcs, and their transposes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.graph import reference
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled
from webstrata.graph import Graph
from webstrata.graph.arcs import build_bvgraph, iter_arcs, write_transpose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

NODES = 50_000


def blocks(seed: int = 1) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        sources = rng.integers(0, NODES, 60_000, dtype=np.uint32)
        yield sources, ((sources + rng.integers(0, 90, 60_000)) % NODES).astype(np.uint32)


def test_a_stream_gives_the_graph_of_its_arcs_and_its_transpose(tmp_path: Path) -> None:
    # 240,000 arcs of 16 bytes in a quarter of the least memory
    size = build_bvgraph(
        blocks(), tmp_path / "g", num_nodes=NODES, transpose=tmp_path / "t", memory=16 << 20, workers=5
    )
    sources, targets = (np.concatenate(column) for column in zip(*blocks(), strict=True))
    wanted = Graph.from_arcs(np.stack([sources, targets], axis=1), num_nodes=NODES)
    graph, turned = Graph.open(tmp_path / "g"), Graph.open(tmp_path / "t")
    assert size.num_arcs == graph.num_arcs == turned.num_arcs == wanted.num_arcs
    for one, other in ((graph, wanted), (turned, wanted.transpose())):
        assert reference.are_equal(one.rows(), other.rows())
    write_transpose(graph, tmp_path / "again", workers=1)
    for extension in ("graph", "offsets", "ef", "properties"):
        assert (tmp_path / f"again.{extension}").read_bytes() == (tmp_path / f"t.{extension}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 12
    pairs = [np.stack(block, axis=1) for block in iter_arcs(graph, 7_000)]
    assert Graph.from_arcs(np.concatenate(pairs), num_nodes=NODES).num_arcs == wanted.num_arcs


def test_nodes_are_counted_where_nobody_says_how_many(tmp_path: Path) -> None:
    assert build_bvgraph([(np.array([3]), np.array([9]))], tmp_path / "g").num_nodes == 10
    assert build_bvgraph([], tmp_path / "none").num_nodes == 0
    assert Graph.open(tmp_path / "none").num_arcs == 0


def test_what_is_cancelled_leaves_the_graph_that_was_there(tmp_path: Path) -> None:
    build_bvgraph([(np.array([3]), np.array([9]))], tmp_path / "g")
    progress = Progress()

    def some() -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
        yield from blocks()
        progress.cancel()

    with pytest.raises(Cancelled):
        build_bvgraph(some(), tmp_path / "g", progress=progress)
    assert len(list(tmp_path.iterdir())) == 4
    assert Graph.open(tmp_path / "g").successors(3).tolist() == [9]
