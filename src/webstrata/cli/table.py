"""webstrata table."""

from __future__ import annotations

import base64
import json
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from webstrata.cli.options import at_option, collection_argument, json_option, limit_option
from webstrata.cli.output import say, show_answered, show_bytes, show_json, show_table
from webstrata.cli.verb import VerbGroup
from webstrata.collection.sentences import tell_count
from webstrata.errors import FormatError, MissingError, UsageError, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.store.table import Batch, Cell, Row

_BATCH = 10_000
"""Lines of a file that are written together."""

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
    from webstrata.store.table.rows import ALL

    with collection.table as table:
        found = table.find(row) if at is None else table.find(row).at(at)
        cells = {family: _cells(found, family, versions=versions) for family in families or ALL}
    if not any(cells.values()):
        raise MissingError(
            f"{collection.path}: the row {found.key} has no cell here; `webstrata table scan` lists the rows"
        )
    if "://" in row:
        show_answered(row, found.url, f"{row} has no cell")
    if as_json:
        show_json({"row": found.key, "url": found.url, "families": _document(cells)})
    else:
        show_table(
            ["family", "column", "time", "value"],
            [
                (family, cell.column, _time(cell), _short(cell.value))
                for family, group in cells.items()
                for cell in group
            ],
        )


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
    with collection.table as table:
        if lines is not None:
            if row is not None:
                raise UsageError("webstrata table put: give a cell or --lines, not both")
            count = 0
            while piece := list(islice(lines, _BATCH)):
                with table.batch() as batch:
                    for place, line in enumerate(piece, count + 1):
                        _put_line(batch, line, at, f"{lines.name}, line {place}")
                count += len(piece)
            say(f"{tell_count(count, 'cell')} written.")
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
    from webstrata.store.table import FAMILIES

    with collection.table as table:
        rows = table.scan(prefix, start=start, stop=stop, families=families or None, at=at)
        found = [
            (row, {family: _cells(row, family) for family in families or FAMILIES})
            for row in islice(rows, limit)
        ]
    if as_json:
        show_json([{"row": row.key, "url": row.url, "families": _document(cells)} for row, cells in found])
        return
    lines: list[tuple[str, ...]] = []
    for row, cells in found:
        shown = [
            (row.key, family, cell.column, _time(cell), _short(cell.value))
            for family, group in cells.items()
            for cell in group
        ]
        lines += shown or [(row.key, "", "", "", "")]
    show_table(["row", "family", "column", "time", "value"], lines)


def _cells(row: Row, family: str, *, versions: bool = False) -> Sequence[Cell]:
    """Cells by column; the newest of each unless all versions are wanted."""
    newest: dict[str, Cell] = {}
    cells = row.cells(family)
    for cell in cells:
        newest.setdefault(cell.column, cell)
    return cells if versions else list(newest.values())


def _document(cells: dict[str, Sequence[Cell]]) -> dict[str, list[dict[str, Any]]]:
    return {
        family: [
            {"column": cell.column, "time": cell.datetime, "value": _to_json(cell.value)} for cell in group
        ]
        for family, group in cells.items()
    }


def _to_json(value: object) -> object:
    """Bytes become text where they are UTF-8, and Base64 elsewhere."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _time(cell: Cell) -> str:
    return f"{cell.datetime:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")


def _short(value: object) -> str:
    if isinstance(value, bytes):
        return f"({show_bytes(len(value))})"
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:59] + "…"


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"webstrata table put: {text!r} is no number; leave --number out") from None


def _put_line(batch: Batch, line: bytes, at: str | None, where: str) -> None:
    try:
        cell = json.loads(line)
        row, family, column, value = (cell[name] for name in ("row", "family", "column", "value"))
        if not all(isinstance(text, str) for text in (row, family, column)):
            raise ValueError("row, family and column are texts")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError("the value is a text or a number")
        batch.put(row, {family: {column: value}}, at=cell.get("at", at))
    except (ValueError, KeyError, TypeError, UserError) as error:
        raise FormatError(
            f"{where}: this is no cell ({error}); mend the line, and run the command again, which writes the "
            f"cells above it once more"
        ) from error
