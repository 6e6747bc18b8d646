"""webstrata summaries stats: what an archive takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, plots_option, snapshot_argument
from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.cli.verb import verb
from webstrata.collection.action import Action

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection


@verb("stats", epilog="Example: webstrata summaries stats uk 2026-06 --best-codes --plots pictures")
@collection_argument
@snapshot_argument
@click.option(
    "--best-codes", is_flag=True, help="Try every code on every kind of number, and say which is best."
)
@plots_option("stats.html", "the two figures of the paper")
@json_option
def command(
    collection: Collection, label: str, *, best_codes: bool, plots: Path | None, as_json: bool
) -> None:
    """Report the size of the archive of SNAPSHOT, and which codes would take less.

    With pictures, the two figures of the paper: the frequency of terms by rank, and the gaps between the
    terms of a page.
    """
    from webstrata.summaries.statistics import describe_archive

    found = describe_archive(collection[label].summaries, with_codes=best_codes, progress=TerminalProgress())
    name = f"{collection.path} {label}"
    paths = draw(found, plots, page="stats", title=name)
    if as_json:
        show_json({"archive": name} | found.to_dict() | {"plots": [str(path) for path in paths]})
        return
    click.echo(f"{name}: {found.summary}\n")
    show(found)
    if best := found.best_codes():
        action = Action.on(collection[label], "summaries build", coding="codes", **best)
        click.echo(f"\nBest: {action.command}")
    show_plots(paths)
