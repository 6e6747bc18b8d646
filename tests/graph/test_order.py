"""Orders are permutations, and the graph is the same in every order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled
from webstrata.graph import Graph, list_source
from webstrata.graph.order import (
    invert,
    order_by_labels,
    order_by_visit,
    permute,
    symmetrize,
    write_permuted,
)

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection.progress import Task

arcs = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=40)


def pairs(graph: Graph) -> set[tuple[int, int]]:
    return {(node, int(target)) for node in range(graph.num_nodes) for target in graph.successors(node)}


@given(arcs=arcs)
def test_nodes_are_visited_breadth_first(arcs: list[tuple[int, int]]) -> None:
    graph = Graph.from_arcs(arcs, num_nodes=15)
    seen: list[int] = []
    for root in range(15):
        front = [root] if root not in seen else []
        while front:
            seen += front
            following = [int(target) for node in front for target in graph.successors(node)]
            front = [node for node in dict.fromkeys(following) if node not in seen]
    assert invert(order_by_visit(graph)).tolist() == seen


@given(arcs=arcs, order=st.permutations(range(15)))
def test_a_permuted_graph_has_the_same_arcs(arcs: list[tuple[int, int]], order: list[int]) -> None:
    graph = Graph.from_arcs(arcs, num_nodes=15)
    found = permute(graph, order)
    assert pairs(found) == {(order[u], order[v]) for u, v in pairs(graph)}
    assert pairs(permute(found, invert(np.array(order, np.uint32)))) == pairs(graph)
    both = symmetrize(graph)
    assert pairs(both) == {pair for u, v in pairs(graph) if u != v for pair in ((u, v), (v, u))}


def test_large_graphs_are_ordered_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arcs = np.random.default_rng(4).integers(500, size=(2000, 2))
    graph = Graph.from_arcs(arcs, num_nodes=500).write(tmp_path / "uk")
    wanted = order_by_visit(graph)
    monkeypatch.setattr(list_source, "ROWS", 0)
    np.testing.assert_array_equal(order_by_visit(graph), wanted)
    assert sorted(order_by_labels(graph, gammas=[1.0, 0.0]).tolist()) == list(range(500))
    write_permuted(graph, wanted, tmp_path / "bfs", transpose=tmp_path / "bfs-t")
    in_memory = permute(graph, wanted)
    assert pairs(Graph.open(tmp_path / "bfs")) == pairs(in_memory)
    assert pairs(Graph.open(tmp_path / "bfs-t")) == pairs(in_memory.transpose())


def test_label_propagation_finds_what_was_mixed_up() -> None:
    # 30 cliques of 8, numbered at random: neighbours come to stand side by side
    rng = np.random.default_rng(2)
    places = rng.permutation(240)
    cliques = nx.disjoint_union_all([nx.complete_graph(8, nx.DiGraph) for _ in range(30)])
    graph = Graph.from_arcs(places[np.array(cliques.edges)])
    order = order_by_labels(graph, gammas=[1.0, 0.25, 0.0])
    assert sorted(order.tolist()) == list(range(240))
    spans = [np.ptp(order[places[8 * clique : 8 * clique + 8]]) for clique in range(30)]
    assert np.median(spans) == 7


def test_what_is_no_permutation_is_refused() -> None:
    graph = Graph.from_arcs([(0, 1)])
    for wrong in ([0, 0], [0], [0, 2]):
        with pytest.raises(ValueError, match="permutation"):
            permute(graph, wrong)
    assert order_by_labels(Graph.from_arcs([])).tolist() == order_by_visit(Graph.from_arcs([])).tolist() == []


def test_label_propagation_can_be_cancelled() -> None:
    class Cancelling(Progress):
        def opened(self, task: Task) -> None:
            if task.title == "label propagation":
                self.cancel()

    arcs = np.random.default_rng(1).integers(20_000, size=(200_000, 2))
    with pytest.raises(Cancelled):
        order_by_labels(Graph.from_arcs(arcs), progress=Cancelling())
