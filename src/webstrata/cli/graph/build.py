"""webstrata graph build: compress the links of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import TerminalProgress, show_json

if TYPE_CHECKING:
    from webstrata.api import Collection


@click.command("build", epilog="Example: webstrata graph build uk 2026-06 --no-self-loops")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option("--frontier", is_flag=True, help="Make nodes of the targets that were not captured too.")
@click.option("--nofollow/--no-nofollow", default=True, help="Count links marked nofollow. [true]")
@click.option("--self-loops/--no-self-loops", default=True, help="Count links of a page to itself. [true]")
@click.option("--hosts/--no-hosts", default=True, help="Make the graphs of hosts and domains too. [true]")
@click.option(
    "--order",
    type=click.Choice(["row-key", "bfs", "llp"]),
    default="row-key",
    help="Write the graph in this order of nodes too, as a part of its own with the permutation. [row-key]",
)
@json_option
def command(
    collection: Collection,
    label: str,
    *,
    frontier: bool,
    nofollow: bool,
    self_loops: bool,
    hosts: bool,
    order: str,
    as_json: bool,
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
        hosts=hosts,
        progress=TerminalProgress(),
    )
    part = "graph"
    if order != "row-key":
        from webstrata.graph.order import build_order

        build_order(snapshot, order, progress=TerminalProgress())
        part = f"graph-{order}"
    counts = next(record.counts for record in snapshot.parts if record.name == part)
    nodes, arcs, bits = (counts[name] for name in ("nodes", "arcs", "bits"))
    per_link = bits / arcs if arcs else 0.0
    if as_json:
        document = {"collection": str(collection.path), "snapshot": label, "nodes": nodes, "arcs": arcs}
        show_json({**document, "bits": bits, "bits_per_link": round(per_link, 3)})
    else:
        click.echo(
            f"{collection.path} {label}: {nodes:,} nodes, {arcs:,} arcs, {per_link:.3f} bits per link."
        )
