"""`webstrata graph`, as typed."""

from __future__ import annotations

import json

import pytest

import webstrata as ws
from webstrata.cli import run


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> ws.Snapshot:
    folder = tmp_path_factory.mktemp("graph") / "web"
    assert run(["new", str(folder)]) == 0
    words = ["--invitro", "tiny", "--invitro-seed", "7", "--max-crawl-delay", "20ms"]
    assert run(["crawl", str(folder), "2026-06", *words]) == 0
    assert run(["graph", "build", str(folder), "2026-06"]) == 0
    return ws.open(folder)["2026-06"]


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
    assert said.startswith(f"webstrata: {missing}: this is no page of 2026-06; the nearest are ")
    assert snapshot.urls[5] in said
