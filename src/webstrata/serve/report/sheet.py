"""Sheets: what a chapter of the report is made of, as plain data.

A sheet of JSON is ``{"name", "title", "text": […], "command", "tables": [{"title", "columns", "rows"}],
"figures": [{"name", "spec"}]}``, where ``spec`` is of Vega-Lite, without colours and fonts: these are the
page's, which has a light and a dark set. A figure has at most `MAX_ROWS` rows of data in all, evenly chosen
where there are more, so that the file stays small whatever the collection.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from webstrata.collection.action import Action
from webstrata.collection.cells import round_value
from webstrata.collection.makers import find_source, suggest_pages
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webstrata.collection import Collection
    from webstrata.collection.tables import Result, Table
    from webstrata.serve.figures.style import Figure

_T = TypeVar("_T")
MAX_ROWS = 10_000
"""Rows of data of one figure."""
FORMAT = 2
"""Of sheets as they are written now; those of 0.1.0 have no number and count as 1."""
MAX_TABLE = 100
"""Rows of one table."""


@dataclass(frozen=True)
class SheetTable:
    """A table; its rows are texts and numbers."""

    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure as the page draws it."""

    name: str
    spec: dict[str, Any]


@dataclass(frozen=True)
class Missing:
    """What is not there, why, and the command that makes it."""

    what: str
    command: str
    why: str = ""


def lacks_second(what: str, collection: Collection) -> Missing:
    """What is said of things that take two snapshots, where there are fewer.

    Examples
    --------
    >>> from webstrata import testing
    >>> lacks_second("ranks through time", testing.empty().add("2026-06").collection).why
    'it takes two snapshots, and there is 1'
    """
    labels = (*collection.dates, "SNAPSHOT")
    command = Action.on(collection, "run", snapshots=labels, seeds="seeds.txt").command
    if find_source(collection.path) == "ingest":
        command = suggest_pages(collection.path, "SNAPSHOT").command
    are = "is 1" if len(collection) == 1 else f"are {len(collection)}"
    return Missing(what, command, f"it takes two snapshots, and there {are}")


@dataclass(frozen=True)
class Sheet:
    """Tables and figures of one thing."""

    name: str
    title: str
    text: list[str] = field(default_factory=list)
    tables: list[SheetTable] = field(default_factory=list)
    figures: list[Drawing] = field(default_factory=list)
    command: str = ""
    notes: list[str] = field(default_factory=list)
    """What is wrong with it: that it is older than what it was made from."""
    format: int = FORMAT

    def to_bytes(self) -> bytes:
        """As JSON.

        Examples
        --------
        >>> sheet = Sheet("hosts", "Hosts", tables=[SheetTable("Sizes", ["host"], [["a.example"]])])
        >>> Sheet.from_bytes(sheet.to_bytes()) == sheet
        True
        """
        return json.dumps(asdict(self), ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes, where: str = "sheet.json") -> Sheet:
        """What `to_bytes` gave, or `FormatError`."""
        try:
            found = {"format": 1} | json.loads(data)
            tables = [SheetTable(**table) for table in found.pop("tables")]
            figures = [Drawing(**figure) for figure in found.pop("figures")]
            return cls(**found, tables=tables, figures=figures)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise FormatError(f"{where}: this is no sheet of a report ({error}); make it again") from None


def to_tables(result: Result) -> list[SheetTable]:
    """The tables of a result that people look at; percents and rounded numbers stay numbers.

    Examples
    --------
    >>> from webstrata.collection.tables import Rows
    >>> to_tables(Rows("hosts", [{"host": "a", "share": 0.12345}], formats={"share": ".1%"}))
    [SheetTable(title='hosts', columns=['host', 'share, %'], rows=[['a', 12.3]], note='')]
    """
    return [to_table(title, table) for title, table in result.tables().items() if table.shown != 0]


