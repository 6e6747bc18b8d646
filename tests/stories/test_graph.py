"""`webstrata graph`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import webstrata as ws
from tests.graph.linked import link_pages
from tests.graph.test_build import snapshot as snapshot
from webstrata.cli import run
from webstrata.graph.build import StoredGraph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_links_are_listed_by_url(snapshot: ws.Snapshot, capsys: pytest.CaptureFixture[str]) -> None:
    urls, graph = snapshot.urls, snapshot.graph
    node = max(range(graph.num_nodes), key=graph.outdegree)
    place = str(snapshot.collection.path)
    assert run(["graph", "links", place, "2026-06", urls[node]]) == 0
    assert capsys.readouterr().out.splitlines() == [urls[target] for target in graph.successors(node)]
    assert run(["graph", "links", place, "2026-06", urls[node], "--in", "--hops", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    turned = graph.transpose()
    one = set(turned.successors(node).tolist())
    two = {int(far) for near in one for far in turned.successors(near)} - one - {node}
    assert {row["node"] for row in document["links"] if row["distance"] == 1} == one
    assert {row["node"] for row in document["links"] if row["distance"] == 2} == two


def test_a_url_that_is_no_page_is_refused_with_its_neighbours(
    snapshot: ws.Snapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = f"{snapshot.urls[5]}zzz"
    assert run(["graph", "links", str(snapshot.collection.path), "2026-06", missing]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"webstrata: {missing}: no such page in 2026-06; the nearest are ")
    assert snapshot.urls[5] in said


def test_texts_of_links_are_shown_and_the_frontier_has_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link_pages(tmp_path / "uk", 4, [(0, 1), (0, 2), (0, 3), (2, 0)], frontier=1)
    words = ["graph", "links", str(tmp_path / "uk"), "2026-06"]
    assert run([*words, "http://test/000", "--anchors"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "http://test/001  nofollow  “from 0 to 1”",
        "http://test/002  “from 0 to 2”",
        "http://test/003  nofollow  “from 0 to 3”",
    ]
    assert run([*words, "http://test/003", "--in", "--anchors", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["links"]
    assert row == {
        "node": 0, "url": "http://test/000", "distance": 1, "nofollow": True, "texts": ["from 0 to 3"],
    }  # fmt: skip
    assert run([*words, "http://test/000", "--anchors", "--hops", "2"]) == 2
    assert run([*words, "no URL"]) == 2
    assert "not a URL" in capsys.readouterr().err


def iter_numbers(document: Any) -> Iterator[float]:  # noqa: ANN401 (of JSON)
    """All numbers of a document, in their order."""
    if isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from iter_numbers(part)
    elif isinstance(document, int | float):
        yield document


def test_stats_tell_what_a_graph_looks_like(
    snapshot: ws.Snapshot, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = str(snapshot.collection.path)
    words = ["--registers", "16", "--runs", "2", "--sample", "200"]
    assert run(["graph", "stats", place, "2026-06", *words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["nodes"], document["arcs"]) == (snapshot.graph.num_nodes, snapshot.graph.num_arcs)
    assert sum(document["bow_tie"].values()) == document["nodes"]
    assert document["harmonic"][0]["url"] == snapshot.urls[document["harmonic"][0]["node"]]
    # the same graph by its files, without a transpose beside it
    snapshot.graph.write(tmp_path / "uk")
    assert run(["graph", "stats", str(tmp_path / "uk"), *words, "--json"]) == 0
    bare = json.loads(capsys.readouterr().out)
    different = {"graph", "harmonic", "distances"}
    assert {key: bare[key] for key in bare.keys() - different} == {
        key: document[key] for key in document.keys() - different
    }
    # balls are added up by several threads, in an order that differs
    assert bare["distances"].keys() == document["distances"].keys()
    assert list(iter_numbers(bare["distances"])) == pytest.approx(list(iter_numbers(document["distances"])))
    assert run(["graph", "stats", place, "2026-06", "--no-distances"]) == 0
    said = capsys.readouterr().out
    assert f"strong{'':6}" in said
    assert "Distances" not in said


def test_stats_of_what_is_no_graph_are_refused(
    snapshot: ws.Snapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(snapshot.collection.path)
    for words, sentence in (
        ([place], "name a snapshot"),
        ([f"{place}-none"], "nothing there"),
        ([place, "2026-06", "--registers", "48"], "a power of 2"),
    ):
        assert run(["graph", "stats", *words]) == 2
        assert sentence in capsys.readouterr().err


def test_a_graph_in_another_order_is_a_part_with_its_permutation(
    snapshot: ws.Snapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(snapshot.collection.path)
    for order in ("bfs", "llp"):
        assert run(["graph", "build", place, "2026-06", "--order", order, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["arcs"] == snapshot.graph.num_arcs
        with ws.open(place)["2026-06"].open_part(f"graph-{order}") as part:
            permutation = np.load(part.path / "permutation.npy")
            ordered = StoredGraph(part.path)
            for one, other in (
                (snapshot.graph, ordered),
                (snapshot.graph.transpose(), ordered.transpose()),
            ):
                for wanted, found in zip(one.permuted(permutation).rows(), other.rows(), strict=True):
                    np.testing.assert_array_equal(wanted, found)
