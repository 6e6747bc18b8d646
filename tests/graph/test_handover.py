"""Graphs in the hands of others have the same arcs, and come back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from webstrata.errors import MissingExtraError
from webstrata.graph import Graph, handover

if TYPE_CHECKING:
    from pathlib import Path

ARCS = sorted({(source, target) for source in range(40) for target in range(source % 5, 50, 7)} | {(48, 0)})


@pytest.fixture(params=["in memory", "compressed"])
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Graph:
    graph = Graph.from_arcs(ARCS, num_nodes=51)
    return graph if request.param == "in memory" else graph.write(tmp_path / "g")


def rows(graph: Graph) -> list[list[int]]:
    return [array.tolist() for array in graph.rows()]


def test_every_library_gives_back_what_it_was_given(graph: Graph) -> None:
    for name in ("scipy", "networkx", "igraph", "networkit"):
        there = getattr(graph, f"to_{name}")()
        back = getattr(handover, f"from_{name}")(there)
        assert rows(back) == rows(graph), name
    table = graph.to_arrow()
    assert list(zip(*table.to_pydict().values(), strict=True)) == ARCS


@pytest.mark.peer
def test_others_see_the_same_graph(graph: Graph) -> None:
    matrix = graph.to_scipy()
    assert matrix.shape == (51, 51)
    assert sorted(zip(*(place.tolist() for place in matrix.nonzero()), strict=True)) == ARCS
    assert sorted(graph.to_networkx().edges) == ARCS
    assert sorted(graph.to_igraph().get_edgelist()) == ARCS
    assert sorted(graph.to_networkit().iterEdges()) == ARCS
    assert graph.to_igraph().is_directed()
    assert graph.to_networkit().isDirected()


def test_the_targets_of_a_graph_in_memory_are_the_indices_of_its_matrix() -> None:
    graph = Graph.from_arcs(ARCS)
    assert np.shares_memory(graph.rows()[1], graph.to_scipy().indices)
    assert graph.to_scipy(np.int8).dtype == np.int8


def test_weights_go_along() -> None:
    graph = Graph.from_arcs([(0, 1), (0, 2), (2, 1)])
    graph.weights = np.array([5, 7, 9], dtype=np.uint64)
    assert graph.to_scipy().toarray().tolist() == [[0, 5, 7], [0, 0, 0], [0, 9, 0]]
    assert graph.to_arrow()["weight"].to_pylist() == [5, 7, 9]
    assert sorted(graph.to_networkx().edges(data="weight")) == [(0, 1, 5), (0, 2, 7), (2, 1, 9)]
    assert graph.to_igraph().es["weight"] == [5, 7, 9]
    assert sorted(graph.to_networkit().iterEdgesWeights()) == [(0, 1, 5.0), (0, 2, 7.0), (2, 1, 9.0)]


def test_matrices_of_any_form_are_taken() -> None:
    from scipy.sparse import coo_array, csr_array

    double = coo_array(([1, 1, 0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert rows(handover.from_scipy(double)) == [[0, 1, 1], [1]]
    unsorted = csr_array((np.ones(2), np.array([1, 0]), np.array([0, 2, 2])), shape=(2, 2))
    assert rows(handover.from_scipy(unsorted)) == [[0, 2, 2], [0, 1]]
    assert unsorted.indices.tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"as many rows as columns, got \(2, 3\)"):
        handover.from_scipy(coo_array((2, 3)))


def test_names_become_numbers_and_edges_two_arcs() -> None:
    import networkx

    named = networkx.Graph([("b", "a"), ("a", "c")])
    assert rows(handover.from_networkx(named)) == [[0, 1, 3, 4], [1, 0, 2, 1]]
    shuffled = networkx.DiGraph([(2, 0), (1, 2)])
    assert rows(handover.from_networkx(shuffled)) == [[0, 0, 1, 2], [2, 0]]


@pytest.mark.parametrize("name", ["networkx", "igraph", "networkit"])
def test_a_library_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    hand_over: Any = getattr(Graph.from_arcs([(0, 1)]), f"to_{name}")
    with pytest.raises(MissingExtraError, match=f"{name}, which is not installed; `pip install {name}`"):
        hand_over()


def test_a_graph_without_nodes_can_be_handed_over() -> None:
    empty = Graph.from_arcs([], num_nodes=0)
    assert empty.to_scipy().shape == (0, 0)
    assert empty.to_networkx().number_of_nodes() == empty.to_igraph().vcount() == 0
    assert empty.to_networkit().numberOfNodes() == 0
