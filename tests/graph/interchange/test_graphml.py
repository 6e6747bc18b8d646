"""GraphML as it is written."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING

from webstrata.collection.progress import Progress
from webstrata.graph import Graph
from webstrata.graph.interchange.graphml import write_graphml

if TYPE_CHECKING:
    from pathlib import Path


def test_a_graph_without_arcs_is_written_too(tmp_path: Path) -> None:
    with Progress().task("writing") as task:
        write_graphml(Graph.from_arcs([], num_nodes=2), tmp_path / "g.graphml", task)
    root = ElementTree.fromstring((tmp_path / "g.graphml").read_text())
    assert [node.get("id") for node in root.iter("{http://graphml.graphdrawing.org/xmlns}node")] == [
        "n0",
        "n1",
    ]
