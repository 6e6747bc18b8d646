"""Edge lists of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.graph.interchange.edges import open_edges

if TYPE_CHECKING:
    from pathlib import Path


def test_the_comment_of_snap_says_how_many_nodes(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("# Directed graph\n# Nodes: 7 Edges: 1\n# FromNodeId\tToNodeId\n0\t3\n")
    stream = open_edges(tmp_path / "g.txt")
    assert stream.num_nodes == 7
    assert [targets.tolist() for _, targets in stream.blocks] == [[3]]


def test_weights_are_passed_over_and_nothing_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("0,3,0.5\n1,0,2\n")
    blocks = list(open_edges(tmp_path / "g.csv").blocks)
    assert [target for _, targets in blocks for target in targets.tolist()] == [3, 0]
    (tmp_path / "g.txt").write_text("# nothing\n")
    assert list(open_edges(tmp_path / "g.txt").blocks) == []
