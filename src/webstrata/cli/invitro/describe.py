"""webstrata invitro describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.invitro.options import month_option, web_options
from webstrata.cli.options import json_option, plots_option
from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.invitro import Web


@verb(
    "describe",
    named={"preset": "--preset"},
    epilog="Example: webstrata invitro describe --preset realistic --seed 7 --plots pictures",
)
@web_options
@month_option
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="PAGES",
    help="Describe a web of the same kind with so many pages; needed above 2 000 000.",
)
@click.option(
    "--corpus",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="WEBSTRATA_CORPUS",
    help="Folder of real HTML pages to compare with.",
)
@plots_option("describe.html")
@json_option
def command(
    web: Web,
    month: int,
    sample: int | None,
    corpus: Path | None,
    plots: Path | None,
    *,
    as_json: bool,
) -> None:
    """Describe a synthetic web in numbers and plots.

    It lists settings next to measured values, month by month, and how much the months have in common.
    Degrees, compression and texts are those of --month.
    """
    from webstrata.invitro.describe import describe

    found = describe(web, month=month, sample=sample, corpus=corpus, progress=TerminalProgress())
    title = f"The synthetic web {found.preset}, seed {found.seed}"
    paths = draw(found, plots, page="describe", title=title)
    if as_json:
        show_json(found.to_dict() | {"plots": [str(path) for path in paths]})
        return
    click.echo(f"{found.preset}, seed {found.seed}: {found.summary}\n")
    show(found)
    show_plots(paths)
