"""webstrata graph build: compress the links of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, snapshot_argument
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.graph.settings import GraphSettings

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("build", epilog="Example: webstrata graph build uk 2026-06 --no-self-loops")
@collection_argument
@snapshot_argument
@options(GraphSettings)
@click.option(
    "--order",
    type=click.Choice(["row-key", "bfs", "llp"]),
    default="row-key",
    help="Write the graph in this order of nodes too, as a part of its own with the permutation. [row-key]",
)
@json_option
def command(
    collection: Collection, label: str, graph_options: dict[str, object], *, order: str, as_json: bool
) -> None:
    """Compress the links of SNAPSHOT to a graph, forward and transposed.

    Links go through redirects and duplicates to pages; each arc counts once. The files are those of WebGraph.
    """
    from webstrata.graph.build import build_graph
    from webstrata.pipeline.build import choose_settings, remember_settings

    snapshot = collection[label]
    progress = TerminalProgress()
    settings = choose_settings(snapshot, "graph", graph_options, progress=progress)
    build_graph(snapshot, settings, progress=progress)
    remember_settings(snapshot, "graph", graph_options)
    part = "graph"
    if order != "row-key":
        from webstrata.graph.order import build_order

        build_order(snapshot, order, parameters=settings, progress=TerminalProgress())
        part = f"graph-{order}"
    counts = next(record.counts for record in snapshot.parts if record.name == part)
    nodes, arcs, bits = (counts[name] for name in ("nodes", "arcs", "bits"))
    per_link = bits / arcs if arcs else 0.0
    if as_json:
        document = {"collection": str(collection.path), "snapshot": label, "nodes": nodes, "arcs": arcs}
        show_json({**document, "bits": bits, "bits_per_link": round(per_link, 3)})
    else:
        click.echo(
            f"{collection.path} {label}: {tell_count(nodes, 'node')}, {tell_count(arcs, 'arc')}, "
            f"{per_link:.3f} bits per link."
        )
