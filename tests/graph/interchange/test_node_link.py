"""NetworkX reads what is written for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import networkx
import numpy as np

from webstrata.cli import run
from webstrata.graph import Graph
from webstrata.graph.interchange import convert, node_link

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_networkx_finds_the_same_graph_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_link, "_BLOCK", 7)
    graph = Graph.from_arcs(np.random.default_rng(1).integers(30, size=(80, 2)), num_nodes=40)
    graph.write(tmp_path / "uk")
    assert (
        run(
            [
                "graph",
                "convert",
                str(tmp_path / "uk"),
                "--output",
                str(tmp_path / "uk.json"),
                "--format",
                "networkx",
            ]
        )
        == 0
    )
    names = [f'"{node}' for node in range(40)]
    convert(graph, tmp_path / "named.json", "networkx", names=names)
    for file in ("uk.json", "named.json"):
        found = networkx.node_link_graph(json.loads((tmp_path / file).read_text()), edges="edges")
        assert found.is_directed()
        assert list(found) == list(range(40))
        assert sorted(found.edges) == sorted(graph.to_networkx().edges)
    assert [name for _, name in found.nodes.data("name")] == names
    convert(Graph.from_arcs([]), tmp_path / "empty.json", "networkx")
    assert json.loads((tmp_path / "empty.json").read_text())["edges"] == []
