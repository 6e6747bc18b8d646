"""WebGraph before files of ours and we before its: the Java classes, and the tools of the crate."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.conftest import ROOT
from webstrata.graph import BVGraph, Graph, compress
from webstrata.graph.check import check_graph
from webstrata.graph.settings import GraphSettings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer

JARS = ROOT / ".peers" / "webgraph"
TOOLS = ROOT / ".peers" / "bin" / "webgraph"
SETTINGS = {
    "defaults": GraphSettings(),
    "small pieces": GraphSettings(piece=500),
    "no references": GraphSettings(window=0, min_interval=0, residual_code="gamma"),
    "long chains": GraphSettings(window=16, chain=-1, residual_code="zeta5"),
    "together": GraphSettings(together=100),
    "deltas": GraphSettings(outdegree_code="delta", reference_code="gamma", residual_code="delta"),
    "new codes": GraphSettings(block_code="unary", interval_code="omega", residual_code="pi2"),
}


def make_graph() -> Graph:
    """Rows that have something to copy, intervals, and far links."""
    rng = np.random.default_rng(8)
    arcs = [(node, node // 10 * 10 + step) for node in range(2_000) for step in range(node % 7)]
    arcs += rng.integers(0, 2_000, (3_000, 2)).tolist()
    return Graph.from_arcs([arc for arc in arcs if max(arc) < 2_000], num_nodes=2_010)


def java(name: str, *words: str) -> None:
    if not JARS.is_dir() or shutil.which("java") is None:
        pytest.skip("WebGraph in Java is not there; run `make peers`")
    command = ["java", "-Xmx256m", "-cp", f"{JARS}/*", f"it.unimi.dsi.webgraph.{name}", *words]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def crate(*words: str) -> str:
    if not TOOLS.exists():
        pytest.skip("the tools of the crate webgraph are not there; run `make peers`")
    environment = os.environ | {"RUST_LOG": "error"}
    done = subprocess.run(
        [TOOLS, *words], capture_output=True, check=False, timeout=120, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def pairs(text: str) -> list[list[int]]:
    return sorted([int(word) for word in line.split()[:2]] for line in text.splitlines())


def arcs_of(graph: Graph) -> list[list[int]]:
    offsets, targets = graph.rows()
    sources = np.repeat(np.arange(graph.num_nodes), np.diff(offsets).astype(np.int64))
    return [[int(source), int(target)] for source, target in zip(sources, targets, strict=True)]


@pytest.mark.parametrize("name", ["no references", "long chains", "deltas"])
def test_java_lists_the_arcs_of_our_files(tmp_path: Path, name: str) -> None:
    graph, chosen = make_graph(), SETTINGS[name]
    assert chosen.is_readable_by_java
    compress(*graph.rows(), tmp_path / "g", parameters=chosen)
    java("ArcListASCIIGraph", "-g", "BVGraph", str(tmp_path / "g"), str(tmp_path / "arcs"))
    assert pairs((tmp_path / "arcs").read_text()) == arcs_of(graph)


def test_we_read_what_java_wrote_and_write_its_bits(tmp_path: Path) -> None:
    graph = make_graph()
    lines = "".join(f"{source}\t{target}\n" for source, target in arcs_of(graph))
    (tmp_path / "arcs").write_text(lines)
    java("BVGraph", "-g", "ArcListASCIIGraph", "-t", "1", str(tmp_path / "arcs"), str(tmp_path / "java"))
    found = BVGraph(tmp_path / "java")
    assert arcs_of(found) == arcs_of(graph)
    assert check_graph(tmp_path / "java").damage == []
    # a list of arcs ends with the last node that has one
    compress(*found.rows(), tmp_path / "ours")
    theirs, ours = ((tmp_path / f"{name}.graph").read_bytes() for name in ("java", "ours"))
    assert ours.rstrip(b"\0") == theirs.rstrip(b"\0")


@pytest.mark.parametrize("name", SETTINGS)
def test_the_crate_lists_the_arcs_of_our_files(tmp_path: Path, name: str) -> None:
    graph = make_graph()
    compress(*graph.rows(), tmp_path / "g", parameters=SETTINGS[name])
    assert pairs(crate("to", "arcs", str(tmp_path / "g"))) == arcs_of(graph)
    # it goes through `.ef`, and compares each place with that of the list
    crate("check", "ef", str(tmp_path / "g"))


def test_we_read_what_the_crate_wrote_with_its_ef(tmp_path: Path) -> None:
    graph = make_graph()
    (tmp_path / "arcs").write_text("".join(f"{s}\t{t}\n" for s, t in arcs_of(graph)))
    with (tmp_path / "arcs").open() as stream:
        words = [str(TOOLS), "from", "arcs", str(tmp_path / "crate"), "--num-nodes", "2010"]
        if not TOOLS.exists():
            pytest.skip("the tools of the crate webgraph are not there; run `make peers`")
        subprocess.run(words, stdin=stream, check=True, capture_output=True, timeout=120)
    crate("build", "ef", str(tmp_path / "crate"))
    found = check_graph(tmp_path / "crate")
    assert (found.damage, found.notes) == ([], [])
    assert arcs_of(BVGraph(tmp_path / "crate")) == arcs_of(graph)
