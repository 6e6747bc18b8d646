"""How the values of tables are written for people: on the terminal, in notebooks and in the report.

A table names the format of a column where the number alone would not do (`Table.formats`): a format of
Python, as ``.3f`` or ``.1%``, ``bytes``, or ``s`` for seconds. Other whole numbers are grouped by thousands,
other fractions have six digits, and a dash stands for what is not known. `Table.headings` chooses columns and
names them for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from webstrata.collection.tables import Table

UNKNOWN = "–"


class FormattedRows(NamedTuple):
    """Rows of a table as people see them."""

    columns: list[str]
    rows: list[list[str]]
    is_number: list[bool]
    """By column: whether it has numbers alone, which stand to the right."""
    left_out: int
    """Rows that are not among them."""


def lay_out_cells(table: Table, number: int | None = None) -> FormattedRows:
    """The first rows of a table as texts; as many as the table says, if no number is given.

    Examples
    --------
    >>> from webstrata.collection.tables import Rows
    >>> table = Rows("sizes", [{"part": "graph", "share": 0.5, "size": 1536}] * 3,
    ...              formats={"share": ".1%", "size": "bytes"}, shown=1)
    >>> lay_out_cells(table)
    FormattedRows(columns=['part', 'share', 'size'], rows=[['graph', '50.0%', '1.5 KiB']],
          is_number=[False, True, True], left_out=2)
    """
    number = table.shown if number is None else number
    if number is None:
        content = table.to_arrow()
        total = content.num_rows
    else:
        content, total = table.preview(number)
    headings = {name: heading for name, heading in table.headings.items() if name in content.column_names}
    headings = headings or {name: name for name in content.column_names}
    names = list(headings)
    if not names:  # Arrow counts no rows where there are no columns
        return FormattedRows([], [], [], 0)
    values = [[row[name] for name in names] for row in content.to_pylist()]
    return FormattedRows(
        [*headings.values()],
        [[write(value, table.formats.get(name, "")) for name, value in zip(names, row, strict=True)]
         for row in values],
        [all(_is_number(value) for value in column) for column in zip(*values, strict=True)],
        total - len(values),
    )  # fmt: skip


def write(value: Any, how: str = "") -> str:  # noqa: ANN401
    """A value for people, in a format of its column.

    Examples
    --------
    >>> write(1234567), write(0.25, ".1%"), write(2048, "bytes"), write(0.123456789), write(None)
    ('1,234,567', '25.0%', '2.0 KiB', '0.123457', '–')
    >>> write(["a", "b"]), write(True), write(12.0, ".1f"), write(0.25, "s")
    ('a b', 'True', '12.0', '0.2 s')
    """
    if value is None:
        return UNKNOWN
    if isinstance(value, list | tuple):
        return " ".join(write(each, how) for each in value)
    if not _is_number(value) or isinstance(value, str):
        return str(value)
    if how == "bytes":
        return show_bytes(int(value))
    if how == "s":
        return f"{value:,.1f} s"
    if how:
        return format(value, how)
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def round_value(value: Any, how: str = "") -> Any:  # noqa: ANN401
    """A value with as many digits as its format has, still a number; percents are numbers of hundredths.

    Examples
    --------
    >>> round_value(0.12345, ".1%"), round_value(0.12345, ".3f"), round_value(7, ".2f"), round_value(0.5, "g")
    (12.3, 0.123, 7, 0.5)
    """
    if isinstance(value, list | tuple):
        return write(value, how)
    if not _is_number(value) or value is None or not how:
        return value
    if how in ("bytes", "s"):
        return write(value, how)
    if how[0] != "." or how[-1] not in "f%":
        return float(write(value, how).replace(",", ""))
    digits = int(how[1:-1])
    return round(100 * value, digits) if how[-1] == "%" else round(value, digits)


def show_bytes(number: int) -> str:
    """A size for people.

    Examples
    --------
    >>> show_bytes(0), show_bytes(1536), show_bytes(3 << 30)
    ('0 B', '1.5 KiB', '3.0 GiB')
    """
    size = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def show_time(seconds: float) -> str:
    """A time for people.

    Examples
    --------
    >>> show_time(7.2), show_time(75), show_time(3700), show_time(200_000)
    ('7 s', '1:15', '1:01:40', '2 d 7:33:20')
    """
    whole = int(seconds)
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, left = divmod(rest, 60)
    if days:
        return f"{days} d {hours}:{minutes:02}:{left:02}"
    if hours:
        return f"{hours}:{minutes:02}:{left:02}"
    return f"{minutes}:{left:02}" if minutes else f"{whole} s"


def _is_number(value: object) -> bool:
    """Whether it stands to the right; what is not known does not prevent that."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
