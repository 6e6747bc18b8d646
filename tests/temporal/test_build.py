"""Unions against a plain reference, and builds that end too early."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import webstrata as ws
from tests.temporal.months import add_month, crawl_perfectly, make_months
from tests.temporal.united import unite
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, MissingError
from webstrata.graph import Graph
from webstrata.invitro import Web
from webstrata.rank.pagerank import pagerank
from webstrata.temporal import build
from webstrata.temporal.align import Aligner, choose_snapshots
from webstrata.temporal.build import build_union, union_parameters
from webstrata.temporal.settings import TemporalSettings
from webstrata.temporal.union import NONE, StoredUnion

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [
    f"org,{host})/{page}{scheme}"
    for host in ("a", "a,www", "b")
    for page in ("", "index.html", "x", "x?a=1&b=2")
    for scheme in ("", " https")
]


MONTHS = [
    (sorted(KEYS[place::step], key=str.encode), arcs)
    for place, step, arcs in (
        (0, 2, [(0, 1), (3, 3), (5, 2), (11, 0), (7, 8), (8, 7)]),
        (1, 3, [(0, 1), (1, 0), (2, 7), (6, 5), (3, 4)]),
        (0, 1, [(node, target) for node in range(24) for target in range(node % 5, 24, 7)]),
    )
]
"""Every second and third key, and all: spellings of one page, dynamic ones, links between them."""


def read_back(union: StoredUnion) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    keys = list(union.urls.row_keys)
    nodes = dict(zip(keys, map(int, union.forward.node_labels), strict=True))
    arcs: dict[tuple[str, str], int] = {}
    for node, key in enumerate(keys):
        pairs = zip(union.forward.successors(node), union.forward.labels(node), strict=True)
        arcs |= {(key, keys[int(target)]): int(label) for target, label in pairs}
    return nodes, arcs


@pytest.mark.parametrize(("by", "block"), [("static", 100), ("canonical", 3), ("learned", 1)])
def test_a_union_is_that_of_the_reference_in_any_blocks(tmp_path: Path, by: str, block: int) -> None:
    found = MONTHS
    uk = make_months(tmp_path / "uk", {f"2026-{number:02}": month for number, month in enumerate(found, 1)})
    aligner = Aligner(by)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "_BLOCK", block)
        patch.setattr(build, "BYTES", (16 << 20) // block)  # so many link instances at a time
        build_union(uk, choose_snapshots(uk), TemporalSettings(by=by, memory=16 << 20), workers=1)
    union = StoredUnion(uk)
    nodes, arcs = unite(found, lambda key: aligner.keys(pa.array([key], pa.large_string()))[0].as_py())
    assert read_back(union) == (nodes, arcs)
    assert list(nodes) == [] or list(union.urls.row_keys) == sorted(nodes, key=str.encode)
    assert union.facts.num_instances == sum(label.bit_count() for label in arcs.values())
    # the transpose has the same labels
    assert union.backward is not None
    keys = list(union.urls.row_keys)
    turned = {
        (keys[int(source)], key): int(label)
        for node, key in enumerate(keys)
        for source, label in zip(union.backward.successors(node), union.backward.labels(node), strict=True)
    }
    assert turned == arcs
    for number, (pages, _) in enumerate(found):
        label = f"2026-{number + 1:02}"
        to_union = union.to_union(label)
        aligned = aligner.keys(pa.array(pages, pa.large_string())).to_pylist()
        assert [None if node == NONE else keys[node] for node in to_union] == aligned
        back = union.pages(label, range(len(keys)))
        assert [[aligned[page] for page in own] for own in back] == [
            [key] * len(own) for key, own in zip(keys, back, strict=True)
        ]
        assert sum(map(len, back)) == union.facts.aligned[number] == sum(key is not None for key in aligned)


@given(
    st.lists(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7))), min_size=2, max_size=4),
    st.lists(st.integers(0, 6), min_size=8, max_size=8),
    st.integers(1, 9),
)
def test_lists_are_united_whatever_pages_become_one(
    arcs: list[set[tuple[int, int]]], nodes: list[int], most: int
) -> None:
    # pages 0 … 7 of each month lie on nodes 0 … 5 in any way; 6 is none
    to_union = np.array([node if node < 6 else NONE for node in nodes], np.uint32)
    pages = np.flatnonzero(to_union != NONE).astype(np.uint32)
    order = pages[np.argsort(to_union[pages], kind="stable")]
    graphs = [Graph.from_arcs(sorted(own) or np.zeros((0, 2), int), num_nodes=8) for own in arcs]
    lists = [build._Lists(graph, to_union, order) for graph in graphs]  # type: ignore[arg-type]
    wanted: dict[tuple[int, int], int] = {}
    for month, own in enumerate(arcs):
        for one, other in own:
            if nodes[one] < 6 and nodes[other] < 6:
                pair = nodes[one], nodes[other]
                wanted[pair] = wanted.get(pair, 0) | 1 << month
    found: dict[tuple[int, int], int] = {}
    first = 0
    for offsets, targets, labels in build.unite_lists(lists, 6, memory=most * build.BYTES):
        counts = np.diff(offsets).astype(int)
        sources = np.repeat(np.arange(first, first + len(counts)), counts)
        first += len(counts)
        found |= dict(zip(zip(sources.tolist(), targets.tolist(), strict=True), labels.tolist(), strict=True))
    assert first == 6
    assert found == wanted


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    uk = crawl_perfectly(tmp_path_factory.mktemp("tiny") / "uk", Web("tiny", seed=7), 3)
    build_union(uk, choose_snapshots(uk))
    return uk


def test_every_month_of_the_union_is_its_own_graph_on_the_aligned_urls(tiny: ws.Collection) -> None:
    union = tiny.temporal
    for number, snapshot in enumerate(tiny):
        to_union = union.to_union(snapshot.date)
        kept = np.flatnonzero(to_union != NONE)
        # static pages, and all of them
        assert [("?" not in url) for url in snapshot.urls] == (to_union != NONE).tolist()
        present = np.flatnonzero(np.asarray(union.forward.node_labels) >> np.uint64(number) & np.uint64(1))
        assert present.tolist() == to_union[kept].tolist()
        view = union.at(snapshot.date)
        for page in kept.tolist():
            mapped = to_union[snapshot.graph.successors(page)]
            assert view.successors(int(to_union[page])).tolist() == mapped[mapped != NONE].tolist()
        assert view.num_arcs == union.facts.arcs[number][number]
        # what is computed of the view is what is computed of the month by itself
        own, pages = view.induced()
        assert pages.tolist() == to_union[kept].tolist()
        scores = pagerank(view).scores
        np.testing.assert_allclose(scores[pages], pagerank(own).scores, rtol=0, atol=1e-12)
        assert not np.delete(scores, pages).any()


def test_labels_are_those_of_the_truth(tiny: ws.Collection) -> None:
    web, union = Web("tiny", seed=7), tiny.temporal
    truths = [web.graph(month, view="collection") for month in range(3)]
    nodes: dict[str, int] = {}
    arcs: dict[tuple[str, str], int] = {}
    for month, truth in enumerate(truths):
        urls = list(truth.urls)
        for node, url in enumerate(urls):
            nodes[url] = nodes.get(url, 0) | 1 << month
            for target in truth.successors(node):
                pair = (url, urls[int(target)])
                arcs[pair] = arcs.get(pair, 0) | 1 << month
    static = {url: label for url, label in nodes.items() if "?" not in url}
    assert dict(zip(union.urls, map(int, union.forward.node_labels), strict=True)) == static
    found = {
        (union.urls[node], union.urls[int(target)]): int(label)
        for node in range(len(union.urls))
        for target, label in zip(union.forward.successors(node), union.forward.labels(node), strict=True)
    }
    assert found == {pair: label for pair, label in arcs.items() if "?" not in pair[0] + pair[1]}


def test_another_month_needs_graphs_alone_and_readers_keep_what_they_have(tmp_path: Path) -> None:
    months = {"2026-01": (["t)/a", "t)/c"], [(0, 1)]), "2026-02": (["t)/a", "t)/c"], [(1, 0)])}
    uk = make_months(tmp_path / "uk", months)
    build_union(uk, choose_snapshots(uk))
    before = uk.temporal
    # nothing but these parts is there to be read
    assert {record.name for record in uk["2026-01"].parts} == {"urls", "graph"}
    add_month(uk, "2026-03", ["t)/a", "t)/b", "t)/c"], [(0, 1)])
    build_union(uk, choose_snapshots(uk))
    after = StoredUnion(uk)
    assert [before.urls[1], after.urls[1]] == ["http://t/c", "http://t/b"]
    assert before.forward.successors(0).tolist() == [1]
    assert [int(label) for label in after.forward.labels(0)] == [0b100, 0b001]
    assert not uk.states()["/temporal"].stale
    with uk["2026-02"].write_part("graph", inputs=("urls",)) as made:
        (made.path / "forward.graph").write_bytes(b"another")
    assert uk.states()["/temporal"].stale == ("2026-02/graph",)
    assert uk.states()["/temporal"].renew.endswith("uk temporal")


class Listener(Progress):
    """Notes what is done, and breaks it off when something begins for the n-th time."""

    def __init__(self, title: str = "", times: int = 1) -> None:
        super().__init__()
        self.titles: list[str] = []
        self._end = [title] * times

    def opened(self, task: object) -> None:
        self.titles.append(getattr(task, "title", ""))
        if [title for title in self.titles if title == self._end[0]] == self._end:
            self.cancel()


def test_a_build_that_is_broken_off_leaves_the_old_union(tmp_path: Path) -> None:
    uk = make_months(tmp_path / "uk", {label: (["t)/a"], [(0, 0)]) for label in ("2026-01", "2026-02")})
    build_union(uk, choose_snapshots(uk))
    record = uk.parts.record("temporal")
    add_month(uk, "2026-03", ["t)/b"], [])
    with pytest.raises(Cancelled):
        build_union(uk, choose_snapshots(uk), progress=Listener("uniting lists"))
    assert uk.parts.record("temporal") == record
    assert StoredUnion(uk).facts.snapshots == ["2026-01", "2026-02"]
    build_union(uk, choose_snapshots(uk))
    assert StoredUnion(uk).facts.snapshots == ["2026-01", "2026-02", "2026-03"]


def test_a_build_that_was_broken_off_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    pages, arcs = [f"t)/{place}" for place in range(9)], [(place, place // 2) for place in range(9)]
    months = {"2026-01": (pages, arcs), "2026-02": (pages[1:], [(0, 3)])}
    uk, whole = (make_months(tmp_path / name, months) for name in ("uk", "whole"))
    build_union(whole, choose_snapshots(whole))
    # when the transposes are about to be united
    with pytest.raises(Cancelled):
        build_union(uk, choose_snapshots(uk), progress=Listener("uniting lists", 2))
    rest = Listener()
    build_union(uk, choose_snapshots(uk), progress=rest)
    assert rest.titles.count("uniting lists") == 1
    assert not [title for title in rest.titles if title.startswith("aligning")]
    for path in sorted(whole.temporal.folder.rglob("*")):
        name = path.relative_to(whole.temporal.folder)
        if path.is_file() and path.name != "part.toml":
            assert (uk.temporal.folder / name).read_bytes() == path.read_bytes(), name
    assert not (uk.temporal.folder / "node-labels").exists()


def test_a_union_is_compressed_harder_than_a_month_unless_it_is_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uk = make_months(tmp_path / "uk", {label: (["t)/a"], [(0, 0)]) for label in ("2026-01", "2026-02")})
    assert (union_parameters(uk).window, union_parameters(uk).chain) == (16, 5)
    monkeypatch.setenv("WEBSTRATA_GRAPH_WINDOW", "3")
    assert (union_parameters(uk).window, union_parameters(uk).chain) == (3, 5)
    build_union(uk, choose_snapshots(uk))
    assert uk.temporal.forward.core.window == 3


def test_a_graph_of_other_urls_is_refused(tmp_path: Path) -> None:
    uk = make_months(tmp_path / "uk", {label: (["t)/a"], []) for label in ("2026-01", "2026-02")})
    with uk["2026-02"].write_part("urls") as made:
        (made.path / "nodes.arrow").write_bytes(b"others")
    with pytest.raises(MissingError, match="2026-02: its graph was built from other URLs than are there now"):
        build_union(uk, choose_snapshots(uk))


def test_a_frontier_stays_outside_the_union(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    for label in ("2026-01", "2026-02"):
        snapshot = add_month(uk, label, ["t)/a"], [(0, 0)])
        with snapshot.write_part("graph", inputs=("urls",)) as made:
            graph = ws.Graph.from_arcs([(0, 0), (0, 1)])
            graph.write(made.path / "forward")
            graph.transpose().write(made.path / "transpose")
    build_union(uk, choose_snapshots(uk))
    assert (uk.temporal.forward.num_nodes, uk.temporal.forward.num_arcs) == (1, 1)
