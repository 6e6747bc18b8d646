"""webstrata report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import show_bytes, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("report", epilog="Example: webstrata report uk --open")
@collection_argument
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write it; by default reports/report.html in the collection.",
)
@click.option("--open", "opens", is_flag=True, help="Show it in the browser.")
@json_option
def command(collection: Collection, output: Path | None, *, opens: bool, as_json: bool) -> None:
    """Write the papers' tables and figures of COLLECTION as one HTML file.

    It has everything inside it and needs no network. It reads what is stored and computes nothing that takes
    long; what is missing is said in it, with the command that makes it. `webstrata run` makes all of it.
    """
    from webstrata.serve.report import write_report

    path, chapters = write_report(collection, output)
    missing = [(chapter.title, item) for chapter in chapters for item in chapter.missing]
    figures = sum(len(sheet.figures) for chapter in chapters for sheet in chapter.sheets)
    tables = sum(len(sheet.tables) for chapter in chapters for sheet in chapter.sheets)
    if as_json:
        show_json(
            {
                "report": str(path),
                "figures": figures,
                "tables": tables,
                "missing": [
                    {"chapter": title, "what": item.what, "why": item.why, "command": item.command}
                    for title, item in missing
                ],
            }
        )
    else:
        click.echo(
            f"{path}: {tell_count(figures, 'figure')}, {tell_count(tables, 'table')}, "
            f"{show_bytes(path.stat().st_size)}."
        )
        for _, item in missing:
            why = f" ({item.why})" if item.why else ""
            click.echo(f"Missing: {item.what}{why}; `{item.command}` makes it.")
    if opens:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
