"""webstrata content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import json_option
from webstrata.cli.output import TerminalProgress, show_json, show_table
from webstrata.collection.sentences import tell_count
from webstrata.errors import MissingExtraError

if TYPE_CHECKING:
    from typing import BinaryIO

METHODS = ("dom", "trafilatura", "slope", "low-slope")


@click.group("content", epilog="Example: webstrata content extract page.html --method dom")
def command() -> None:
    """Find the main content of pages, and measure how well that is done."""


@command.command("extract", epilog="Example: webstrata content extract page.html --method dom")
@click.argument("file", type=click.File("rb"), metavar="FILE")
@click.option("--url", help="The address of the page.")
@click.option("--method", default=METHODS[0], show_default=True, help=f"One of {', '.join(METHODS)}.")
def extract(file: BinaryIO, url: str | None, method: str) -> None:
    """Print the main content of a page of HTML; FILE may be - for stdin."""
    from webstrata.store.main_content import extract

    click.echo(extract(file.read(), url=url, method=method))


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
    from webstrata.store.main_content import extract
    from webstrata.store.main_content.evaluate import evaluate, read_labelled

    pages, progress = read_labelled(folder), TerminalProgress()
    found: dict[str, dict[str, Any]] = {}
    for method in methods or METHODS:
        try:
            extract(pages[0].body, method=method)  # what is loaded at first use is not counted
        except MissingExtraError as error:
            if methods:
                raise
            progress.note(f"{method} is left out: {error}")
            continue
        quality = evaluate(pages, lambda body, url: extract(body, url=url, method=method))  # noqa: B023
        found[method] = quality._asdict() | {"pages_per_second": quality.pages_per_second}
    if as_json:
        show_json({"folder": str(folder), "pages": len(pages), "methods": found})
        return
    click.echo(tell_count(len(pages), "page"))
    show_table(
        ["method", "precision", "recall", "F1", "pages/s"],
        [
            (
                name,
                *(f"{quality[key]:.3f}" for key in ("precision", "recall", "f1")),
                f"{quality['pages_per_second']:.0f}",
            )
            for name, quality in found.items()
        ],
    )
