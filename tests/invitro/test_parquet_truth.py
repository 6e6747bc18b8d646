"""The truth on disk is the truth in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

import webstrata as ws
from webstrata.invitro.truth import build_truth
from webstrata.invitro.web import Web

if TYPE_CHECKING:
    from pathlib import Path


def test_the_written_truth_is_the_graph_of_the_month(tmp_path: Path) -> None:
    web = Web("tiny", seed=5)
    snapshot = ws.create(tmp_path / "uk").add("2026-02")
    build_truth(snapshot, web, 1)
    served, collection = web.graph(1), web.graph(1, view="collection")
    with snapshot.open_part("truth") as part:
        nodes = pq.read_table(part.path / "nodes.parquet")
        arcs = pq.read_table(part.path / "arcs.parquet")
        resolved = pq.read_table(part.path / "collection.parquet")
        events = pq.read_table(part.path / "events.parquet").to_pylist()
        for true in (served, collection):
            offsets, targets = ws.Graph.open(part.path / true.view).rows()
            assert np.array_equal(offsets, true.offsets)
            assert np.array_equal(targets, true.targets)
    assert nodes["url"].to_pylist() == list(served.urls)
    assert np.array_equal(arcs["target"].to_numpy(), served.targets)
    assert np.array_equal(np.bincount(arcs["source"], minlength=served.num_nodes), np.diff(served.offsets))
    assert resolved.num_rows == collection.num_arcs
    assert nodes["page"].to_pylist() == served.pages.tolist()
    assert nodes["place"].to_pylist() == served.places.tolist()
    assert [event["name"] for event in events] == [event.name for event in web.events(1)]
