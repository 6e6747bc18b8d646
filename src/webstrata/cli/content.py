"""webstrata content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import json_option
from webstrata.cli.output import TerminalProgress, show_json, show_table
from webstrata.cli.verb import VerbGroup
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError

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
    from webstrata.store.main_content import extract

    body = file.read()
    start = body[:4096]
    controls = sum(byte < 9 or 13 < byte < 32 for byte in start) - start.count(b"\x1b")
    if controls > len(start) // 50 and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(f"{file.name}: this is binary data, not a page of HTML; name an HTML file")
    click.echo(extract(body, url=url, method=method))


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
    found: dict[str, dict[str, Any]] = {
        row["method"]: {name: value for name, value in row.items() if name != "method"} for row in result.rows
    }
    pages = result.facts["pages"]
    if as_json:
        show_json({"folder": str(folder), "pages": pages, "methods": found})
        return
    click.echo(tell_count(pages, "page"))
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
