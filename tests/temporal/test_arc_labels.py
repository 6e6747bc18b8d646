"""Published graphs with times on their arcs to snapshots and unions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.graph.labelled_files import write_labelled
from webstrata.errors import ExistsError, FormatError, UsageError
from webstrata.graph.arc_labelled import ArcLabelledGraph
from webstrata.temporal.arc_labels import convert_labels, ingest_arc_labels, label_nodes
from webstrata.temporal.labels import LabelledGraph

if TYPE_CHECKING:
    from pathlib import Path

DATES = ["2006-06", "2006-07", "2006-08"]


def make_arcs(seed: int = 3) -> list[tuple[int, int, int]]:
    chosen = random.Random(seed)
    pairs = {(chosen.randrange(20), chosen.randrange(20)) for _ in range(90)}
    return sorted((*pair, chosen.randrange(1, 8)) for pair in pairs)


def write_urls(folder: Path, nodes: int) -> list[str]:
    """URLs in an order that is not that of row keys."""
    urls = [f"http://www{node % 3}.a.uk/{'x' * (node % 4)}{node}" for node in range(nodes)]
    (folder / "uk.urls").write_text("".join(f"{url}\n" for url in urls))
    return urls


def test_the_union_has_the_arcs_and_labels_that_were_published(tmp_path: Path) -> None:
    arcs = make_arcs()
    write_labelled(tmp_path / "uk", arcs, num_nodes=20)
    urls = write_urls(tmp_path, 20)
    collection = ws.create(tmp_path / "union")
    result = ingest_arc_labels(collection, tmp_path / "uk", at=DATES)
    union = collection.temporal
    assert (result.arcs, result.instances) == (len(arcs), sum(mask.bit_count() for *_, mask in arcs))
    found = {
        (urls.index(union.urls[node]), urls.index(union.urls[int(target)])): int(mask)
        for node in range(union.num_nodes)
        for target, mask in zip(union.forward.successors(node), union.forward.labels(node), strict=True)
    }
    assert found == {(source, target): mask for source, target, mask in arcs}
    assert not collection.check().damage
    page = collection.history(urls[arcs[0][0]])
    assert arcs[0][2] in [link.label for link in page.outlinks]
    assert not any(state.is_stale for state in collection.states().values())


def test_without_urls_nodes_have_numbers_for_names(tmp_path: Path) -> None:
    write_labelled(tmp_path / "uk", [(0, 2, 3), (2, 0, 1)], num_nodes=4)
    collection = ws.create(tmp_path / "union")
    result = collection.ingest_arc_labels(tmp_path / "uk", at=DATES[:2])
    assert list(collection["2006-06"].urls) == [f"http://nodes.invalid/{node:010}" for node in (0, 2)]
    assert result.without_snapshot == 2  # the nodes 1 and 3, which no arc has


@pytest.mark.parametrize("coding", ["runs", "huffman"])
def test_labels_are_converted_to_ours_beside_the_graph_as_published(tmp_path: Path, coding: str) -> None:
    arcs = make_arcs()
    graph = ArcLabelledGraph(write_labelled(tmp_path / "uk", arcs, spec="FixedWidthIntLabel(time,3)"))
    convert_labels(graph, tmp_path / "ours", 3, coding=coding)
    ours = LabelledGraph.open(tmp_path / "uk-below", tmp_path / "ours", snapshots=DATES)
    assert [int(mask) for node in range(graph.num_nodes) for mask in ours.labels(node)] == [
        m for *_, m in arcs
    ]
    assert ours.node_labels.tolist() == label_nodes(graph, 3).tolist()


def test_what_does_not_fit_leaves_the_collection_empty(tmp_path: Path) -> None:
    write_labelled(tmp_path / "uk", make_arcs(), num_nodes=20)
    collection = ws.create(tmp_path / "union")
    with pytest.raises(FormatError, match="its labels are no masks of these"):
        ingest_arc_labels(collection, tmp_path / "uk", at=DATES[:2])
    with pytest.raises(UsageError, match="expected 2 to 64 dates, the oldest first"):
        ingest_arc_labels(collection, tmp_path / "uk", at=DATES[::-1])
    (tmp_path / "few").write_text("http://a.uk/\n")
    with pytest.raises(FormatError, match="it has 1 URLs, and the graph has 20 nodes"):
        ingest_arc_labels(collection, tmp_path / "uk", at=DATES, urls=tmp_path / "few")
    (tmp_path / "same").write_text("http://a.uk/\n" * 20)
    with pytest.raises(FormatError, match=r"http://a\.uk/ stands there twice"):
        ingest_arc_labels(collection, tmp_path / "uk", at=DATES, urls=tmp_path / "same")
    assert collection.dates == []
    collection.add("2026-01")
    with pytest.raises(ExistsError, match="an arc-labelled graph is a whole collection"):
        ingest_arc_labels(collection, tmp_path / "uk", at=DATES)
