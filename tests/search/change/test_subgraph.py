"""The arcs among candidates at two times, against the labels of the union."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.search.change.subgraph import ChangedGraph, induce
from webstrata.temporal.labels import label_arcs
from webstrata.temporal.views import TemporalGraph

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 8
nodes = st.integers(0, SIZE - 1)


@given(
    st.dictionaries(st.tuples(nodes, nodes), st.integers(1, 7), min_size=1),
    st.lists(nodes, unique=True, max_size=SIZE),
)
def test_the_subgraph_has_the_arcs_of_both_snapshots(
    tmp_path: Path, labels: dict[tuple[int, int], int], chosen: list[int]
) -> None:
    arcs = sorted((*pair, label) for pair, label in ({(0, SIZE - 1): 1} | labels).items())
    months = ["2026-01", "2026-02", "2026-03"]
    union = TemporalGraph(label_arcs(tmp_path / "union", arcs, snapshots=months))
    wanted = np.array([*chosen, -1], np.int64)
    found = induce(union, wanted, "2026-01", "2026-03")
    for bit, own in zip((0, 2), found, strict=True):
        assert [tuple(arc) for arc in own.tolist()] == sorted(
            (chosen.index(source), chosen.index(target))
            for source, target, label in arcs
            if label >> bit & 1 and source in chosen and target in chosen
        )
    graph = ChangedGraph([f"http://{node}/" for node in range(len(chosen) + 1)], *found)
    before, after = ({tuple(arc) for arc in own.tolist()} for own in found)
    assert {tuple(arc) for arc in graph.gained.tolist()} == after - before
    assert {tuple(arc) for arc in graph.lost.tolist()} == before - after
    assert graph.before.num_arcs == len(before)
    assert graph.to_networkx().number_of_edges() == len(before | after) == len(graph.to_arrow())
    assert graph.top(2).after.num_arcs == sum(max(arc) < 2 for arc in after)
