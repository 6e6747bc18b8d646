"""webstrata graph links: the pages that a page links to, or that link to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import numpy as np

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_json
from webstrata.errors import UrlError, UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection


@click.command("links", epilog="Example: webstrata graph links uk 2026-06 http://example.uk/ --in")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.argument("url", metavar="URL")
@click.option("--in", "inward", is_flag=True, help="The pages that link to it.")
@click.option("--hops", default=1, type=click.IntRange(1, 8), help="How many links away. [1]")
@click.option("--anchors", is_flag=True, help="Show the texts of the links too, and which are nofollow.")
@json_option
def command(
    collection: Collection, label: str, url: str, *, inward: bool, hops: int, anchors: bool, as_json: bool
) -> None:
    """List the pages that URL links to, in row-key order; with --hops all within so many links."""
    if anchors and hops > 1:
        raise click.UsageError("--anchors is about the links of one page: leave --hops out")
    server = collection[label].connectivity
    try:
        node = server.node(url)
    except UrlError as error:
        raise UsageError(f"{url}: this is no URL ({error})") from None
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
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if as_json:
        (name,) = server.urls_of([node]).to_pylist()
        show_json({"url": name, "node": node, "in": inward, "hops": hops, "links": rows})
        return
    for row in rows:
        words = [
            *(["nofollow"] if row.get("nofollow") else []),
            *(f"“{text}”" for text in row.get("texts", [])),
        ]
        click.echo("  ".join([row["url"], *words]))
