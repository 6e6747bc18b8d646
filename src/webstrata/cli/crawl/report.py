"""webstrata crawl report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, snapshot_argument
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("report", epilog="Example: webstrata crawl report uk 2026-06 --output crawl.html")
@collection_argument
@snapshot_argument
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the page; by default report.html beside the crawl.",
)
def command(collection: Collection, label: str, output: Path | None) -> None:
    """Write a report of a crawl as one HTML page, with plots.

    It is self-contained and needs no network. The report of a running crawl covers it so far.
    """
    from webstrata.crawl.report import read_report
    from webstrata.serve.figures.crawl import write_report
    from webstrata.serve.figures.style import load_altair

    load_altair()  # a missing extra is said first
    snapshot = collection[label]
    report = read_report(snapshot)
    path = output or snapshot.working_folder("crawl") / "report.html"
    write_report(report, path)
    click.echo(f"{path}: {tell_count(report.result.pages, 'page')}; {report.ending}.")
