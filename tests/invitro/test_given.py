"""A given graph is read, or refused with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import FormatError
from webstrata.graph import Graph
from webstrata.graph.build import build_graph
from webstrata.invitro.given import GivenGraph, make_addresses, open_graph, read_graph
from webstrata.invitro.web import Web
from webstrata.web.row_key import row_keys

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("urls", "arcs", "said"),
    [
        ("http://a.test/\n", "0 1\n", "line 1: node 1 has no address"),
        ("http://a.test/\n", "0\n", "line 1: `0` is no arc"),
        ("http://a.test/\n", "0 0\n0 x\n", "line 2: `0 x` is no arc"),
        ("http://a.test/\n", "0 0 3\n", "is no arc"),
    ],
)
def test_a_line_that_is_no_arc_is_named(tmp_path: Path, urls: str, arcs: str, said: str) -> None:
    (tmp_path / "urls").write_text(urls)
    (tmp_path / "arcs").write_text(arcs)
    with pytest.raises(FormatError, match=said):
        read_graph(tmp_path / "urls", tmp_path / "arcs")


def test_an_address_that_cannot_be_served_is_named() -> None:
    given = GivenGraph(["http://a.test/", "ftp://b.test/"], Graph.from_arcs([(0, 1)]))
    with pytest.raises(FormatError, match=r"line 2: `ftp://b\.test/`"):
        Web("tiny").serve(given=given)


def test_a_graph_and_addresses_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    graph = Graph.from_arcs([(0, 1), (1, 2)])
    graph.write(tmp_path / "three")
    (tmp_path / "urls").write_text("http://a.test/\nhttp://b.test/\n")
    with pytest.raises(FormatError, match=r"urls: these are 2 addresses, and .*three has 3 nodes"):
        open_graph(tmp_path / "three", tmp_path / "urls")
    with pytest.raises(FormatError, match="a graph of 3 nodes and 2 arcs does not fit the 2 addresses"):
        Web("tiny").serve(given=GivenGraph(["http://a.test/", "http://b.test/"], graph))


@pytest.mark.parametrize("num_nodes", [0, 1, 10, 11, 1000, 1001, 12_345])
def test_addresses_are_in_row_key_order(num_nodes: int) -> None:
    addresses = make_addresses(num_nodes)
    keys = row_keys(addresses)
    assert keys == sorted(set(keys))
    assert len(keys) == num_nodes


def test_a_crawl_of_a_graph_gives_it_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # more hosts than the web has that lends its addresses
    monkeypatch.setattr("webstrata.invitro.given.PAGES_PER_HOST", 20)
    random = np.random.default_rng(8)
    arcs = np.concatenate([random.integers(0, 500, (2000, 2)), [[5, 5], [7, 7]]])
    graph = Graph.from_arcs(arcs, num_nodes=500).write(tmp_path / "given")
    snapshot = crawl_graph(tmp_path / "given", tmp_path / "uk")
    assert list(snapshot.urls) == make_addresses(500)
    assert snapshot.graph.rows()[0].tolist() == graph.rows()[0].tolist()
    assert snapshot.graph.rows()[1].tolist() == graph.rows()[1].tolist()


def crawl_graph(basename: Path, folder: Path) -> ws.Snapshot:
    """The snapshot that a crawl of all nodes of a graph made, with its graph."""
    given = open_graph(basename)
    snapshot = ws.create(folder).add("2026-06")
    settings = CrawlSettings(host_delay=0, ip_delay=0, resolve=False)
    with Web("tiny").serve(given=given, origins=True) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        Crawl(snapshot, settings, seeds=given.urls, hosts=hosts).run()
    build_graph(snapshot)
    return snapshot
