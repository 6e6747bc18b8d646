"""webstrata panel: hosts through time as one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import TerminalProgress, show_bytes, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("panel", epilog="Example: webstrata panel cc --output panel.parquet --methods pagerank,harmonic")
@collection_argument
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    required=True,
    help="Parquet file to write.",
)
@click.option(
    "--methods",
    default="pagerank",
    show_default=True,
    metavar="METHOD,...",
    help="Rank by these methods; empty for no ranks of ours.",
)
@click.option(
    "--snapshots", default="", metavar="DATE,...", help="Dates and ranges, as 2026-01..2026-06; default: all."
)
@json_option
def command(collection: Collection, output: Path, methods: str, snapshots: str, *, as_json: bool) -> None:
    """Write one row per host and snapshot of COLLECTION as a Parquet file.

    A row has the host's pages where they are known, in- and outdegree, our ranks, the ranks that a web graph
    release publishes, and the first and last snapshot that has the host.
    """
    result = collection.panel(
        output,
        methods=[name.strip() for name in methods.split(",") if name.strip()],
        snapshots=[each.strip() for each in snapshots.split(",") if each.strip()],
        progress=TerminalProgress(),
    )
    size = result.path.stat().st_size
    if as_json:
        show_json({"collection": str(collection.path), **result.to_dict(), "bytes": size})
        return
    click.echo(
        f"{result.path}: {tell_count(result.num_rows, 'row')} of {tell_count(result.num_hosts, 'host')} in "
        f"{tell_count(len(result.snapshots), 'snapshot')}, {show_bytes(size)}."
    )
