"""The pages that a page links to, or that link to it, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from webstrata.collection.tables import Rows
from webstrata.errors import MissingError, UrlError, UsageError
from webstrata.graph.hosts import NamedGraph
from webstrata.graph.structure import distances

if TYPE_CHECKING:
    from webstrata.api import Snapshot
    from webstrata.graph.view import Graph

    Columns = dict[str, list[Any]]


def list_links(
    snapshot: Snapshot,
    url: str,
    *,
    inward: bool = False,
    hops: int = 1,
    anchors: bool = False,
    level: Literal["pages", "hosts", "domains"] | str = "pages",
) -> Rows:
    """The pages that a page links to, in row-key order; with `hops`, all within so many links.

    Parameters
    ----------
    snapshot
        Whose graph is asked.
    url
        The page, or the name of a host or domain.
    inward
        The pages that link to it.
    hops
        How many links away.
    anchors
        Give the texts of the links too, and which are nofollow.
    level
        Ask the graph of ``hosts`` or of ``domains``.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = list_links(testing.snapshot(), "http://garden.example/pond")
    >>> [row["url"] for row in found.rows]
    ['http://garden.example/', 'http://reef.example/fish']
    """
    if anchors and (hops > 1 or level != "pages"):
        raise UsageError("--anchors is about the links of one page of a snapshot: leave --hops and --of out")
    if level == "pages":
        return _list_pages(snapshot, url, inward=inward, hops=hops, anchors=anchors)
    graph = snapshot.host_graph if level == "hosts" else snapshot.domain_graph
    name = f"{snapshot.collection.path} {snapshot.date}"
    return list_neighbours(graph, name, url, inward=inward, hops=hops)


def _list_pages(snapshot: Snapshot, url: str, *, inward: bool, hops: int, anchors: bool) -> Rows:
    """What is near a page of a snapshot, and what it is called there."""
    server = snapshot.connectivity
    try:
        node = server.node(url)
    except UrlError as error:
        raise UsageError(f"{url}: not a URL ({error})") from None
    answer = server.urls.look_up(url)
    why = answer.note(url) if answer else ""
    if (representative := server.representative(node)) != node:
        node, why = representative, f"{url} is folded onto {server.urls_of([representative])[0]}"
    near = server.inlinks([node])[1] if inward else server.outlinks([node])[1]
    found = server.neighbourhood([node], hops=hops, direction="in" if inward else "out")
    # a page is within its own neighbourhood if it links to itself
    kept = (found.nodes != node) | np.isin(node, near)
    nodes, lengths = found.nodes[kept], np.maximum(found.distances[kept], 1)
    columns = {
        "node": nodes.tolist(),
        "url": server.urls_of(nodes).to_pylist(),
        "distance": lengths.tolist(),
    }
    if anchors:
        pairs = [np.full_like(nodes, node), nodes]
        facts = server.facts(*(pairs[::-1] if inward else pairs))
        columns |= {name: facts[name].to_pylist() for name in ("nofollow", "texts")}
    (name,) = server.urls_of([node]).to_pylist()
    return _to_rows({"asked": url, "url": name, "node": node, "note": why}, columns, inward, hops)


def list_neighbours(graph: Graph, name: str, page: str, *, inward: bool = False, hops: int = 1) -> Rows:
    """What is near a node of a graph, which is given by its number or name.

    Examples
    --------
    >>> from webstrata import testing
    >>> graph = testing.snapshot().host_graph
    >>> [row["name"] for row in list_neighbours(graph, "hosts", "reef.example").rows]
    ['kitchen.example', 'news.example', 'reef.example']
    """
    node = _find(graph, name, page)
    turned = graph.transpose() if inward else graph
    near = turned.successors(node)
    if hops == 1:
        columns: Columns = {"node": near.tolist(), "distance": [1] * len(near)}
    else:
        found = distances(turned, [node], longest=hops)
        nodes = np.flatnonzero((found > 0) | (np.arange(len(found)) == node) & np.isin(node, near))
        columns = {"node": nodes.tolist(), "distance": np.maximum(found[nodes], 1).tolist()}
    head: dict[str, Any] = {"graph": name, "node": node}
    if isinstance(graph, NamedGraph):
        columns["name"] = [graph.column[place].as_py() for place in columns["node"]]
        head["name"] = graph.column[node].as_py()
        if hops == 1 and isinstance(turned, NamedGraph) and turned.weights is not None:
            columns["links"] = [weight for _, weight in turned.weighted_successors(node)]
    return _to_rows(head, columns, inward, hops)


def _to_rows(head: dict[str, Any], columns: Columns, inward: bool, hops: int) -> Rows:  # noqa: FBT001
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return Rows("links", rows, {**head, "in": inward, "hops": hops})


def _find(graph: Graph, name: str, page: str) -> int:
    if isinstance(graph, NamedGraph):
        if (node := graph.get(page)) is not None:
            return node
        if not page.isdecimal():
            near = ", ".join(graph.nearest(page)) or "none"
            raise MissingError(f"{page}: this is no node of {name}; names that are like it: {near}")
    if not page.isdecimal():
        raise UsageError(
            f"{page}: {name} has no names; name a node by its number, from 0 to {graph.num_nodes - 1}"
        )
    if int(page) >= graph.num_nodes:
        raise MissingError(f"{page}: this is no node of {name}; its nodes are 0 to {graph.num_nodes - 1}")
    return int(page)
