"""The cells of rows as a table, and cells that are written from a file of lines."""

from __future__ import annotations

import base64
import json
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata.collection.cells import show_bytes
from webstrata.collection.tables import Rows, Table
from webstrata.errors import FormatError, MissingError, UserError
from webstrata.store.table.cells import FAMILIES
from webstrata.store.table.rows import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from webstrata.store.table.cells import Cell, Value
    from webstrata.store.table.rows import Batch, Row, RowTable, Time

BATCH = 10_000
"""Lines of a file that are written together."""
_LONGEST = 60


class RowCells(NamedTuple):
    """A row with cells of some of its families."""

    row: Row
    cells: Mapping[str, Sequence[Cell]]

    def to_dict(self) -> dict[str, Any]:
        """As plain data: key, URL, and the cells by family."""
        families = {
            family: [
                {"column": cell.column, "time": cell.datetime, "value": _to_json(cell.value)}
                for cell in group
            ]
            for family, group in self.cells.items()
        }
        return {"row": self.row.key, "url": self.row.url, "families": families}


class CellTable(Table):
    """The cells of one row or of several."""

    name = "cells"
    empty_columns = ("row", "family", "column", "time", "value")

    def __init__(self, found: Iterable[RowCells], *, is_one: bool = False) -> None:
        self.found, self._is_one = list(found), is_one

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per cell; bytes that are not text are encoded by Base64."""
        return [
            {
                "row": each.row.key,
                "family": family,
                "column": cell.column,
                "time": cell.datetime,
                "value": json.dumps(value) if isinstance(value := _to_json(cell.value), dict) else str(value),
            }
            for each in self.found
            for family, group in each.cells.items()
            for cell in group
        ]

    def to_dict(self) -> dict[str, Any]:
        """Each row with its cells by family; of one row, that row."""
        return self.found[0].to_dict() if self._is_one else {"rows": [each.to_dict() for each in self.found]}

    def tables(self) -> dict[str, Table]:
        """The cells with short values; a row without cells has a line too."""
        rows = []
        for each in self.found:
            cells = [
                {"row": each.row.key, "family": family, "column": cell.column, **_show(cell)}
                for family, group in each.cells.items()
                for cell in group
            ]
            rows += cells or [{"row": each.row.key, "family": "", "column": "", "time": "", "value": ""}]
        names = self.empty_columns[1:] if self._is_one else self.empty_columns
        return {"Cells": Rows("cells", rows, headings={name: name for name in names})}


def list_row(
    table: RowTable,
    row: str,
    *,
    families: Sequence[str] = (),
    at: Time | None = None,
    versions: bool = False,
) -> CellTable:
    """The cells of a row as it was at a time, of all families or some; `MissingError` if there are none.

    Examples
    --------
    >>> from webstrata import testing
    >>> with testing.collection().table as table:
    ...     list_row(table, "http://reef.example/fish", families=["text"]).to_dict()["url"]
    'http://reef.example/fish'
    """
    found = table.find(row) if at is None else table.find(row).at(at)
    cells = {family: _cells(found, family, versions=versions) for family in families or ALL}
    if not any(cells.values()):
        raise MissingError(f"{table.path}: the row {found.key} has no cell; list the rows with `table scan`")
    return CellTable([RowCells(found, cells)], is_one=True)


def list_rows(
    table: RowTable,
    prefix: str = "",
    *,
    start: str = "",
    stop: str | None = None,
    families: Sequence[str] = (),
    at: Time | None = None,
    limit: int | None = None,
) -> CellTable:
    """The cells of rows in the order of their keys; without families, those that can be written.

    Examples
    --------
    >>> from webstrata import testing
    >>> with testing.collection().table as table:
    ...     table.put("http://reef.example/fish", {"meta": {"note": "seen"}})
    ...     list_rows(table, "example,reef)", families=["meta"]).to_arrow()["value"].to_pylist()
    ['seen']
    """
    rows = table.scan(prefix, start=start, stop=stop, families=families or None, at=at)
    return CellTable(
        RowCells(row, {family: _cells(row, family) for family in families or FAMILIES})
        for row in islice(rows, limit)
    )


def put_lines(table: RowTable, lines: Iterable[bytes], name: str, *, at: Time | None = None) -> int:
    """Write cells of a file with one JSON object per line, in batches; how many.

    Parameters
    ----------
    table
        Where they go.
    lines
        ``{"row", "family", "column", "value"}`` each, and perhaps ``"at"``.
    name
        The file, for errors.
    at
        The time of cells that have none.

    Examples
    --------
    >>> from webstrata import testing
    >>> line = b'{"row": "http://a.example/", "family": "meta", "column": "note", "value": "seen"}'
    >>> with testing.collection().table as table:
    ...     put_lines(table, [line], "cells.jsonl"), table["http://a.example/"]["meta"]["note"]
    (1, 'seen')
    """
    count, rest = 0, iter(lines)
    while piece := list(islice(rest, BATCH)):
        with table.batch() as batch:
            for place, line in enumerate(piece, count + 1):
                _put_line(batch, line, at, f"{name}, line {place}")
        count += len(piece)
    return count


def _cells(row: Row, family: str, *, versions: bool = False) -> Sequence[Cell]:
    """Cells by column; the newest of each unless all versions are wanted."""
    newest: dict[str, Cell] = {}
    cells = row.cells(family)
    for cell in cells:
        newest.setdefault(cell.column, cell)
    return cells if versions else list(newest.values())


def _to_json(value: Value) -> object:
    """Bytes become text where they are UTF-8, and Base64 elsewhere."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _show(cell: Cell) -> dict[str, str]:
    moment = f"{cell.datetime:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")
    if isinstance(cell.value, bytes):
        return {"time": moment, "value": f"({show_bytes(len(cell.value))})"}
    text = " ".join(str(cell.value).split())
    return {"time": moment, "value": text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"}


def _put_line(batch: Batch, line: bytes, at: Time | None, where: str) -> None:
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
            f"{where}: this is not a cell ({error}); correct the line and run the command again, which "
            f"writes the cells above it once more"
        ) from error
