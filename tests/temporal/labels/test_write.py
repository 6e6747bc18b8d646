"""Labels written in both codings, beside a decoder in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.reference import read_lists
from tests.temporal.labelled import Labelled, labelled, make
from tests.temporal.reference import decode
from webstrata.collection.progress import Progress, Task
from webstrata.errors import Cancelled
from webstrata.temporal.labels import CODINGS, LabelledGraph, write_labels

if TYPE_CHECKING:
    from pathlib import Path


@settings(max_examples=20)
@given(labelled, st.sampled_from(CODINGS))
def test_a_file_says_what_its_format_page_says(tmp_path: Path, graph: Labelled, coding: str) -> None:
    path = graph.write(tmp_path / "union", coding=coding)
    lists = read_lists((tmp_path / "union.graph").read_bytes(), len(graph.node_labels))
    rows = [graph.row(node) for node in range(len(lists))]
    found = decode(path.with_name("union.labels").read_bytes(), lists, [targets for targets, _ in rows])
    assert found == [labels for _, labels in rows]


def test_blocks_leave_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = make(1, 300, 12, bounded=True, churn=0.2)
    for coding in CODINGS:
        whole = graph.write(tmp_path / "whole", coding=coding).with_name("whole.labels").read_bytes()
        monkeypatch.setattr("webstrata.temporal.labels.write._BLOCK", 37)
        cut = graph.write(tmp_path / "cut", coding=coding).with_name("cut.labels").read_bytes()
        monkeypatch.undo()
        assert cut == whole


def test_labels_that_cannot_be_are_refused(tmp_path: Path) -> None:
    graph = make(2, 30, 3, bounded=True, churn=0.2)
    path = graph.write(tmp_path / "union")
    nodes, arcs = graph.node_labels, graph.labels

    def write(**changes: object) -> None:
        told = {"node_labels": nodes, "arc_labels": arcs, "num_snapshots": 3} | changes
        write_labels(path, tmp_path / "other", **told)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="num_snapshots: expected 1 to 64, got 65"):
        write(num_snapshots=65)
    with pytest.raises(ValueError, match="arc_labels: expected a number of 64 bits for each of the"):
        write(arc_labels=arcs[1:])
    with pytest.raises(ValueError, match="node_labels: expected bits of 3 snapshots only"):
        write(node_labels=nodes + np.uint64(8))
    with pytest.raises(ValueError, match="arc_labels: expected bits of 3 snapshots only"):
        write(arc_labels=arcs + np.uint64(8))
    with pytest.raises(ValueError, match="coding: expected one of runs, huffman, got 'zip'"):
        write(coding="zip")
    assert not list(tmp_path.glob("*other*"))


class Impatient(Progress):
    """Cancels when labels begin to be written."""

    def opened(self, task: Task) -> None:
        if task.title == "writing labels":
            self.cancel()


def test_who_cancels_leaves_the_old_file(tmp_path: Path) -> None:
    graph = make(3, 30, 3, bounded=True, churn=0.2)
    path = graph.write(tmp_path / "union")
    before = sorted((file.name, file.read_bytes()) for file in tmp_path.iterdir())
    with pytest.raises(Cancelled):
        write_labels(
            path,
            path,
            node_labels=graph.node_labels,
            arc_labels=np.zeros_like(graph.labels),
            num_snapshots=3,
            progress=Impatient(),
        )
    assert sorted((file.name, file.read_bytes()) for file in tmp_path.iterdir()) == before
    assert LabelledGraph.open(path, path, snapshots=graph.snapshots).label_counts[0].any()
