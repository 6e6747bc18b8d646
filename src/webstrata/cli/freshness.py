"""webstrata freshness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import at_option, collection_argument, json_option, limit_option, plots_option
from webstrata.cli.output import TerminalProgress, draw, show_json, show_plots, show_tables, show_warnings
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection
    from webstrata.crawl.schedule.freshness import Basis


@verb("freshness", epilog="Example: webstrata freshness uk --at 2026-07-01 --budget 5000/day")
@collection_argument
@at_option("Date that the pages are compared with. [today]")
@click.option(
    "--basis",
    type=click.Choice(["main", "text", "bytes"]),
    default="main",
    help="What counts as a change: main content, visible text or bytes. [main]",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    metavar="VISITS",
    help="Show what this budget would give, as 20/s, 5000/day or 0.2/page/day; several are allowed. "
    "[a visit per page in 90, 30, 7 days and 1 day]",
)
@limit_option("hosts, the least fresh first", 10)
@plots_option("freshness.html", "change rates and budgets")
@json_option
def command(
    collection: Collection,
    at: str | None,
    basis: Basis,
    budgets: tuple[str, ...],
    limit: int,
    *,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Estimate how up to date COLLECTION is, and what more visits would give.

    Change rates follow from snapshots: a page that is in two of them has changed between them or not. Pages
    in few snapshots have rates near that of their host. Budgets are compared by the mean share of pages that
    would be up to date: with optimal visits, with equal visits, and with visits in proportion to the rates.
    """
    found = collection.freshness(at=at, basis=basis, budget=budgets, progress=TerminalProgress())
    paths = draw(found, plots, page="freshness", title=collection.title)
    if as_json:
        plotted = {"plots": [str(path) for path in paths]}
        show_json({"collection": str(collection.path), **found.to_dict(), **plotted})
        return
    click.echo(f"{collection.path}: {found.summary}\n")
    hosts, plans = found.tables().items()
    show_tables(dict([hosts]), limit=limit)
    click.echo()
    show_tables(dict([plans]))
    show_warnings(found.warnings)
    show_plots(paths)
