"""webstrata graph links: the pages that a page links to, or that link to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import complete_snapshots, json_option, place_argument
from webstrata.cli.output import show_answered, show_json
from webstrata.cli.verb import note_order, verb
from webstrata.collection.snapshot_dates import is_date
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.graph.view import Graph


@verb("links", epilog="Example: webstrata graph links uk 2026-06 http://example.uk/ --in")
@place_argument
@click.argument(
    "asked", metavar="[SNAPSHOT] URL|HOST|NODE", nargs=-1, required=True, shell_complete=complete_snapshots
)
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

    Instead of COLLECTION and SNAPSHOT, BASENAME names the files of a BVGraph: it is asked by the number of a
    node, or by a name if it has names, as one that was made of Common Crawl's files has.
    """
    from webstrata.api import Collection
    from webstrata.graph.near import list_links, list_neighbours

    if len(asked) > 2:
        raise click.UsageError(f"expected a snapshot and a URL, got {' '.join(asked)}")
    if anchors and (hops > 1 or level != "pages" or len(asked) == 1):
        raise click.UsageError(
            "--anchors is about the links of one page of a snapshot: leave --hops and --of out"
        )
    if len(asked) == 1 and is_date(asked[0]):
        raise click.UsageError(f"{asked[0]} is a snapshot; write the URL after it")
    if len(asked) == 1 and Path(place).is_dir():
        raise UsageError(f"{place}: this is a folder; name a snapshot of the collection too")
    if len(asked) == 2 and not is_date(asked[0]) and is_date(asked[1]):
        asked = (asked[1], asked[0])
        note_order("webstrata graph links COLLECTION SNAPSHOT URL")
    page = asked[-1]
    if len(asked) == 1:
        if level != "pages":
            raise click.UsageError("--of is about a snapshot: name it before the host")
        found = list_neighbours(_open(place), place, page, inward=inward, hops=hops)
    else:
        snapshot = Collection.open(place)[asked[0]]
        found = list_links(snapshot, page, inward=inward, hops=hops, anchors=anchors, level=level)
        if level == "pages":
            show_answered(page, found.facts["url"], found.facts.pop("note"))
    rows = found.rows
    if as_json:
        show_json(found.to_dict())
        return
    for row in rows:
        words = [
            *(["nofollow"] if row.get("nofollow") else []),
            *(f"“{text}”" for text in row.get("texts", [])),
            *([f"({row['links']:,})"] if "links" in row else []),
        ]
        name = row.get("url") or row.get("name") or str(row["node"])
        click.echo("  ".join([name, *words]))


def _open(place: str) -> Graph:
    """A graph that is named by its files."""
    from webstrata.graph.hosts import NamedGraph
    from webstrata.graph.view import Graph

    basename = Path(place.removesuffix(".graph"))
    if NamedGraph.has_names(basename):
        return NamedGraph(basename.parent, basename.name)
    return Graph.open(basename)
