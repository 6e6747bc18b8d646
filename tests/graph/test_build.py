"""The graph of a snapshot, against the truth of the in-vitro web."""

from __future__ import annotations

import pytest

import webstrata as ws
from webstrata.cli import run
from webstrata.collection.progress import Progress
from webstrata.errors import DiskFullError
from webstrata.graph import build
from webstrata.graph.build import build_graph
from webstrata.graph.settings import GraphSettings
from webstrata.invitro import Web
from webstrata.store.links import FOLLOWED


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> ws.Snapshot:
    folder = tmp_path_factory.mktemp("graph") / "web"
    assert run(["new", str(folder)]) == 0
    words = ["--invitro", "tiny", "--invitro-seed", "7", "--max-crawl-delay", "20ms"]
    assert run(["crawl", str(folder), "2026-06", *words]) == 0
    assert run(["graph", "build", str(folder), "2026-06"]) == 0
    return ws.open(folder)["2026-06"]


def test_the_graph_is_that_of_the_truth(snapshot: ws.Snapshot) -> None:
    truth = Web("tiny", seed=7).graph(0, view="collection")
    assert list(snapshot.urls) == list(truth.urls)
    offsets, targets = snapshot.graph.rows()
    found = {
        (node, int(target))
        for node in range(len(offsets) - 1)
        for target in targets[int(offsets[node]) : int(offsets[node + 1])]
    }
    wanted = {
        (node, int(target))
        for node in range(len(truth.offsets) - 1)
        for target in truth.targets[int(truth.offsets[node]) : int(truth.offsets[node + 1])]
    }
    assert found == wanted
    turned = snapshot.graph.transpose()
    assert {(int(u), v) for v in range(turned.num_nodes) for u in turned.successors(v)} == wanted


def test_the_frontier_are_nodes_behind_the_pages(snapshot: ws.Snapshot) -> None:
    before = snapshot.graph.num_nodes, snapshot.graph.num_arcs
    build_graph(snapshot, GraphSettings(frontier=True, self_loops=False))
    graph = ws.open(snapshot.collection.path)["2026-06"].graph
    assert graph.num_nodes > before[0]
    assert graph.num_arcs > before[1]
    assert not any(node in graph.successors(node) for node in range(graph.num_nodes))
    # nobody looked at what they link to
    assert not graph.outdegrees(range(before[0], graph.num_nodes)).any()


def test_arcs_know_how_many_links_they_are(snapshot: ws.Snapshot, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--multiplicity", "--window", "3", "--chain", "1", "--memory", "16MiB"]
    assert run(["graph", "build", str(snapshot.collection.path), "2026-06", *words]) == 0
    found = ws.open(snapshot.collection.path)["2026-06"]
    counts = found.graph.multiplicities()
    assert counts is not None
    followed = [
        link for node in range(len(found.urls)) for link in found.links[node] if link.kind in FOLLOWED
    ]
    inside = [link for link in followed if found.urls.get(link.url) is not None]
    assert len(counts) == found.graph.num_arcs
    assert int(counts.sum()) == len(inside) > len(counts)
    assert found.graph.transpose().num_arcs == found.graph.num_arcs
    capsys.readouterr()
    assert run(["graph", "check", str(snapshot.collection.path), "2026-06"]) == 0
    assert "is sound" in capsys.readouterr().out


def test_a_build_goes_on_with_the_shards_that_were_done(
    snapshot: ws.Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    class Noting(Progress):
        def note(self, sentence: str) -> None:
            seen.append(sentence)

    def fail(*words: object, **more: object) -> None:
        raise DiskFullError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(build, "write_sorted", fail)
        with pytest.raises(DiskFullError):
            build.build_graph(snapshot, GraphSettings(window=5))
    build.build_graph(snapshot, GraphSettings(window=5), progress=Noting())
    assert "graph: 1 of 1 shards were done before" in seen
