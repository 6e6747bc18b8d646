"""webstrata temporal bias: what the limits of the crawls did to the sample."""

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


@verb("bias", named={"preset": "--invitro"}, epilog="Example: webstrata temporal bias uk --plots pictures")
@collection_argument
@click.option(
    "--replicates",
    default=400,
    type=click.IntRange(10),
    help="Times that hosts are drawn again for the intervals.",
)
@click.option("--seed", default=0, help="By which they, and the seeds of the crawls, are drawn.")
@click.option(
    "--invitro", metavar="PRESET", help="Compare with the truth of this synthetic web, month by snapshot."
)
@click.option("--invitro-seed", default=0, help="Which web of that kind.")
@plots_option("bias.html")
@json_option
def command(
    collection: Collection,
    replicates: int,
    seed: int,
    invitro: str | None,
    invitro_seed: int,
    *,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Estimate how the limits of the crawls bias the sample.

    For each limit (pages per host, depth, stop size, seeds): what it cut off, and how estimates of change and
    of degrees move when the crawl is done again with less of it. Intervals come from drawing hosts again.
    """
    from webstrata.invitro.alignment import read_panel
    from webstrata.temporal.bias import report_bias

    union = open_union(collection)
    truth = read_panel(invitro, invitro_seed, len(union.facts.snapshots)) if invitro else None
    report = report_bias(union, replicates=replicates, seed=seed, truth=truth, progress=TerminalProgress())
    paths = draw(report, plots, page="bias", title=f"{collection.title}: limits")
    if as_json:
        show_json(
            {"collection": str(collection.path), **report.to_dict(), "plots": [str(path) for path in paths]}
        )
        return
    show(report)
    click.echo(f"\n{report.summary}")
    show_plots(paths)
