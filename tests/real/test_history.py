"""Eight dated states of a published site: nodes, arcs and labels against those of its repository."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from webstrata.graph.build import build_graph
from webstrata.store.ingest.run import ingest
from webstrata.temporal.build import build_union
from webstrata.web.html import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection

    Arcs = set[tuple[str, str]]


@pytest.fixture(scope="module")
def truth(test_data: Path) -> Path:
    return test_data / "history" / "flink-web"


@pytest.fixture(scope="module")
def flink(truth: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    collection = ws.create(tmp_path_factory.mktemp("history") / "flink")
    for path in sorted(truth.glob("*.warc.gz")):
        snapshot = collection.add(path.name.removesuffix(".warc.gz"))
        ingest(snapshot, [path])
        build_graph(snapshot)
    build_union(collection, list(collection))
    return collection


def read_urls(path: Path) -> list[str]:
    return path.read_text().split()


def test_every_url_is_a_node_of_its_state(flink: Collection, truth: Path) -> None:
    assert len(flink.dates) == 8
    for snapshot in flink:
        assert list(snapshot.urls) == read_urls(truth / snapshot.date / "urls.txt"), snapshot.date


def test_the_arcs_of_each_state_are_the_true_ones(flink: Collection, truth: Path) -> None:
    for snapshot in flink:
        urls, graph = list(snapshot.urls), snapshot.graph
        ends = np.load(truth / snapshot.date / "arcs.npy").tolist()
        true = {(urls[source], urls[target]) for source, target in ends}
        found = {
            (urls[node], urls[int(target)])
            for node in range(graph.num_nodes)
            for target in graph.successors(node)
        }
        assert found - true == set(), snapshot.date
        # the truth counts <link rel=canonical>, by which a page names its own address; we do not
        find = cache(snapshot.urls.get)  # pages of a site share most of their links
        for source, target in true - found:
            node = find(source)
            assert node is not None
            kinds = {link.kind for link in snapshot.links[node] if find(link.url) == node}
            assert (source == target, kinds) == (True, {Kind.CANONICAL}), (snapshot.date, source, target)


def test_the_labels_of_the_union_are_the_true_ones(flink: Collection, truth: Path) -> None:
    union = flink.temporal
    urls = read_urls(truth / "union-urls.txt")
    assert list(union.urls) == urls
    assert union.forward.node_labels.tolist() == np.load(truth / "node-masks.npy").tolist()
    ends, masks = np.load(truth / "arcs.npy").tolist(), np.load(truth / "arc-masks.npy").tolist()
    true = {(source, target): mask for (source, target), mask in zip(ends, masks, strict=True)}
    found = {
        (node, int(target)): int(label)
        for node in range(len(urls))
        for target, label in zip(union.forward.successors(node), union.forward.labels(node), strict=True)
    }
    assert found.keys() <= true.keys()
    differing = {arc for arc, mask in true.items() if found.get(arc) != mask}
    assert all(source == target for source, target in differing)  # of canonical addresses, as above
    assert len(differing) < len(true) / 300
