"""Graphs compressed and read back by the crate that other people's files are read with."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.graph import reference
from webstrata.collection.faults import injected
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, DiskFullError, FormatError, MissingError
from webstrata.graph.bvgraph import BVGraph, compress
from webstrata.graph.view import Graph

if TYPE_CHECKING:
    from pathlib import Path

EF_HEADER = 332
"""Bytes before the list: magic, version, and hashes and name of its type."""
graphs = st.integers(1, 40).flatmap(
    lambda n: st.lists(st.sets(st.integers(0, n - 1)), min_size=n, max_size=n)
)


@given(lists=graphs)
def test_what_is_compressed_is_read_back(tmp_path: Path, lists: list[set[int]]) -> None:
    offsets, targets = reference.to_rows(lists)
    size = compress(offsets, targets, tmp_path / "uk.2026-06")
    assert (size.num_nodes, size.num_arcs) == (len(lists), len(targets))
    for mapped in (True, False):
        graph = BVGraph(tmp_path / "uk.2026-06", mapped=mapped)
        assert (graph.num_nodes, graph.num_arcs) == (len(lists), len(targets))
        for found, wanted in zip(graph.rows(), (offsets, targets), strict=True):
            np.testing.assert_array_equal(found, wanted)
        asked = [*range(len(lists) - 1, -1, -1), 0, 0]
        found_offsets, found_targets = graph.batch_successors(asked)
        for place, node in enumerate(asked):
            row = found_targets[int(found_offsets[place]) : int(found_offsets[place + 1])]
            assert row.tolist() == graph.successors(node).tolist() == sorted(lists[node])
        assert graph.outdegrees(asked).tolist() == [graph.outdegree(node) for node in asked]


@given(lists=graphs)
def test_where_lists_begin_is_found_without_offsets(tmp_path: Path, lists: list[set[int]]) -> None:
    compress(*reference.to_rows(lists), tmp_path / "uk")
    (tmp_path / "uk.offsets").unlink()
    before = sorted(tmp_path.iterdir())
    graph = BVGraph(tmp_path / "uk")
    assert [graph.successors(node).tolist() for node in range(len(lists))] == [sorted(row) for row in lists]
    assert sorted(tmp_path.iterdir()) == before


@given(lists=graphs, data=st.data())
def test_damaged_bits_are_said_or_harmless(
    tmp_path: Path, lists: list[set[int]], data: st.DataObject
) -> None:
    compress(*reference.to_rows(lists), tmp_path / "uk")
    extension = data.draw(st.sampled_from(["graph", "offsets", "ef"]))
    if extension != "ef":
        (tmp_path / "uk.ef").unlink()
    file = tmp_path / f"uk.{extension}"
    damaged = bytearray(file.read_bytes())
    # with another header, `.ef` is of another version and not read at all
    first = EF_HEADER if extension == "ef" else 0
    for place in data.draw(st.lists(st.integers(first, max(len(damaged) - 1, first)), max_size=8)):
        if damaged:
            damaged[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(damaged[: data.draw(st.just(len(damaged)) | st.integers(0, len(damaged)))])
    try:
        graph = BVGraph(tmp_path / "uk")
        offsets, targets = graph.rows()
        rows = graph.batch_successors(range(graph.num_nodes))
    except FormatError:
        return
    # the lists may be others, but they are lists of this graph
    assert len(offsets) == len(rows[0]) == len(lists) + 1
    assert all(int(target) < len(lists) for target in (*targets, *rows[1]))


@pytest.mark.peer
@given(
    name=st.sampled_from(
        ["nodes", "arcs", "windowsize", "maxrefcount", "minintervallength", "zetak", "version"]
    ),
    value=st.integers(-2, 20) | st.integers(2**31 - 2, 2**64 + 2) | st.text("0123456789.eE-x", max_size=4),
)
def test_properties_that_say_anything_are_refused_or_harmless(
    tmp_path: Path, name: str, value: int | str
) -> None:
    compress(*reference.to_rows([[1, 2], [0], [], [0, 1, 2, 3]]), tmp_path / "uk")
    path = tmp_path / "uk.properties"
    path.write_text(re.sub(rf"(?m)^{name}=.*$", f"{name}={value}", path.read_text()))
    for extension in ("", ".ef", ".offsets"):
        if extension:
            path.with_suffix(extension).unlink()
        try:
            rows = BVGraph(tmp_path / "uk").rows()
        except FormatError:
            continue
        assert len(rows[0]) == 5 or name == "nodes"


def test_a_real_graph_is_read_and_compresses_to_what_its_authors_got(test_data: Path, tmp_path: Path) -> None:
    graph = BVGraph(test_data / "graph" / "cnr-2000")
    assert (graph.num_nodes, graph.num_arcs) == (325_557, 3_216_152)
    offsets, targets = graph.rows()
    again = graph.batch_successors(np.arange(325_557))
    assert np.array_equal(offsets, again[0])
    assert np.array_equal(targets, again[1])
    assert (len(offsets) - 1, len(targets)) == (325_557, 3_216_152)
    size = compress(offsets, targets, tmp_path / "cnr")
    assert round(size.bits_per_link, 3) == 2.897
    for extension in (".graph", ".offsets"):
        ours = (tmp_path / f"cnr{extension}").read_bytes()
        theirs = (test_data / "graph" / f"cnr-2000{extension}").read_bytes()
        # both end in the padding of a word of their own length
        assert ours.rstrip(b"\0") == theirs.rstrip(b"\0")


def test_a_graph_without_a_basename_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert compress(*reference.to_rows([[1], [0]])).num_arcs == 2
    assert list(tmp_path.iterdir()) == []


def test_bits_per_link_are_those_of_the_graph_file(tmp_path: Path) -> None:
    size = compress(*reference.to_rows([range(100)] * 100), tmp_path / "g")
    bits = size.bits_per_link * size.num_arcs
    assert 0 <= (tmp_path / "g.graph").stat().st_size * 8 - bits < 128
    assert compress(*reference.to_rows([[], []])).bits_per_link == 0


@pytest.mark.parametrize(
    ("offsets", "targets", "message"),
    [
        ([], [], "expected one more than there are nodes"),
        ([0, 2], [0], "expected them to go from 0 to the 1 targets"),
        ([0, 2], [0, 0], "in order and once each"),
        ([0, 1], [1], "below the 1 nodes"),
        ([0, 2, 1], [0], "expected them to grow"),
    ],
)
def test_arrays_that_are_no_graph_are_refused(offsets: list[int], targets: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compress(np.array(offsets, dtype=np.uint64), np.array(targets, dtype=np.uint32))


def test_files_that_are_not_there_or_no_graph_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"none\.properties"):
        BVGraph(tmp_path / "none")
    (tmp_path / "odd.properties").write_text("nodes=1\n")
    (tmp_path / "odd.graph").write_bytes(b"")
    with pytest.raises(FormatError, match=re.escape(str(tmp_path / "odd.properties"))):
        BVGraph(tmp_path / "odd")


@pytest.mark.parametrize("file", ["graph", "offsets", "properties"])
def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path, file: str) -> None:
    rows = reference.to_rows([range(0, node, 3) for node in range(300)])
    with injected(f"no-space path=*.{file}"), pytest.raises(DiskFullError, match=f"g.{file}"):
        compress(*rows, tmp_path / "g")


def test_compression_is_cancelled_by_its_progress() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        compress(*reference.to_rows([[0]]), progress=progress)


def test_nodes_that_are_none_are_refused(tmp_path: Path) -> None:
    graph = Graph.from_arcs([(0, 1), (1, 0)]).write(tmp_path / "g")
    for node in (-1, 2, 2**40):
        with pytest.raises(ValueError, match=f"below the 2 nodes of the graph, got {node}"):
            graph.successors(node)
        with pytest.raises(ValueError, match=f"below the 2 nodes of the graph, got {node}"):
            graph.batch_successors([0, node])


def test_properties_of_another_graph_are_seen(tmp_path: Path) -> None:
    Graph.from_arcs([(0, 1)]).write(tmp_path / "g")
    text = (tmp_path / "g.properties").read_text()
    (tmp_path / "g.properties").write_text(text.replace("nodes=2", "nodes=4000000"))
    with pytest.raises(FormatError, match="4000000 nodes do not fit into"):
        Graph.open(tmp_path / "g")


def test_threads_decode_at_once_and_leave_the_interpreter_free(tmp_path: Path) -> None:
    graph = Graph.from_arcs([(node, end) for node in range(300) for end in range(node % 7, 300, 11)])
    opened = graph.write(tmp_path / "g")
    nodes = np.tile(np.arange(300, dtype=np.uint32), 600)
    wanted = 600 * int(graph.rows()[1].sum())
    sums: list[int] = []
    threads = [
        threading.Thread(target=lambda: sums.append(int(opened.batch_successors(nodes)[1].sum())))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    ticks = 0
    while any(thread.is_alive() for thread in threads):
        ticks += 1
        time.sleep(0.001)
    assert sums == [wanted] * 3
    # were it not free while they decode, this thread would have its turn only between the calls
    assert ticks > 6
