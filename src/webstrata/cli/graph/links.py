"""webstrata graph links: the pages that a page links to, or that link to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from webstrata.cli.options import json_option
from webstrata.cli.output import show_answered, show_json
from webstrata.errors import MissingError, UrlError, UsageError

if TYPE_CHECKING:
    from webstrata.graph.view import Graph

    Columns = dict[str, list[Any]]


@click.command("links", epilog="Example: webstrata graph links uk 2026-06 http://example.uk/ --in")
@click.argument("place", metavar="COLLECTION|BASENAME")
@click.argument("asked", metavar="[SNAPSHOT] URL|HOST|NODE", nargs=-1, required=True)
@click.option("--in", "inward", is_flag=True, help="The pages that link to it.")
@click.option("--hops", default=1, type=click.IntRange(1, 8), help="How many links away. [1]")
@click.option("--anchors", is_flag=True, help="Show the texts of the links too, and which are nofollow.")
@click.option(
    "--of",
    "level",
    type=click.Choice(["pages", "hosts", "domains"]),
    default="pages",
    help="Ask the graph of hosts or of domains of SNAPSHOT, by name. [pages]",
)
@json_option
def command(
    place: str,
    asked: tuple[str, ...],
    *,
    inward: bool,
    hops: int,
    anchors: bool,
    level: str,
    as_json: bool,
) -> None:
    """List the pages that URL links to, in row-key order; with --hops all within so many links.

    In place of COLLECTION and SNAPSHOT, BASENAME names the files of a BVGraph: it is asked by the number of a
    node, or by a name if it has names, as one that was made of Common Crawl's files has.
    """
    if len(asked) > 2:
        raise click.UsageError(f"expected a snapshot and a URL, got {' '.join(asked)}")
    if anchors and (hops > 1 or level != "pages" or len(asked) == 1):
        raise click.UsageError(
            "--anchors is about the links of one page of a snapshot: leave --hops and --of out"
        )
    if len(asked) == 1 and Path(place).is_dir():
        raise UsageError(f"{place}: this is a folder; name a snapshot of the collection too")
    page = asked[-1]
    if len(asked) == 1 or level != "pages":
        head, columns = _ask_graph(*_open(place, asked[:-1], level), page, inward=inward, hops=hops)
    else:
        head, columns = _ask_snapshot(place, asked[0], page, inward=inward, hops=hops, anchors=anchors)
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if as_json:
        show_json({**head, "in": inward, "hops": hops, "links": rows})
        return
    for row in rows:
        words = [
            *(["nofollow"] if row.get("nofollow") else []),
            *(f"“{text}”" for text in row.get("texts", [])),
            *([f"({row['links']:,})"] if "links" in row else []),
        ]
        name = row.get("url") or row.get("name") or str(row["node"])
        click.echo("  ".join([name, *words]))


def _ask_snapshot(
    place: str, label: str, url: str, *, inward: bool, hops: int, anchors: bool
) -> tuple[dict[str, Any], Columns]:
    """What is near a page of a snapshot, and what it is called there."""
    from webstrata.api import Collection

    server = Collection.open(place)[label].connectivity
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
    nodes, distances = found.nodes[kept], np.maximum(found.distances[kept], 1)
    columns = {
        "node": nodes.tolist(),
        "url": server.urls_of(nodes).to_pylist(),
        "distance": distances.tolist(),
    }
    if anchors:
        pairs = [np.full_like(nodes, node), nodes]
        facts = server.facts(*(pairs[::-1] if inward else pairs))
        columns |= {name: facts[name].to_pylist() for name in ("nofollow", "texts")}
    (name,) = server.urls_of([node]).to_pylist()
    show_answered(url, name, why)
    return {"asked": url, "url": name, "node": node}, columns


def _open(place: str, labels: tuple[str, ...], level: str) -> tuple[Graph, str]:
    """A graph of hosts, or one that is named by its files; and what it is called."""
    from webstrata.api import Collection
    from webstrata.graph.hosts import NamedGraph
    from webstrata.graph.view import Graph

    if labels:
        snapshot = Collection.open(place)[labels[0]]
        return snapshot.host_graph if level == "hosts" else snapshot.domain_graph, f"{place} {labels[0]}"
    if level != "pages":
        raise click.UsageError("--of is about a snapshot: name it before the host")
    basename = Path(place.removesuffix(".graph"))
    if NamedGraph.has_names(basename):
        return NamedGraph(basename.parent, basename.name), place
    return Graph.open(basename), place


def _ask_graph(
    graph: Graph, name: str, page: str, *, inward: bool, hops: int
) -> tuple[dict[str, Any], Columns]:
    """What is near a node of a graph, by its number or name."""
    from webstrata.graph.hosts import NamedGraph
    from webstrata.graph.structure import distances

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
    return head, columns


def _find(graph: Graph, name: str, page: str) -> int:
    from webstrata.graph.hosts import NamedGraph

    if isinstance(graph, NamedGraph):
        if (node := graph.node(page)) is not None:
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
