"""BVGraph files by their basename."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.graph import Graph
from webstrata.graph.files import measure_files, open_with_transpose
from webstrata.graph.interchange import convert

if TYPE_CHECKING:
    from pathlib import Path

ARCS = [(0, 1), (1, 2), (2, 0), (2, 1)]


def test_a_transpose_is_opened_with_its_graph(tmp_path: Path) -> None:
    graph = Graph.from_arcs(ARCS)
    convert(graph, tmp_path / "uk", "bvgraph")
    convert(graph.transpose(), tmp_path / "uk-t", "bvgraph")
    found, transpose = open_with_transpose(tmp_path / "uk")
    assert transpose is not None
    assert list(found.successors(2)) == [0, 1]
    assert list(transpose.successors(1)) == [0, 2]


def test_a_graph_of_another_size_is_not_taken_for_the_transpose(tmp_path: Path) -> None:
    convert(Graph.from_arcs(ARCS), tmp_path / "uk", "bvgraph")
    convert(Graph.from_arcs(ARCS[:2]), tmp_path / "uk-t", "bvgraph")
    assert open_with_transpose(tmp_path / "uk")[1] is None


def test_bits_per_link_are_those_of_the_file(tmp_path: Path) -> None:
    convert(Graph.from_arcs(ARCS), tmp_path / "uk", "bvgraph")
    found = measure_files(tmp_path / "uk", Graph.open(str(tmp_path / "uk")))
    size = (tmp_path / "uk.graph").stat().st_size
    assert 0 < found["graph_bits"] <= 8 * size
    assert found["bits_per_link"] == found["graph_bits"] / 4
