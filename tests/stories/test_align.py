"""`webstrata align`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import webstrata as ws
from tests.stories.conftest import Command, assert_refused, picture
from tests.temporal.months import add_month, make_months
from webstrata.cli import run
from webstrata.invitro import Web
from webstrata.temporal.union import StoredUnion

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_months_that_were_crawled_are_united_as_the_truth_has_them(crawled_months: Path) -> None:
    web, union = Web("tiny", seed=7), StoredUnion(ws.open(crawled_months))
    nodes: dict[str, int] = {}
    arcs: dict[tuple[str, str], int] = {}
    for month in range(2):
        truth = web.graph(month, view="collection")
        urls = list(truth.urls)
        for node, url in enumerate(urls):
            nodes[url] = nodes.get(url, 0) | 1 << month
            for target in truth.successors(node):
                arcs[url, urls[target]] = arcs.get((url, urls[target]), 0) | 1 << month
    found = {url: int(label) for url, label in zip(union.urls, union.forward.node_labels, strict=True)}
    assert found == {url: label for url, label in nodes.items() if "?" not in url}
    urls = list(union.urls)
    labelled = {
        (urls[node], urls[int(target)]): int(label)
        for node in range(len(urls))
        for target, label in zip(union.forward.successors(node), union.forward.labels(node), strict=True)
    }
    assert labelled == {pair: label for pair, label in arcs.items() if "?" not in "".join(pair)}


def test_overlaps_are_shown_and_the_union_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = ["org,a)/", "org,a)/x", "org,b)/?y"]
    months = {"2026-01": (keys, [(0, 1), (1, 0)]), "2026-02": (keys[:1], []), "2026-03": (keys[1:], [(0, 1)])}
    make_months(tmp_path / "uk", months)
    assert run(["align", str(tmp_path / "uk")]) == 0
    said = capsys.readouterr().out
    assert [line.split() for line in said.splitlines()[:6]] == [
        ["Hosts", "in", "common"],
        [],
        ["2026-01", "2026-02", "2026-03"],
        ["2026-01", "2", "1", "2"],
        ["2026-02", "–", "1", "1"],
        ["2026-03", "–", "–", "2"],
    ]
    assert said.endswith("the union of 3 snapshots has 2 nodes, 2 arcs and 2 link instances.\n")
    assert (
        run(["align", str(tmp_path / "uk"), "--snapshots", "2026-01,2026-03", "--by", "learned", "--json"])
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert document["counts"] == {"snapshots": 2, "nodes": 3, "arcs": 3, "instances": 3}
    assert document["urls"] == [[3, 2], [2, 2]]
    # who asks a union that is stale is told so
    add_month(ws.open(tmp_path / "uk"), "2026-03", keys[:1], [])
    assert run(["history", str(tmp_path / "uk"), "http://a.org/", "--json"]) == 0
    said, noted = capsys.readouterr()
    assert json.loads(said)["snapshots"] == ["2026-01"]
    assert "uk: the union is stale (2026-03/graph, 2026-03/urls changed since" in noted


def test_what_cannot_be_aligned_is_refused_in_a_sentence(webstrata: Command, tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    assert_refused(webstrata("align", "uk"), "uk: it has 0 snapshots, and it takes two snapshots to align")
    add_month(uk, "2026-01", ["org,a)/"], [])
    uk.add("2026-02")
    assert_refused(webstrata("align", "uk"), "2026-02 has no graph; run `webstrata build uk 2026-02 graph`")
    assert_refused(webstrata("align", "uk", "--snapshots", "2026-01..2027"), "no snapshot 2027")
    assert_refused(
        webstrata("temporal", "stats", "uk"), "no union of snapshots; run `webstrata build uk temporal`"
    )


def test_a_build_that_is_killed_leaves_the_old_union(webstrata: Command, tmp_path: Path) -> None:
    uk = make_months(tmp_path / "uk", {label: (["org,a)/"], [(0, 0)]) for label in ("2026-01", "2026-02")})
    assert webstrata("align", "uk").returncode == 0
    before = picture(tmp_path / "uk" / "temporal")
    add_month(uk, "2026-03", ["org,a)/"], [])
    assert webstrata("align", "uk", faults="crash at=build.placed").returncode == -9
    assert picture(tmp_path / "uk" / "temporal") == before
    assert StoredUnion(uk).facts.snapshots == ["2026-01", "2026-02"]
    assert webstrata("align", "uk").returncode == 0
    assert StoredUnion(ws.open(tmp_path / "uk")).facts.snapshots == ["2026-01", "2026-02", "2026-03"]
