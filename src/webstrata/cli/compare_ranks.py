"""webstrata compare-ranks: ours and those that a web graph release publishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, snapshot_argument
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("compare-ranks", epilog="Example: webstrata compare-ranks cc 2026-04 --limit 20")
@collection_argument
@snapshot_argument
@click.option(
    "--methods",
    default="harmonic,pagerank",
    show_default=True,
    metavar="METHOD,...",
    help="What to compare: harmonic, pagerank.",
)
@click.option(
    "--limit", type=click.IntRange(min=0), default=10, show_default=True, help="First nodes to list."
)
@json_option
def command(collection: Collection, label: str, methods: str, limit: int, *, as_json: bool) -> None:
    """Compare our ranks of SNAPSHOT with those its web graph release publishes.

    Shows Spearman's correlation over all nodes that have both, and how much the first 10, 100 and so on
    agree. The snapshot was made by `webstrata ingest --webgraph`, of a release with a file of ranks.
    """
    chosen = [name.strip() for name in methods.split(",") if name.strip()]
    found = collection[label].compare_ranks(methods=chosen, limit=limit, progress=TerminalProgress())
    if as_json:
        show_json({"collection": str(collection.path), "snapshot": label} | found.to_dict())
        return
    click.echo(f"{found.summary}\n")
    show(found)
