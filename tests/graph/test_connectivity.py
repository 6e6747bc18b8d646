"""The connectivity server in process, against sets of the links of a crawled web."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import webstrata as ws
from tests.graph.test_build import snapshot as snapshot
from webstrata.errors import MissingError, UrlError
from webstrata.graph.build import build_graph
from webstrata.graph.connectivity import Connectivity
from webstrata.graph.settings import GraphSettings
from webstrata.store.links import FOLLOWED, NOFOLLOW, StoredLink


@pytest.fixture(scope="module")
def server(snapshot: ws.Snapshot) -> Connectivity:
    build_graph(snapshot, GraphSettings(frontier=True))
    return ws.open(snapshot.collection.path)["2026-06"].connectivity


@pytest.fixture(scope="module")
def arcs(server: Connectivity) -> dict[int, set[int]]:
    """What each page links to by its URLs, from the links as they were parsed."""
    links = ws.open(server.snapshot.collection.path)["2026-06"].links
    names: dict[str, int] = {
        url: node for node, url in enumerate(server.urls_of(range(server.num_nodes)).to_pylist())
    }
    found = {}
    for node in range(len(server.urls)):
        followed = [link.url for link in links[node] if link.kind in FOLLOWED]
        ends = {names.get(url, server.urls.get(url)) for url in followed}
        found[node] = {end for end in ends if end is not None}
    return found | {node: set() for node in range(len(server.urls), server.num_nodes)}


def rows(found: tuple[np.ndarray, np.ndarray]) -> list[list[int]]:
    return [row.tolist() for row in np.split(found[1], found[0][1:-1].astype(np.int64))]


def test_links_are_those_of_the_pages_in_both_directions(
    server: Connectivity, arcs: dict[int, set[int]]
) -> None:
    everything = list(range(server.num_nodes))
    assert rows(server.outlinks(everything)) == [sorted(arcs[node]) for node in everything]
    turned = [sorted(node for node in everything if end in arcs[node]) for end in everything]
    assert rows(server.inlinks(np.array(everything))) == turned
    # by URL, those of the frontier too
    names = server.urls_of(everything).to_pylist()
    assert server.nodes(names).tolist() == everything
    assert len(set(names)) == server.num_nodes > len(server.urls)
    assert rows(server.inlinks(names)) == turned
    mixed = [names[5], 3, names[-1]]
    assert server.nodes(mixed).tolist() == [5, 3, everything[-1]]


def test_what_groups_of_pages_have_in_common(server: Connectivity, arcs: dict[int, set[int]]) -> None:
    groups: list[list[str | int]] = [
        [0, 1],
        [3, 3],
        [5, 6, 7],
        [server.urls[9], 10],
        [],
        [server.num_nodes - 1, 0],
    ]
    wanted: list[list[int]] = []
    for group in groups:
        nodes = server.nodes(group)
        wanted.append(sorted(set.intersection(*(arcs[int(node)] for node in nodes))) if group else [])
    assert rows(server.common(groups)) == wanted
    assert any(wanted)
    wanted = [
        sorted(node for node in arcs if group and all(int(end) in arcs[node] for end in server.nodes(group)))
        for group in groups
    ]
    assert rows(server.common(groups, direction="in")) == wanted
    assert any(wanted)


@pytest.mark.parametrize("direction", ["out", "in", "both"])
def test_a_neighbourhood_is_found_link_by_link(
    server: Connectivity, arcs: dict[int, set[int]], direction: str
) -> None:
    distances = {7: 0, 20: 0}
    for hop in range(1, 4):
        near = set(distances)
        found = set()
        if direction != "in":
            found |= {end for node in near for end in arcs[node]}
        if direction != "out":
            found |= {node for node in arcs if arcs[node] & near}
        distances = dict.fromkeys(found, hop) | distances
    answer = server.neighbourhood([20, server.urls[7]], hops=3, direction=direction)  # type: ignore[arg-type]
    assert dict(zip(answer.nodes.tolist(), answer.distances.tolist(), strict=True)) == distances
    assert answer.is_complete
    assert answer.nodes.tolist() == sorted(distances)
    # a limit keeps the nearest
    few = server.neighbourhood([20, 7], hops=3, direction=direction, limit=10)  # type: ignore[arg-type]
    assert len(few.nodes) == 10
    assert not few.is_complete
    kept = sorted(distances, key=lambda node: (distances[node], node))[:10]
    assert few.nodes.tolist() == sorted(kept)
    # and what is looked at has one, too
    some = server.neighbourhood([20, 7], hops=3, direction=direction, max_links=100)  # type: ignore[arg-type]
    assert not some.is_complete
    assert set(some.nodes.tolist()) <= set(distances)
    assert 2 <= len(some.nodes) <= 102


def test_a_subgraph_has_the_arcs_between_its_nodes(server: Connectivity, arcs: dict[int, set[int]]) -> None:
    nodes = [40, 2, 3, 5, 7, 11, 13, server.num_nodes - 1, 2]
    kept = sorted(set(nodes))
    graph = server.subgraph(nodes)
    found = {(kept[source], kept[end]) for source in range(len(kept)) for end in graph.successors(source)}
    assert found == {(source, end) for source in kept for end in arcs[source] & set(kept)}
    assert server.subgraph([]).num_nodes == 0


def test_facts_are_those_of_the_links_of_an_arc(server: Connectivity, arcs: dict[int, set[int]]) -> None:
    links = ws.open(server.snapshot.collection.path)["2026-06"].links
    wanted: dict[tuple[int, int], list[StoredLink]] = {}
    for source in range(len(server.urls)):
        own = [link for link in links[source] if link.kind in FOLLOWED]
        for link, end in zip(own, server.nodes([link.url for link in own]).tolist(), strict=True):
            wanted.setdefault((source, end), []).append(link)
    pairs = [(source, end) for source in arcs for end in sorted(arcs[source], reverse=True)]
    pairs += [pairs[0], (server.num_nodes - 1, 0)]
    found = server.facts([source for source, _ in pairs], [end for _, end in pairs]).to_pylist()
    for pair, row in zip(pairs, found, strict=True):
        mine = wanted.get(pair, [])
        assert row["links"] == len(mine)
        assert row["texts"] == [link.anchor for link in mine if link.anchor]
        assert row["nofollow"] == (all(link.rel & NOFOLLOW for link in mine) if mine else None)
    assert {row["nofollow"] for row in found} == {True, False, None}


def test_pages_that_are_none_are_refused_or_passed_over(server: Connectivity) -> None:
    unknown = f"{server.urls[5]}zzz"
    with pytest.raises(MissingError, match="no such page in 2026-06; the nearest are ") as error:
        server.outlinks([server.urls[1], unknown])
    assert server.urls[5] in str(error.value)
    assert server.nodes([unknown, "no URL at all", 3]).tolist() == [-1, -1, 3]
    with pytest.raises(UrlError, match="no URL"):
        server.inlinks(["no URL at all"])
    offsets, targets = server.outlinks([unknown, 3, "ftp://x/"], skip_unknown=True)
    assert offsets.tolist() == [0, 0, len(targets), len(targets)]
    assert targets.tolist() == server.graph.successors(3).tolist()
    for number in (-1, server.num_nodes):
        with pytest.raises(ValueError, match=f"got {number}"):
            server.node(number)
        with pytest.raises(ValueError, match=f"got {number}"):
            server.outlinks([0, number])


def test_a_graph_of_other_urls_is_refused(server: Connectivity) -> None:
    snapshot = server.snapshot
    with snapshot.write_part("urls", renew="again") as build:
        for file in server.urls._part.path.iterdir():  # type: ignore[union-attr]
            (build.path / file.name).write_bytes(file.read_bytes())
        (build.path / "more").write_bytes(b"!")
    with pytest.raises(MissingError, match="the graph was built from another version of 2026-06/urls"):
        Connectivity(snapshot)


def test_threads_that_ask_at_once_get_their_own_answers(server: Connectivity) -> None:
    wanted = server.facts(np.arange(200) % 50, np.arange(200) % 50).to_pylist()
    answers: list[bool] = []

    def ask() -> None:
        for _ in range(5):
            answers.append(server.facts(np.arange(200) % 50, np.arange(200) % 50).to_pylist() == wanted)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 20
