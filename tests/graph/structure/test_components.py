"""Components and the bow tie, against NetworkX and the published components of cnr-2000."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata._core import graph as core
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, FormatError
from webstrata.graph import Graph, list_source
from webstrata.graph.structure import (
    bow_tie,
    distances,
    reachable,
    strong_components,
    weak_components,
)

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection.progress import Task

arcs = st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=60)


def to_networkx(graph: Graph) -> nx.DiGraph:
    found = nx.DiGraph()
    found.add_nodes_from(range(graph.num_nodes))
    for node in range(graph.num_nodes):
        found.add_edges_from((node, int(target)) for target in graph.successors(node))
    return found


@settings(max_examples=40)
@given(arcs=arcs)
def test_components_are_those_of_networkx(arcs: list[tuple[int, int]]) -> None:
    graph = Graph.from_arcs(arcs, num_nodes=25)
    theirs = to_networkx(graph)
    for ours, parts in (
        (strong_components(graph), nx.strongly_connected_components(theirs)),
        (weak_components(graph), nx.weakly_connected_components(theirs)),
    ):
        wanted = sorted(map(sorted, parts), key=lambda part: (-len(part), part[0]))
        found = [np.flatnonzero(ours.of_node == number).tolist() for number in range(len(ours))]
        assert found == wanted
        assert ours.sizes.tolist() == [len(part) for part in wanted]


@settings(max_examples=40)
@given(arcs=arcs)
def test_the_bow_tie_is_what_its_definition_says(arcs: list[tuple[int, int]]) -> None:
    graph = Graph.from_arcs(arcs, num_nodes=25)
    theirs = to_networkx(graph)
    strong = strong_components(graph)
    core = set(np.flatnonzero(strong.of_node == 0).tolist())
    one = min(core)
    outward = nx.descendants(theirs, one) - core
    inward = nx.ancestors(theirs, one) - core
    rest = theirs.subgraph(set(theirs) - core)
    connected = next(part for part in nx.weakly_connected_components(theirs) if one in part)
    other = connected - core - inward - outward
    tubes = {
        node for node in other if nx.ancestors(rest, node) & inward and nx.descendants(rest, node) & outward
    }
    found = bow_tie(graph, graph.transpose())
    assert (found.core, found.inward, found.outward) == (len(core), len(inward), len(outward))
    assert (found.tubes, found.tendrils) == (len(tubes), len(other - tubes))
    assert found.disconnected == 25 - len(connected)


@settings(max_examples=40)
@given(arcs=arcs, start=st.sets(st.integers(0, 24), min_size=1, max_size=3))
def test_distances_are_those_from_the_nearest_start(arcs: list[tuple[int, int]], start: set[int]) -> None:
    graph = Graph.from_arcs(arcs, num_nodes=25)
    theirs = nx.multi_source_dijkstra_path_length(to_networkx(graph), start)
    found = distances(graph, sorted(start))
    assert {node: int(found[node]) for node in np.flatnonzero(found >= 0)} == theirs
    assert (reachable(graph, sorted(start)) == (found >= 0)).all()


def test_the_published_components_of_cnr_2000_are_found(test_data: Path) -> None:
    base = test_data / "graph" / "cnr-2000"
    published = np.fromfile(f"{base}.scc", dtype=">u4")
    sizes = np.fromfile(f"{base}.sccsizes", dtype=">u4")
    found = strong_components(Graph.open(base))
    assert len(found) == len(sizes)
    assert found.sizes.tolist() == sorted(sizes.tolist(), reverse=True)
    # the same division: as many pairs of names as there are components
    pairs = np.unique(found.of_node.astype(np.uint64) << np.uint64(32) | published.astype(np.uint64))
    assert len(pairs) == len(sizes)
    assert (found.sizes[found.of_node] == sizes[published]).all()


def test_large_graphs_stay_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arcs = np.random.default_rng(5).integers(3000, size=(4000, 2))
    graph = Graph.from_arcs(arcs, num_nodes=3000).write(tmp_path / "uk")
    wanted = strong_components(graph)
    monkeypatch.setattr(list_source, "ROWS", 0)
    assert isinstance(list_source.select_source(graph), core.BvGraph)
    found = strong_components(graph)
    np.testing.assert_array_equal(found.of_node, wanted.of_node)
    # damage that is met on the way is said
    data = (tmp_path / "uk.graph").read_bytes()
    (tmp_path / "uk.graph").write_bytes(data[:1000] + bytes(len(data) - 1000))
    with pytest.raises(FormatError, match=r"uk\.graph, node \d+ at bit"):
        strong_components(Graph.open(tmp_path / "uk", mapped=False))


def test_a_graph_without_nodes_has_no_components() -> None:
    empty = Graph.from_arcs([])
    assert len(strong_components(empty)) == len(weak_components(empty)) == 0
    assert bow_tie(empty, empty).core == 0


def test_visits_can_be_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    graph = Graph.from_arcs([(0, 1)])
    for work in (
        lambda: distances(graph, [0], progress=progress),
        lambda: weak_components(graph, progress=progress),
    ):
        with pytest.raises(Cancelled):
            work()


def test_strong_components_can_be_cancelled() -> None:
    class Cancelling(Progress):
        def opened(self, task: Task) -> None:
            if task.title == "strong components":
                self.cancel()

    arcs = np.random.default_rng(1).integers(300_000, size=(2_000_000, 2))
    with pytest.raises(Cancelled):
        strong_components(Graph.from_arcs(arcs), progress=Cancelling())
