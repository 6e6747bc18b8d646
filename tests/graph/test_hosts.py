"""The graphs of hosts and domains, against counting by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse

import webstrata as ws
from tests.graph.test_build import snapshot as snapshot
from webstrata.cli import run
from webstrata.errors import MissingError
from webstrata.graph import hosts as module
from webstrata.graph.hosts import NamedGraph, group_domains, group_hosts, write_named
from webstrata.web.host import registered_domain
from webstrata.web.row_key import row_key


def test_arcs_between_hosts_are_counted(snapshot: ws.Snapshot) -> None:
    names = [urlsplit(url).hostname or "" for url in snapshot.urls]
    for graph, find in (
        (snapshot.host_graph, str),
        (snapshot.domain_graph, lambda host: registered_domain(host) or host),
    ):
        groups = [find(name) for name in names]
        offsets, targets = snapshot.graph.rows()
        wanted = Counter(
            (groups[node], groups[int(target)])
            for node in range(len(names))
            for target in targets[int(offsets[node]) : int(offsets[node + 1])]
        )
        found = {
            (graph.names[node], graph.names[target]): weight
            for node in range(graph.num_nodes)
            for target, weight in graph.weighted_successors(node)
        }
        assert found == wanted
        assert graph.weights is not None
        assert int(graph.weights.sum()) == snapshot.graph.num_arcs
        assert dict(zip(graph.names, graph.pages.tolist(), strict=True)) == Counter(groups)
        assert [graph.node(name) for name in graph.names] == list(range(graph.num_nodes))
        assert graph.names == sorted(graph.names, key=lambda name: row_key(f"http://{name}/").encode())


def test_names_are_in_row_key_order_with_the_frontier_among_them() -> None:
    pages = pa.array(["org,a)/", "org,a)/x", "org,a,www)/", "org,a-b)/ 8080", "uk,co,z,y)/"])
    frontier = pa.array(["1,2,0,192)/", "org,a)/y", "org,a,b)/"])
    hosts = group_hosts(pages, frontier)
    assert hosts.names == ["192.0.2.1", "a.org", "b.a.org", "www.a.org", "a-b.org", "y.z.co.uk"]
    assert hosts.of_node.tolist() == [1, 1, 3, 4, 5, 0, 1, 2]
    domains = group_domains(hosts)
    assert domains.names == ["192.0.2.1", "a.org", "a-b.org", "z.co.uk"]
    assert domains.of_node.tolist() == [1, 1, 1, 2, 3, 0, 1, 1]
    assert domains.sizes.tolist() == [1, 5, 1, 1]


def test_addresses_stand_where_their_row_keys_do() -> None:
    addresses = ["10.0.0.2", "9.0.0.10", "[2001:db8::1]", "127.0.0.1", "a.org"]
    keys = sorted((row_key(f"http://{name}/") for name in addresses), key=str.encode)
    hosts = group_hosts(pa.array(keys))
    assert hosts.of_node.tolist() == list(range(len(addresses)))
    assert sorted(hosts.names) == sorted(addresses)


def test_weights_go_with_their_arcs_both_ways(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    graph = ws.Graph.from_arcs(rng.integers(300, size=(3000, 2)), num_nodes=300)
    # groups that are not in the order of the nodes, as the frontier has them
    of_node = rng.integers(9, size=300).astype(np.uint32)
    write_named(tmp_path / "hosts", graph, module.Groups(of_node, [f"{name}" for name in range(9)]))
    wanted = scipy.sparse.csr_array((np.ones(300), (of_node, np.arange(300))), shape=(9, 300))
    wanted = (wanted @ graph.to_scipy() @ wanted.T).toarray()
    hosts = NamedGraph(tmp_path, "hosts")
    turned = hosts.transpose()
    assert isinstance(turned, NamedGraph)
    for found, matrix in ((hosts, wanted), (turned, wanted.T), (turned.transpose(), wanted)):
        np.testing.assert_array_equal(found.to_scipy().toarray(), matrix)
    assert turned.names == hosts.names
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []
    # a graph of an older build has no transpose beside it
    (tmp_path / "hosts-transpose.properties").unlink()
    np.testing.assert_array_equal(hosts.transpose().to_scipy().toarray(), wanted.T)


def test_links_are_asked_by_the_name_of_a_host(
    snapshot: ws.Snapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = snapshot.host_graph
    node = int(np.argmax(hosts.outdegrees()))
    words = ["graph", "links", str(snapshot.collection.path), snapshot.date]
    assert run([*words, hosts.names[node].upper(), "--of", "hosts", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["node"]) == (hosts.names[node], node)
    assert [(link["node"], link["links"]) for link in told["links"]] == hosts.weighted_successors(node)
    assert run([*words, hosts.names[node], "--of", "hosts", "--in", "--hops", "2"]) == 0
    assert set(capsys.readouterr().out.split()) <= {*hosts.names}
    assert run([*words, f"no.such.{hosts.names[node]}", "--of", "hosts"]) == 2
    assert f"names that are like it: {hosts.names[node]}" in capsys.readouterr().err


def test_a_graph_of_common_crawl_keeps_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cc-vertices.txt").write_text("0\torg.a\n1\torg.a.www\n2\tuk.b\n")
    Path("cc-edges.txt").write_text("0\t2\n1\t0\n1\t2\n")
    assert run(["graph", "convert", "cc-edges.txt", "--output", "cc", "--format", "bvgraph"]) == 0
    capsys.readouterr()
    for name in ("www.a.org", "org.a.www", "1"):
        assert run(["graph", "links", "cc", name]) == 0
        assert capsys.readouterr().out.split() == ["org.a", "uk.b"]
    assert run(["graph", "links", "cc", "b.uk", "--in"]) == 0
    assert capsys.readouterr().out.split() == ["org.a", "org.a.www"]
    assert run(["graph", "convert", "cc", "--output", "turned", "--format", "bvgraph", "--transpose"]) == 0
    assert run(["graph", "convert", "turned", "--output", "back", "--format", "cc"]) == 0
    with gzip.open("back-vertices.txt.gz", "rt") as stream:
        assert stream.read() == Path("cc-vertices.txt").read_text()
    capsys.readouterr()
    for words, message in (
        (["cc", "www.c.org"], "names that are like it: org.a"),
        (["cc", "3"], "its nodes are 0 to 2"),
        (["cc", "1", "--anchors"], "--anchors is about"),
        (["cc", "1", "--of", "hosts"], "--of is about a snapshot"),
        ([str(tmp_path), "1"], "name a snapshot"),
    ):
        assert run(["graph", "links", *words]) == 2
        assert message in capsys.readouterr().err
    Path("cc.arrow").unlink()
    assert run(["graph", "links", "cc", "b.uk"]) == 2
    assert "cc has no names; name a node by its number, from 0 to 2" in capsys.readouterr().err


def test_a_snapshot_without_the_graph_of_hosts_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("hosts")
    with pytest.raises(MissingError, match="no graph of hosts"):
        NamedGraph(folder, "hosts")
    empty = group_hosts(pa.array([], pa.large_string()))
    write_named(folder / "hosts", ws.Graph.from_arcs([]), empty)
    assert NamedGraph(folder, "hosts").reversed_names == []
