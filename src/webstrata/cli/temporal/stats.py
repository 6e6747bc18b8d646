"""webstrata temporal stats: the tables of TIME for a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.align import open_union
from webstrata.cli.options import collection_argument, json_option, plots_option
from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection


@verb("stats", epilog="Example: webstrata temporal stats uk --plots pictures")
@collection_argument
@click.option(
    "--codings", is_flag=True, help="Also code the union as TIME does, and compare the sizes; takes a while."
)
@plots_option("temporal.html")
@json_option
def command(collection: Collection, *, codings: bool, plots: Path | None, as_json: bool) -> None:
    """Show what the snapshots have in common, how long pages live, and the size of their union.

    Sizes of the snapshots; hosts and pages that every two of them have in common; survival curves, birth and
    death rates of hosts, pages and links; bits per link of the union that `webstrata align` has built.
    """
    from webstrata.temporal.tables import UnionStatistics

    found = UnionStatistics(open_union(collection), codings=codings, progress=TerminalProgress())
    paths = draw(found, plots, page="temporal", title=collection.title)
    if as_json:
        plotted = {"plots": [str(path) for path in paths]}
        show_json({"collection": str(collection.path), **found.to_dict(), **plotted})
        return
    click.echo(f"{collection.path}: {found.summary}\n")
    show(found)
    show_plots(paths)
