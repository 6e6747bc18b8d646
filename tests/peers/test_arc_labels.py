"""Labelled graphs that WebGraph's own Java classes have written, read by us."""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.conftest import ROOT
from webstrata.graph.arc_labelled import ArcLabelledGraph

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer

JARS = ROOT / ".peers" / "webgraph"
DATES = [f"2006-{month:02}" for month in range(1, 13)]


def make_triples() -> list[tuple[int, int, int]]:
    chosen = random.Random(12)
    pairs = {(chosen.randrange(300), chosen.randrange(300)) for _ in range(3000)}
    return sorted((*pair, chosen.randrange(1, 1 << 12)) for pair in pairs)


@pytest.mark.parametrize("kind", ["gamma", "fixed", "list"])
def test_a_labelled_graph_of_java_has_the_same_labels_here(tmp_path: Path, kind: str) -> None:
    if not JARS.is_dir() or shutil.which("java") is None:
        pytest.skip("WebGraph in Java is not there; run `make peers`")
    triples = make_triples()
    (tmp_path / "triples").write_text("".join(f"{a} {b} {mask}\n" for a, b, mask in triples))
    program = ROOT / "tests" / "peers" / "StoreLabels.java"
    command = ["java", "-Xmx256m", "-cp", f"{JARS}/*", str(program), "uk", "triples", kind]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=300, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    graph = ArcLabelledGraph(tmp_path / "uk")
    assert graph.spec.kind == kind
    found: list[tuple[int, int, int]] = []
    for first, masks in graph.iter_masks(12, size=64):
        offsets, targets = graph.graph.rows(first, min(first + 64, graph.num_nodes))
        sources = [
            first + row
            for row in range(len(offsets) - 1)
            for _ in range(int(offsets[row + 1] - offsets[row]))
        ]
        found += zip(sources, targets.tolist(), masks.tolist(), strict=True)
    assert found == triples
    union = ws.create(tmp_path / "uk-union")
    result = union.ingest_arc_labels(tmp_path / "uk", at=DATES)
    assert result.instances == sum(mask.bit_count() for _, _, mask in triples)
    assert union.temporal.forward.num_arcs == len(triples)
