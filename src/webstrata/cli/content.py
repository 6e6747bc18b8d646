"""webstrata content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import json_option
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import VerbGroup
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from typing import BinaryIO

METHODS = ("dom", "visual", "trafilatura", "slope", "low-slope")


@click.group("content", cls=VerbGroup, epilog="Example: webstrata content extract page.html --method dom")
def command() -> None:
    """Find the main content of pages, and measure how well that is done."""


@command.command("extract", epilog="Example: webstrata content extract page.html --method dom")
@click.argument("file", type=click.File("rb"), metavar="FILE")
@click.option("--url", help="The address of the page.")
@click.option("--method", default=METHODS[0], show_default=True, help=f"One of {', '.join(METHODS)}.")
def extract(file: BinaryIO, url: str | None, method: str) -> None:
    """Print the main content of a page of HTML; FILE may be - for stdin."""
    from webstrata.store.main_content import check_html, extract

    click.echo(extract(check_html(file.read(), file.name), url=url, method=method))


@command.command(
    "evaluate", epilog="Example: webstrata content evaluate labelled/ --method dom --method slope"
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="FOLDER")
@click.option("--method", "methods", multiple=True, help="Only this method; may be given again.")
@json_option
def evaluate(folder: Path, methods: tuple[str, ...], *, as_json: bool) -> None:
    """Print how good and how fast each method is on the labelled pages of FOLDER.

    FOLDER has ground-truth.json and html/*.html.gz, as scrapinghub/article-extraction-benchmark has them, and
    quality is counted as there: shingles of four words. Pages per second are of processor time.
    """
    from webstrata.store.main_content.evaluate import evaluate_methods

    result = evaluate_methods(folder, methods, progress=TerminalProgress())
    pages = result.facts["pages"]
    if as_json:
        by_method = {row.pop("method"): row for row in result.rows}
        show_json({"folder": str(folder), "pages": pages, "methods": by_method})
        return
    click.echo(tell_count(pages, "page"))
    show(result)
