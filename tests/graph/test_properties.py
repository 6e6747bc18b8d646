"""Properties that belong to another graph."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from webstrata.cli import run
from webstrata.errors import FormatError
from webstrata.graph import Graph
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.check import check_graph
from webstrata.graph.properties import find_contradiction, read_properties

if TYPE_CHECKING:
    from pathlib import Path


def test_those_of_the_transpose_are_refused(
    tmp_path: Path, test_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # as many nodes and arcs, the same codes: only the statistics tell
    for name in ("graph", "offsets"):
        shutil.copyfile(test_data / "graph" / f"cnr-2000.{name}", tmp_path / f"cnr.{name}")
    shutil.copyfile(test_data / "graph" / "cnr-2000-t.properties", tmp_path / "cnr.properties")
    with pytest.raises(
        FormatError, match=r"says that bitsperlink is 2\.343, and it is 2\.897; it belongs to another"
    ):
        Graph.open(tmp_path / "cnr")
    assert any("belongs to another graph" in sentence for sentence in check_graph(tmp_path / "cnr").damage)
    assert run(["graph", "links", str(tmp_path / "cnr"), "0"]) == 2
    assert "cnr.properties: it says that bitsperlink is" in capsys.readouterr().err


def test_what_is_rounded_or_not_said_is_no_contradiction(tmp_path: Path) -> None:
    Graph.from_arcs([(node, node * 7 % 50) for node in range(50)]).write(tmp_path / "uk")
    pairs = read_properties(tmp_path / "uk.properties")
    [end] = BVGraph(tmp_path / "uk").places(50, 50).tolist()
    assert find_contradiction(pairs, 50, 50, end) == ""
    for kept in (pairs, {}, {"bitsperlink": "much"}, {"bitsperlink": f"{end / 50:.1f}"}):
        assert find_contradiction(kept, 50, 50, end) == ""
    assert find_contradiction(pairs, 0, 0, 0).startswith("it says that length is")
    assert find_contradiction({"length": str(end + 1)}, 50, 50, end) != ""