def to_table(title: str, table: Table) -> SheetTable:
    """A table of a result with as many rows as it shows.

    Examples
    --------
    >>> from webstrata.collection.tables import Rows
    >>> to_table("Hosts", Rows("hosts", [{"host": "a"}, {"host": "b"}], shown=1)).note
    'The first 1 of 2 rows.'
    """
    content, formats = table.to_arrow(), table.formats
    headings = {name: heading for name, heading in table.headings.items() if name in content.column_names}
    headings = headings or {name: name for name in content.column_names}
    columns = [
        f"{heading}, %" if formats.get(name, "").endswith("%") else heading
        for name, heading in headings.items()
    ]
    rows = [
        [round_value(row[name], formats.get(name, "")) for name in headings] for row in content.to_pylist()
    ]
    most = MAX_TABLE if table.shown is None else table.shown
    return bounded(SheetTable(title, columns, rows, table.note), most)


def to_drawings(figures: Sequence[Figure], prefix: str) -> list[Drawing]:
    """Charts as the page draws them, their names with a prefix; not more than `MAX_ROWS` rows each.

    Examples
    --------
    >>> from webstrata.serve.figures.style import Figure, load_altair
    >>> alt = load_altair()
    >>> rows = [{"x": x} for x in range(30_000)]
    >>> chart = alt.Chart(alt.Data(values=rows)).mark_point().encode(x="x:Q")
    >>> found = to_drawings([Figure("many", chart)], "hosts")[0]
    >>> found.name, len(found.spec["data"]["values"]), "config" in found.spec
    ('hosts-many', 10000, False)
    """
    drawings = []
    for figure in figures:
        spec = figure.chart.to_dict(validate=False)
        for key in ("config", "$schema"):
            spec.pop(key, None)
        bound_rows(spec)
        drawings.append(Drawing(f"{prefix}-{figure.name}", spec))
    return drawings


def bound_rows(spec: dict[str, Any], most: int = MAX_ROWS) -> None:
    """Thin out the data of a chart evenly, the first and the last row of each kept.

    Examples
    --------
    >>> spec = {"data": {"values": [{"x": x} for x in range(100)]}}
    >>> bound_rows(spec, 4)
    >>> [row["x"] for row in spec["data"]["values"]]
    [0, 33, 66, 99]
    """
    found = list(_data(spec))
    total = sum(len(data["values"]) for data in found)
    for data in found:
        rows = data["values"]
        kept = max(len(rows) * most // max(total, 1), 2)
        if total > most and len(rows) > kept:
            data["values"] = choose_evenly(rows, kept)


def _data(node: object) -> Iterator[dict[str, Any]]:
    """Every place in a chart that has rows of data."""
    if isinstance(node, dict):
        values = node.get("data")
        if isinstance(values, dict) and isinstance(values.get("values"), list):
            yield values
        for key, child in node.items():
            if key != "data":
                yield from _data(child)
    elif isinstance(node, list):
        for child in node:
            yield from _data(child)


def choose_evenly(items: Sequence[_T], most: int) -> list[_T]:
    """At most so many of some items, evenly chosen, the first and the last among them.

    Examples
    --------
    >>> choose_evenly(range(12), 4), choose_evenly("abc", 4)
    ([0, 3, 7, 11], ['a', 'b', 'c'])
    """
    if len(items) <= most:
        return list(items)
    return [items[place * (len(items) - 1) // (most - 1)] for place in range(most)]


def bounded(table: SheetTable, most: int = MAX_TABLE) -> SheetTable:
    """A table of not more rows than that, with a note where some are left out.

    Examples
    --------
    >>> bounded(SheetTable("Hosts", ["host"], [["a"], ["b"], ["c"]]), 2).note
    'The first 2 of 3 rows.'
    """
    if len(table.rows) <= most:
        return table
    note = f"{table.note} The first {most:,} of {len(table.rows):,} rows.".strip()
    return replace(table, rows=table.rows[:most], note=note)
