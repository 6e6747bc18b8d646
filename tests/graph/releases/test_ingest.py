"""Releases as snapshots."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.graph.releases.written import ARCS, HOSTS, pack, write_release
from webstrata.errors import ExistsError, FormatError, UsageError, WebstrataError
from webstrata.graph import Graph
from webstrata.graph.releases import ingest_release

if TYPE_CHECKING:
    from pathlib import Path


def arcs_of(snapshot: ws.Snapshot) -> set[tuple[str, str]]:
    """The arcs of a snapshot by reversed names."""
    names = [key.partition(")")[0].replace(",", ".") for key in snapshot.urls.row_keys]
    graph = snapshot.graph
    return {
        (names[node], names[int(target)]) for node in range(len(names)) for target in graph.successors(node)
    }


def make(names: int, arcs: int, seed: int) -> tuple[list[str], list[tuple[str, str]]]:
    """Names whose order differs from that of their row keys, and arcs between them."""
    chosen = random.Random(seed)
    found = sorted(
        {f"com.s{chosen.randrange(40)}{chosen.choice(['', '-b', '.www', '.b'])}" for _ in range(names)}
    )
    pairs = {(chosen.choice(found), chosen.choice(found)) for _ in range(arcs)}
    return found, sorted(pairs)


@pytest.mark.parametrize("files", [0, 3])
def test_hosts_and_arcs_of_a_release_are_those_of_the_snapshot(tmp_path: Path, files: int) -> None:
    names, arcs = make(60, 300, seed=1)
    cc = ws.create(tmp_path / "cc")
    result = ingest_release(cc, "2026-04", write_release(tmp_path / "r", names, arcs, files=files))
    snapshot = cc["2026-04"]
    assert (result.nodes, result.arcs, result.ranked) == (len(names), len(arcs), 0)
    assert arcs_of(snapshot) == set(arcs)
    assert list(snapshot.urls.row_keys) == sorted(snapshot.urls.row_keys)
    turned = snapshot.graph.transpose()
    assert turned.num_arcs == len(arcs)
    assert not cc.check().damage


@pytest.mark.parametrize("transposed", [False, True])
def test_a_bvgraph_gives_the_same_parts_as_text(tmp_path: Path, *, transposed: bool) -> None:
    names, arcs = make(60, 300, seed=2)
    numbers = {name: number for number, name in enumerate(names)}
    cc = ws.create(tmp_path / "cc")
    write_release(tmp_path / "text", names, arcs, name="cc-host")
    write_release(tmp_path / "bits", names, arcs, name="cc-host")
    (tmp_path / "bits" / "cc-host-edges.txt.gz").unlink()
    pairs = [(numbers[one], numbers[other]) for one, other in arcs]
    if transposed:
        pairs = [(other, one) for one, other in pairs]
    Graph.from_arcs(pairs, num_nodes=len(names)).write(
        tmp_path / "bits" / ("cc-host-t" if transposed else "cc-host")
    )
    for date, folder in (("2026-01", "text"), ("2026-02", "bits")):
        ingest_release(cc, date, tmp_path / folder)
    files = [
        {
            path.name: path.read_bytes()
            for path in cc[date].open_part("graph").path.glob("*.*")
            if path.name != "part.toml"
        }
        for date in cc.dates
    ]
    assert files[0] == files[1]


def test_numbers_of_hosts_and_ranks_stay_with_their_domains(tmp_path: Path) -> None:
    num_hosts = {name: place for place, name in enumerate(HOSTS, 10)}
    cc = ws.create(tmp_path / "cc")
    write_release(tmp_path / "r", name="cc-domain", num_hosts=num_hosts, ranks=True)
    result = ingest_release(cc, "2026-04", tmp_path / "r")
    snapshot = cc["2026-04"]
    names = [key.partition(")")[0].replace(",", ".") for key in snapshot.urls.row_keys]
    table = snapshot.release.to_arrow()
    assert (result.level, result.ranked) == ("domain", len(HOSTS))
    assert dict(zip(names, table["num_hosts"].to_pylist(), strict=True)) == num_hosts
    best = table["harmonic_position"].to_pylist().index(1)
    assert names[best] == "org.commoncrawl"


def test_arcs_that_are_there_again_count_once(tmp_path: Path) -> None:
    cc = ws.create(tmp_path / "cc")
    result = ingest_release(cc, "2026-04", write_release(tmp_path / "r", arcs=[*ARCS, ARCS[0]]))
    assert (result.arcs, result.repeated) == (len(ARCS), 1)


def damage(folder: Path, how: str) -> str:
    """Make a release wrong in one way; what the message must say."""
    edges, vertices = (folder / f"cc-host-{kind}.txt.gz" for kind in ("edges", "vertices"))
    if how == "edge beyond the vertices":
        pack(edges, ["0\t1", "2\t5"])
        return r"edges\.txt\.gz, line 2: expected two node numbers from 0 to 4, got '2\\t5'"
    if how == "truncated edges":
        pack(edges, [f"{number % 5}\t{number * 7 % 5}" for number in range(5000)])
        edges.write_bytes(edges.read_bytes()[:-20])
        return r"edges\.txt\.gz, .*the file is cut off or damaged"
    if how == "truncated vertices":
        vertices.write_bytes(vertices.read_bytes()[:-6])
        return r"vertices\.txt\.gz, .*the file is cut off or damaged"
    if how == "gap in the numbers":
        pack(vertices, ["0\torg.a", "2\torg.b"])
        return r"vertices\.txt\.gz, line 2: expected the vertex 1, got 2"
    if how == "a name twice":
        pack(vertices, ["0\torg.a", "1\torg.a"])
        return "two vertices of cc-host are called org.a"
    if how == "no vertices":
        pack(vertices, [])
        return "it has no vertices"
    if how == "ranks of another release":
        pack(folder / "cc-host-ranks.txt.gz", ["#pr_val\t#host_rev", "0.5\torg.other"])
        return "it ranks org.other, which the vertices do not have"
    assert how == "bvgraph of another release"
    Graph.from_arcs([(0, 7)]).write(folder / "cc-host")
    return "it has 8 nodes, and there are 5 vertices; the files belong to different releases"


@pytest.mark.parametrize(
    "how",
    [
        "edge beyond the vertices",
        "truncated edges",
        "truncated vertices",
        "gap in the numbers",
        "a name twice",
        "no vertices",
        "ranks of another release",
        "bvgraph of another release",
    ],
)
def test_a_release_that_does_not_fit_leaves_nothing_behind(tmp_path: Path, how: str) -> None:
    write_release(tmp_path / "r", name="cc-host")
    message = damage(tmp_path / "r", how)
    cc = ws.create(tmp_path / "cc")
    before = {path.relative_to(cc.path) for path in cc.path.rglob("*")}
    with pytest.raises(FormatError, match=message):
        ingest_release(cc, "2026-04", tmp_path / "r")
    left = {path.relative_to(cc.path) for path in cc.path.rglob("*")} - before
    assert cc.dates == []
    assert {path.name for path in left} <= {"snapshots"}


def test_a_release_that_is_refused_leaves_the_one_before(tmp_path: Path) -> None:
    cc = ws.create(tmp_path / "cc")
    ingest_release(cc, "2026-04", write_release(tmp_path / "r", name="cc-host"))
    with pytest.raises(ExistsError, match="has a graph already; choose another one, or replace it"):
        ingest_release(cc, "2026-04", tmp_path / "r")
    damage(tmp_path / "r", "truncated edges")
    with pytest.raises(FormatError):
        ingest_release(cc, "2026-04", tmp_path / "r", again=True)
    assert cc["2026-04"].graph.num_arcs == len(ARCS)
    assert not cc.check().damage


def test_a_snapshot_with_pages_takes_no_release(tmp_path: Path) -> None:
    from webstrata import testing

    uk = testing.collection()
    with pytest.raises(ExistsError, match="has pages; choose another one"):
        ingest_release(uk, "2026-06", write_release(tmp_path / "r"), again=True)


def test_the_level_of_hosts_is_that_of_nodes(tmp_path: Path) -> None:
    cc = ws.create(tmp_path / "cc")
    cc.add("2026-04").ingest(webgraph=write_release(tmp_path / "r"))
    with pytest.raises(UsageError, match="its nodes are the hosts or domains"):
        _ = cc["2026-04"].host_graph
    with pytest.raises(WebstrataError, match="has hosts and links and no pages"):
        _ = cc["2026-04"].text
