"""`webstrata graph`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.graph.test_build import snapshot as snapshot
from webstrata.cli import run

if TYPE_CHECKING:
    import pytest

    import webstrata as ws


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
