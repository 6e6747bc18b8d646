"""Lists with labels read back, whole, in part and damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.temporal.labelled import Labelled, labelled, make
from webstrata.errors import FormatError
from webstrata.graph.settings import GraphSettings
from webstrata.temporal.labels import CODINGS, LabelledGraph
from webstrata.temporal.labels import read as reading

if TYPE_CHECKING:
    from pathlib import Path


@settings(max_examples=20)
@given(labelled, st.sampled_from(CODINGS), st.booleans(), st.sampled_from([0, 7, 30]))
def test_what_is_written_is_read_back(
    tmp_path: Path, graph: Labelled, coding: str, mapped: object, window: int
) -> None:
    parameters = GraphSettings(window=window, chain=-1)
    path = graph.write(tmp_path / "union.2026", coding=coding, parameters=parameters)
    found = LabelledGraph.open(path, path, snapshots=graph.snapshots, mapped=bool(mapped))
    assert found.coding == coding
    assert found.num_link_instances == sum(label.bit_count() for _, _, label in graph.arcs())
    np.testing.assert_array_equal(found.node_labels, graph.node_labels)
    for wanted, rows in zip((graph.offsets, graph.targets, graph.labels), found.labelled_rows(), strict=True):
        np.testing.assert_array_equal(rows, wanted)
    blocks = [rows.labels for _, rows in found.iter_labelled_blocks(7)]
    np.testing.assert_array_equal(np.concatenate([np.zeros(0, np.uint64), *blocks]), graph.labels)
    nodes = [*range(len(graph.node_labels) - 1, -1, -1), *range(min(3, len(graph.node_labels)))]
    batch = found.batch_labelled_successors(nodes)
    for nth, node in enumerate(nodes):
        begin, end = batch.offsets[nth : nth + 2].tolist()
        assert (batch.targets[begin:end].tolist(), batch.labels[begin:end].tolist()) == graph.row(node)
    for node in nodes[:3]:
        targets, labels = found.labelled_successors(node)
        assert (targets.tolist(), labels.tolist()) == graph.row(node)
        assert found.node_label(node) == graph.node_labels[node]
    labels, counts = found.label_counts
    wanted_labels, wanted_counts = np.unique(graph.labels, return_counts=True)
    np.testing.assert_array_equal(labels, wanted_labels)
    np.testing.assert_array_equal(counts, wanted_counts)


@settings(max_examples=20)
@given(labelled, st.lists(st.tuples(*[st.integers(0, 15)] * 3), max_size=3))
def test_what_is_kept_meets_a_term(
    tmp_path: Path, graph: Labelled, terms: list[tuple[int, int, int]]
) -> None:
    path = graph.write(tmp_path / "union")
    found = LabelledGraph.open(path, path, snapshots=graph.snapshots)

    def is_kept(label: int) -> bool:
        return any(
            label & all_of == all_of and not label & none and (label & any_of or not any_of)
            for all_of, none, any_of in terms
        )

    wanted = [(source, target) for source, target, label in graph.arcs() if is_kept(label)]
    for offsets, targets in (
        found.kept_rows(terms, 0, found.num_nodes),
        found.kept_successors(terms, np.arange(found.num_nodes)),
    ):
        sources = np.repeat(np.arange(found.num_nodes), np.diff(offsets).astype(np.int64))
        assert list(zip(sources.tolist(), targets.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("coding", ["runs", "huffman"])
@pytest.mark.parametrize("bounded", [True, False])
def test_each_month_is_read_in_order_as_by_itself(tmp_path: Path, coding: str, *, bounded: bool) -> None:
    graph = make(9, 600, 12, bounded=bounded, churn=0.3)
    path = graph.write(tmp_path / "union", coding=coding)
    found = LabelledGraph.open(path, path, snapshots=graph.snapshots)
    sources = np.repeat(np.arange(600), np.diff(graph.offsets).astype(np.int64))
    for month in range(12):
        has = (graph.labels >> np.uint64(month) & np.uint64(1)).astype(bool)
        for start, end in ((0, 600), (257, 600), (300, 301)):
            offsets, targets = found.kept_rows([(1 << month, 0, 0)], start, end)
            kept = has & (sources >= start) & (sources < end)
            np.testing.assert_array_equal(targets, graph.targets[kept])
            np.testing.assert_array_equal(
                np.diff(offsets), np.bincount(sources[kept] - start, minlength=end - start)
            )


def test_counts_are_in_the_file_where_labels_are_few(tmp_path: Path) -> None:
    few = make(7, 3000, 2, bounded=True, churn=0.1)
    path = few.write(tmp_path / "union")
    found = LabelledGraph.open(path, path, snapshots=few.snapshots)
    assert found.description.sections["counts"][1] > 0
    np.testing.assert_array_equal(found.label_counts[1], np.unique(few.labels, return_counts=True)[1])


@pytest.mark.parametrize("coding", CODINGS)
def test_damaged_bits_are_said_or_give_labels(tmp_path: Path, coding: str) -> None:
    graph = make(8, 400, 12, bounded=True, churn=0.3)
    path = graph.write(tmp_path / "union", coding=coding)
    file = tmp_path / "union.labels"
    data = file.read_bytes()
    sections = LabelledGraph.open(path, path, snapshots=graph.snapshots).description.sections
    end = sections["nodes"][0]
    random = np.random.default_rng(0)
    said: list[str] = []
    for _ in range(60):
        damaged = bytearray(data)
        for place in random.integers(16, end, size=int(random.integers(1, 20))).tolist():
            damaged[place] = int(random.integers(256))
        file.write_bytes(damaged)
        found = LabelledGraph.open(path, path, snapshots=graph.snapshots, mapped=False)
        for read in (found.labelled_rows, lambda found=found: found.batch_labelled_successors(range(400))):
            try:
                np.testing.assert_array_equal(read().targets, graph.targets)
            except FormatError as error:
                said.append(str(error))
        try:
            assert set(found.kept_rows([(4, 0, 0)], 0, 400)[1].tolist()) <= set(range(400))
        except FormatError as error:
            said.append(str(error))
    assert said
    assert all("union.labels, node" in sentence for sentence in said)


def test_lists_of_the_union_are_read_without_labels_of_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make(3, 40, 12, bounded=True, churn=0.1)
    path = graph.write(tmp_path / "union")
    opened = LabelledGraph.open(path, path, snapshots=graph.snapshots)
    with monkeypatch.context() as context:
        context.setattr(reading, "unpack_nodes", lambda _data: pytest.fail("they were decoded"))
        assert opened.num_arcs == len(opened.rows()[1]) == len(graph.targets)
    np.testing.assert_array_equal(opened.node_labels, graph.node_labels)


def test_a_walk_adds_up_what_a_batch_has(tmp_path: Path) -> None:
    graph = make(4, 60, 12, bounded=True, churn=0.6)
    nodes = np.random.default_rng(0).integers(60, size=500)
    for coding in ("runs", "huffman"):
        path = graph.write(tmp_path / coding, coding=coding)
        opened = LabelledGraph.open(path, path, snapshots=graph.snapshots)
        rows = opened.batch_labelled_successors(nodes)
        sums = len(rows.targets), int(rows.targets.sum(dtype=np.uint64)), int(rows.labels.sum())
        assert opened.walk(nodes) == sums
        assert opened.core.walk(nodes.astype(np.uint32)) == sums[:2]
