"""webstrata graph links: the pages that a page links to, or that link to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_json
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot


@click.command("links", epilog="Example: webstrata graph links uk 2026-06 http://example.uk/ --in")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.argument("url", metavar="URL")
@click.option("--in", "inward", is_flag=True, help="The pages that link to it.")
@click.option("--hops", default=1, type=click.IntRange(1, 8), help="How many links away. [1]")
@json_option
def command(collection: Collection, label: str, url: str, *, inward: bool, hops: int, as_json: bool) -> None:
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
