"""A given graph to be served as a web: from two text files, or a BVGraph.

As text: addresses, one per line, and arcs, two node numbers per line. A BVGraph has no addresses of its own,
unless a file of them is given. Else node 1234 of 20 000 is ``http://h01.test/01234``: a host has
`PAGES_PER_HOST` pages, and numbers are filled up with zeros, so that the order of row keys is that of nodes.
A crawl of all these pages, stored and built, gives back the same graph, node for node and arc for arc.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError
from webstrata.graph.view import Graph

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

PAGES_PER_HOST = 1000


@dataclass(frozen=True)
class GivenGraph:
    """Addresses by node, and the graph."""

    urls: list[str]
    graph: Graph

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts, in the order in which the server numbers them."""
        return list(dict.fromkeys(url.removeprefix("http://").partition("/")[0] for url in self.urls))


def read_graph(urls: Path, arcs: Path) -> GivenGraph:
    r"""Read a graph from its two files, refusing lines that are not what they should be.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "urls").write_text("http://a.test/\nhttp://b.test/\n")
    >>> _ = (folder / "arcs").write_text("0 1\n1 0\n")
    >>> read_graph(folder / "urls", folder / "arcs").graph
    <RowsGraph of 2 nodes and 2 arcs>
    """
    addresses = _read_addresses(urls)
    pairs = []
    with explained(arcs, "read"):
        lines = arcs.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        if not line and number == len(lines):
            break
        words = line.split()
        if len(words) != 2 or not all(word.isdecimal() for word in words):
            raise FormatError(
                f"{arcs}, line {number}: `{line}` is no arc; two node numbers were expected, and a file that "
                "ends in the middle of a line is truncated"
            )
        pairs.append((int(words[0]), int(words[1])))
    for number, (source, target) in enumerate(pairs, 1):
        if max(source, target) >= len(addresses):
            raise FormatError(
                f"{arcs}, line {number}: node {max(source, target)} has no address, and {urls} has "
                f"{len(addresses)}; one of the two files is truncated, or they belong to different graphs"
            )
    return GivenGraph(addresses, Graph.from_arcs(pairs, num_nodes=len(addresses)))


def open_graph(basename: str | PathLike[str], urls: Path | None = None) -> GivenGraph:
    """The BVGraph with this basename, with the addresses of a file or with ones made for it.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = Graph.from_arcs([(0, 1), (1, 0)]).write(folder / "two")
    >>> open_graph(folder / "two").urls
    ['http://h0.test/0', 'http://h0.test/1']
    """
    graph = Graph.open(basename)
    if urls is None:
        return GivenGraph(make_addresses(graph.num_nodes), graph)
    addresses = _read_addresses(urls)
    if len(addresses) != graph.num_nodes:
        raise FormatError(
            f"{urls}: these are {len(addresses)} addresses, and {basename} has {graph.num_nodes} nodes; the "
            "file is truncated, or belongs to another graph"
        )
    return GivenGraph(addresses, graph)


def make_addresses(num_nodes: int) -> list[str]:
    """An address for each node, in row-key order.

    Examples
    --------
    >>> make_addresses(2001)[1000:1002], make_addresses(2001)[-1]
    (['http://h1.test/1000', 'http://h1.test/1001'], 'http://h2.test/2000')
    """
    width, of_host = (len(str(max(number - 1, 0))) for number in (num_nodes, -(-num_nodes // PAGES_PER_HOST)))
    return [f"http://h{node // PAGES_PER_HOST:0{of_host}}.test/{node:0{width}}" for node in range(num_nodes)]


def _read_addresses(path: Path) -> list[str]:
    with explained(path, "read"):
        addresses = path.read_text().split("\n")
    if addresses and addresses[-1] == "":
        addresses.pop()
    return addresses
