"""The graphs of hosts and domains, against counting by hand."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pytest

import webstrata as ws
from tests.graph.test_build import snapshot as snapshot
from webstrata.errors import MissingError
from webstrata.graph import hosts as module
from webstrata.graph.hosts import NamedGraph, group_arcs, group_domains, group_hosts, write_named
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
        assert int(graph.weights.sum()) == snapshot.graph.num_arcs
        assert dict(zip(graph.names, graph.pages.tolist(), strict=True)) == Counter(groups)
        assert [graph.node(name) for name in graph.names] == list(range(graph.num_nodes))
        assert graph.names == sorted(graph.names, key=lambda name: row_key(f"http://{name}/").encode())


def test_names_are_in_row_key_order_with_the_frontier_among_them() -> None:
    pages = pa.array(["org,a)/", "org,a)/x", "org,a,www)/", "org,a-b)/ 8080", "uk,co,z,y)/"])
    frontier = pa.array(["192.0.2.1)/", "org,a)/y", "org,a,b)/"])
    hosts = group_hosts(pages, frontier)
    assert hosts.names == ["192.0.2.1", "a.org", "b.a.org", "www.a.org", "a-b.org", "y.z.co.uk"]
    assert hosts.of_node.tolist() == [1, 1, 3, 4, 5, 0, 1, 2]
    domains = group_domains(hosts)
    assert domains.names == ["192.0.2.1", "a.org", "a-b.org", "z.co.uk"]
    assert domains.of_node.tolist() == [1, 1, 1, 2, 3, 0, 1, 1]
    assert domains.sizes.tolist() == [1, 5, 1, 1]


def test_blocks_add_up_to_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    graph = ws.Graph.from_arcs(rng.integers(300, size=(3000, 2)), num_nodes=300)
    # groups that are not in the order of the nodes, as the frontier has them
    groups = module.Groups(rng.integers(9, size=300).astype(np.uint32), [f"{name}" for name in range(9)])
    whole = group_arcs(graph, groups)
    blocks = type(graph).iter_blocks
    monkeypatch.setattr(type(graph), "iter_blocks", lambda self: blocks(self, 7))
    monkeypatch.setattr(module, "_PENDING", 50)
    for one, other in zip(whole, group_arcs(graph, groups), strict=True):
        np.testing.assert_array_equal(one, other)
    assert int(whole.weights.sum()) == graph.num_arcs


def test_a_snapshot_without_the_graph_of_hosts_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("hosts")
    with pytest.raises(MissingError, match="no graph of hosts"):
        NamedGraph(folder, "hosts")
    empty = group_hosts(pa.array([], pa.large_string()))
    write_named(folder / "hosts", ws.Graph.from_arcs([]), empty)
    assert NamedGraph(folder, "hosts").reversed_names == []
