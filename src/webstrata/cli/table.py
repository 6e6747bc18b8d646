"""webstrata table."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import click

from webstrata.cli.options import at_option, collection_argument, json_option, limit_option
from webstrata.cli.output import say, show, show_answered, show_json
from webstrata.cli.verb import VerbGroup
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection

row_argument = click.argument("row", metavar="ROW")
family_option = click.option(
    "--family", "families", metavar="NAME", multiple=True, help="Only this family; may be given again."
)
as_of_option = at_option("Show rows as they were at this date. [as they are]")


@click.group(
    "table", cls=VerbGroup, epilog="Example: webstrata table get uk http://example.uk/a --family scores"
)
def command() -> None:
    """Read and write the rows of COLLECTION's table.

    ROW is a URL or a row key. The families content, http, text and links are what was captured; anchor, meta
    and scores can be written.
    """


@command.command(
    "get", epilog="Example: webstrata table get uk http://example.uk/a --family scores --versions"
)
@collection_argument
@row_argument
@family_option
@as_of_option
@click.option("--versions", is_flag=True, help="Every version, not only the newest.")
@json_option
def get(
    collection: Collection,
    row: str,
    families: tuple[str, ...],
    at: str | None,
    *,
    versions: bool,
    as_json: bool,
) -> None:
    """Show the cells of ROW."""
    from webstrata.store.table.listing import list_row

    with collection.table as table:
        found = list_row(table, row, families=families, at=at, versions=versions)
    if "://" in row:
        show_answered(row, found.found[0].row.url, f"{row} has no cell")
    if as_json:
        show_json(found)
    else:
        show(found)


@command.command("put", epilog="Example: webstrata table put uk http://example.uk/a meta note 'seen twice'")
@collection_argument
@click.argument("row", required=False, metavar="[ROW")
@click.argument("family", required=False, metavar="FAMILY")
@click.argument("column", required=False, metavar="COLUMN")
@click.argument("value", required=False, metavar="VALUE]")
@at_option("The time of the cell. [that of the newest snapshot]")
@click.option("--number", is_flag=True, help="VALUE is a number, not a text.")
@click.option(
    "--lines",
    type=click.File("rb"),
    help='Cells from a file (- for stdin), a JSON object a line: {"row", "family", "column", "value", "at"}.',
)
def put(
    collection: Collection,
    row: str | None,
    family: str | None,
    column: str | None,
    value: str | None,
    at: str | None,
    lines: BinaryIO | None,
    *,
    number: bool,
) -> None:
    """Write a cell, or many from a file.

    It is on disk when the command ends. The cells of a file are written in batches of 10 000.
    """
    from webstrata.store.table.listing import put_lines

    with collection.table as table:
        if lines is not None:
            if row is not None:
                raise UsageError("webstrata table put: give a cell or --lines, not both")
            say(f"{tell_count(put_lines(table, lines, lines.name, at=at), 'cell')} written.")
            return
        if row is None or family is None or column is None or value is None:
            raise UsageError("webstrata table put: a cell needs ROW, FAMILY, COLUMN and VALUE")
        table.put(row, {family: {column: _number(value) if number else value}}, at=at)
    say(f"{row}: {family}:{column} written.")


@command.command("delete", epilog="Example: webstrata table delete uk http://example.uk/a meta note")
@collection_argument
@row_argument
@click.argument("family", required=False, metavar="[FAMILY")
@click.argument("column", required=False, metavar="COLUMN]")
@at_option("Delete only versions of this date.")
def delete(collection: Collection, row: str, family: str | None, column: str | None, at: str | None) -> None:
    """Delete what can be written of ROW: all of it, a family or a column."""
    with collection.table as table:
        table.delete(row, family, column, at=at)
    say(f"{row}: {':'.join(filter(None, (family, column))) or 'all that can be written'} deleted.")


@command.command(
    "scan",
    renamed={"--from": "--start", "--to": "--stop"},
    epilog="Example: webstrata table scan uk 'uk,example)/' --family scores --json",
)
@collection_argument
@click.argument("prefix", default="")
@family_option
@click.option("--start", default="", metavar="KEY", help="The first row key. [the first one]")
@click.option("--stop", metavar="KEY", help="The row key to stop before. [none]")
@as_of_option
@limit_option("rows of the table, each with all its cells", 100)
@json_option
def scan(
    collection: Collection,
    prefix: str,
    families: tuple[str, ...],
    start: str,
    stop: str | None,
    at: str | None,
    limit: int,
    *,
    as_json: bool,
) -> None:
    """Show rows in the order of their keys, those that begin with PREFIX.

    org,example)/ is a host, org,example all below the domain's name. Without --family only the keys are
    shown, and whatever can be written.
    """
    from webstrata.store.table.listing import list_rows

    with collection.table as table:
        found = list_rows(table, prefix, start=start, stop=stop, families=families, at=at, limit=limit)
    if as_json:
        show_json(found.to_dict()["rows"])
    else:
        show(found)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"webstrata table put: {text!r} is not a number; leave --number out") from None
