"""webstrata graph: build the graph of a snapshot, and ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot


@click.group("graph", epilog="Example: webstrata graph build uk 2026-06")
def command() -> None:
    """Build the graph of SNAPSHOT's pages, and ask it for links."""


@command.command("build", epilog="Example: webstrata graph build uk 2026-06 --no-self-loops")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option("--frontier", is_flag=True, help="Make nodes of the targets that were not captured too.")
@click.option("--nofollow/--no-nofollow", default=True, help="Count links marked nofollow. [true]")
@click.option("--self-loops/--no-self-loops", default=True, help="Count links of a page to itself. [true]")
@json_option
def build(
    collection: Collection, label: str, *, frontier: bool, nofollow: bool, self_loops: bool, as_json: bool
) -> None:
    """Compress the links of SNAPSHOT to a graph, forward and transposed.

    Links go through redirects and duplicates to pages; each arc counts once. The files are those of WebGraph.
    """
    from webstrata.graph.build import build_graph

    snapshot = collection[label]
    build_graph(
        snapshot,
        frontier=frontier,
        nofollow=nofollow,
        self_loops=self_loops,
        progress=TerminalProgress(),
    )
    counts = next(record.counts for record in snapshot.parts if record.name == "graph")
    nodes, arcs, bits = (counts[name] for name in ("nodes", "arcs", "bits"))
    per_link = bits / arcs if arcs else 0.0
    if as_json:
        document = {"collection": str(collection.path), "snapshot": label, "nodes": nodes, "arcs": arcs}
        show_json({**document, "bits": bits, "bits_per_link": round(per_link, 3)})
    else:
        click.echo(
            f"{collection.path} {label}: {nodes:,} nodes, {arcs:,} arcs, {per_link:.3f} bits per link."
        )


@command.command("links", epilog="Example: webstrata graph links uk 2026-06 http://example.uk/ --in")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.argument("url", metavar="URL")
@click.option("--in", "inward", is_flag=True, help="The pages that link to it.")
@click.option("--hops", default=1, type=click.IntRange(1, 8), help="How many links away. [1]")
@json_option
def links(collection: Collection, label: str, url: str, *, inward: bool, hops: int, as_json: bool) -> None:
    """List the pages that URL links to, in row-key order; with --hops all within so many links."""
    snapshot = collection[label]
    node = _find_node(snapshot, url)
    graph = snapshot.graph.transpose() if inward else snapshot.graph
    reached, front = {node: 0}, [node]
    for distance in range(1, hops + 1):
        targets = graph.batch_successors(front)[1].tolist()
        front = sorted(set(targets) - reached.keys())
        reached |= dict.fromkeys(front, distance)
    loops = node in graph.successors(node)
    found = sorted(other for other in reached if other != node or loops)
    urls = snapshot.urls
    rows = [
        {
            "node": other,
            "url": urls[other] if other < len(urls) else None,
            "distance": reached[other] or 1,
        }
        for other in found
    ]
    if as_json:
        show_json({"url": urls[node], "node": node, "in": inward, "hops": hops, "links": rows})
        return
    for row in rows:
        click.echo(row["url"] or f"node {row['node']} of the frontier")


def _find_node(snapshot: Snapshot, url: str) -> int:
    """The node of a URL, or `MissingError` with those that stand nearest to it."""
    from webstrata.errors import UrlError
    from webstrata.web.row_key import row_key
    from webstrata.web.url import normalize

    urls = snapshot.urls
    node = urls.node(url)
    if node is not None:
        return node
    try:
        key = row_key(normalize(url))
    except UrlError as error:
        raise UsageError(f"{url}: this is no URL ({error})") from None
    place = urls.prefix(key).start
    near = [urls[other] for other in range(max(place - 1, 0), min(place + 2, len(urls)))]
    raise MissingError(
        f"{url}: this is no page of {snapshot.label}; the nearest are {', '.join(near) or 'none'}"
    )
