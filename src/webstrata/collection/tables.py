"""Results that are tables: what polars, DuckDB, pandas and notebooks take as it is.

A class that has `to_arrow` becomes one by inheriting from `Table`::

    pl.DataFrame(uk.search("tropical fish"))    # by __arrow_c_stream__, which pyarrow and DuckDB know too

Its ``repr`` shows the first rows, and so does a notebook. A result with several tables lists them in
`tables`; one that can be drawn has `figures`. `TableList`, `TableDict` and `FactsTable` are for results that
are also a list, a dictionary or a set of named values.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, overload, runtime_checkable

from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

T = TypeVar("T")

SHOWN = 10
"""Rows that a ``repr`` shows, and a notebook."""
MOST_COLUMNS = 12
"""Columns that are shown."""
WIDEST = 60
"""Characters of a cell that are shown."""


def draw(result: object, title: str = "") -> list[Any]:
    """The figures of a result; the package replaces this by the drawing of `webstrata.serve`.

    Figures are made in a room above this one, which must not be imported here.

    Examples
    --------
    >>> import webstrata
    >>> draw is not webstrata.collection.tables.draw
    True
    """
    raise UsageError(f"{type(result).__name__}: nothing here draws figures; import webstrata first")


@runtime_checkable
class Result(Protocol):
    """What the command line, the report and the page show."""

    def tables(self) -> Mapping[str, Table]:
        """Its tables by title."""
        ...

    def figures(self, title: str = "") -> list[Any]:
        """Its figures; none if there is nothing to draw."""
        ...


class Table:
    """A result with rows; `to_arrow` is what a class has to define, or `to_rows`."""

    empty_columns: ClassVar[tuple[str, ...]] = ()
    """Names of the columns, for a result without rows."""
    formats: Mapping[str, str] = {}  # not to be changed
    """How numbers of a column are written for people (see `webstrata.collection.cells`)."""
    headings: Mapping[str, str] = {}
    """Columns that people see, in this order, with their headings; empty for all columns by their names."""
    shown: int | None = None
    """Rows that the command line and the report show; all if None, and none of a table for programs alone."""
    note: str = ""
    """What a reader has to know, below the table."""

    def to_rows(self) -> Iterable[Mapping[str, Any]]:
        """Its rows as plain data, the same names in each."""
        raise TypeError(f"{type(self).__name__} has neither to_arrow nor to_rows; define one of them")

    def to_arrow(self) -> pa.Table:
        """Its rows as an Arrow table."""
        return _to_arrow([dict(row) for row in self.to_rows()], self.empty_columns)

    def to_dict(self) -> dict[str, Any]:
        """Its columns as plain data: lists by name."""
        found: dict[str, Any] = self.to_arrow().to_pydict()
        return found

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_json(self) -> dict[str, Any]:
        """Deprecated: the former name of `to_dict`."""
        warn_renamed("to_json()", "to_dict()")
        return self.to_dict()

    def tables(self) -> Mapping[str, Table]:
        """Its tables by title; a result with one table is that table."""
        return {_name(self): self}

    def figures(self, title: str = "") -> list[Any]:
        """Its figures: each has a `name` and a `chart` of Altair; none if there is nothing to draw.

        They need the extra ``webstrata[plots]``. `title` is what they are about, as the name of a snapshot.
        """
        return draw(self, title)

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first rows, and how many rows there are; large tables define it without reading the others."""
        table = self.to_arrow()
        return table.slice(0, number), table.num_rows

    def __repr__(self) -> str:
        table, total = self.preview()
        columns, rows = _cut(table)
        if not columns:
            return f"<{_describe(self, table, total)}>"
        lines = [columns, *rows]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        shown = ["  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines]
        more = ["…"] if total > SHOWN else []
        return "\n".join([f"<{_describe(self, table, total)}>", *shown, *more])

    def _repr_html_(self) -> str:
        import html  # not for commands, which begin sooner without it

        table, total = self.preview()
        columns, rows = _cut(table)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>\n" for row in rows
        )
        caption = html.escape(_describe(self, table, total))
        return (
            f"<table><caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n"
            f"<tbody>\n{body}</tbody></table>"
        )


class Rows(Table):
    """A table of rows that a function has found, with what is known about all of them.

    Parameters
    ----------
    name
        What the rows are, for ``repr``.
    rows
        The rows, with the same names in each.
    facts
        What is known about all of them together; `to_dict` has it before the rows.
    formats, headings, shown, note
        How the command line and the report show it; see `Table`.

    Examples
    --------
    >>> Rows("similar pages", [{"url": "http://a.example/", "similarity": 0.5}], {"snapshot": "2026-06"})
    <similar pages: 1 row × 2 columns>
    url                similarity
    http://a.example/  0.5
    """

    def __init__(
        self,
        name: str,
        rows: Iterable[Mapping[str, Any]],
        facts: Mapping[str, Any] | None = None,
        *,
        formats: Mapping[str, str] | None = None,
        headings: Mapping[str, str] | None = None,
        shown: int | None = None,
        note: str = "",
    ) -> None:
        self.name, self.rows, self.facts = name, [dict(row) for row in rows], dict(facts or {})
        self.formats, self.headings, self.shown, self.note = formats or {}, headings or {}, shown, note

    def to_rows(self) -> list[dict[str, Any]]:
        """The rows."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """The facts, then the rows by the name of the table."""
        return {**self.facts, self.name.replace(" ", "_"): self.rows}

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return self.rows[place]


if TYPE_CHECKING:

    class TableSequence(Sequence[T], Table):
        """A sequence that is a table."""

    class TableMapping(Mapping[str, T], Table):
        """A mapping that is a table."""

else:

    class TableMapping(Table, Generic[T]):
        """A mapping that is a table: it has the methods of `Mapping`, and is none to ``isinstance``."""

        __contains__ = Mapping.__contains__
        get, items, keys, values = Mapping.get, Mapping.items, Mapping.keys, Mapping.values

    class TableSequence(Table, Generic[T]):
        """A sequence that is a table: it has the methods of `Sequence`.

        It is none to ``isinstance``, since polars would then take its members as rows.
        """

        __contains__, __iter__, __reversed__ = Sequence.__contains__, Sequence.__iter__, Sequence.__reversed__
        count, index = Sequence.count, Sequence.index


class TableList(TableSequence[T]):
    """Results of one kind in order, which are a table too; equal to a list of the same results.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Page(NamedTuple):
    ...     url: str
    ...     words: int
    >>> pages = TableList([Page("http://a.example/", 7)])
    >>> pages.to_dict(), pages[-1].words
    ({'url': ['http://a.example/'], 'words': [7]}, 7)
    """

    def __init__(self, members: Iterable[T] = ()) -> None:
        self._members = list(members)

    def __len__(self) -> int:
        return len(self._members)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> TableList[T]: ...
    def __getitem__(self, place: int | slice) -> T | TableList[T]:
        return type(self)(self._members[place]) if isinstance(place, slice) else self._members[place]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | TableList) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as a list

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per member."""
        return [_to_row(each) for each in self]


class TableDict(TableMapping[T]):
    """Results of one kind by name, which are a table too; its first column has the names.

    Examples
    --------
    >>> TableDict({"2026-06": {"captures": 16}}).to_arrow().to_pylist()
    [{'name': '2026-06', 'captures': 16}]
    """

    def __init__(self, members: Mapping[str, T]) -> None:
        self._members = dict(members)

    def __getitem__(self, name: str) -> T:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __eq__(self, other: object) -> bool:
        return self._members == dict(other) if isinstance(other, dict | TableDict) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as a dictionary

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per name."""
        return [{"name": name} | _to_row(each) for name, each in self.items()]

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data, by name."""
        return {name: _to_row(each) for name, each in self.items()}


class FactsTable(Table):
    """A result of named values: `to_dict` is what a class has to define. One row per value.

    Values inside of others are named by both, as ``damage.file``; lists are left to `tables` and `to_dict`.

    Examples
    --------
    >>> class Counts(FactsTable):
    ...     def to_dict(self):
    ...         return {"pages": 7, "skipped": {"robots": 2}}
    >>> Counts()
    <Counts: 2 rows × 2 columns>
    name            value
    pages           7
    skipped.robots  2
    """

    empty_columns = ("name", "value")

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per value."""
        return [{"name": name, "value": value} for name, value in _flatten(self.to_dict())]

    def to_dict(self) -> dict[str, Any]:
        """Its values by name."""
        if is_dataclass(self):
            return asdict(self)
        raise TypeError(f"{type(self).__name__} has no to_dict; define it")


class ArrowTable(Table):
    """An Arrow table with a name, as a result; it has the methods of the Arrow table too.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = ArrowTable("features", pa.table({"host": ["a.example"], "pages": [7]}))
    >>> len(table), table["pages"].to_pylist()
    (1, [7])
    """

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name, self._table = name, table

    def to_arrow(self) -> pa.Table:
        """The Arrow table itself."""
        return self._table

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        return self._table[column]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._table, name)


def warn_renamed(old: str, new: str) -> None:
    """Warn the caller of a method that its name, or that of a keyword, has changed.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_renamed("since", "start")
    >>> str(caught[0].message)
    'since is deprecated and will be removed in the next release; use start'
    """
    message = f"{old} is deprecated and will be removed in the next release; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def _flatten(facts: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        elif value is not None and not isinstance(value, list | tuple | set):
            yield f"{prefix}{name}", value


def _to_row(each: Any) -> dict[str, Any]:  # noqa: ANN401
    if isinstance(each, Mapping):
        return dict(each)
    for name in ("to_dict", "to_table", "_asdict"):
        if hasattr(each, name):
            return dict(getattr(each, name)())
    return asdict(each)


def _to_arrow(rows: list[dict[str, Any]], columns: Iterable[str]) -> pa.Table:
    """Rows as an Arrow table; a column whose values are of several types has them as texts."""
    import pyarrow as pa

    names = list(dict.fromkeys([name for row in rows for name in row] or columns))
    arrays = []
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            arrays.append(pa.array([_plain(value) for value in values]))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            arrays.append(pa.array([_to_text(value) for value in values], pa.string()))
    # readers of Arrow know no struct without fields
    arrays = [
        pa.array([_to_text(value) for value in array.to_pylist()], pa.string())
        if pa.types.is_struct(array.type) and not array.type.num_fields
        else array
        for array in arrays
    ]
    return pa.table(arrays, names=names)


def _plain(value: Any) -> Any:  # noqa: ANN401
    return {str(name): each for name, each in value.items()} if isinstance(value, Mapping) else value


def _to_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, default=str, ensure_ascii=False)


def _name(table: Table) -> str:
    name = getattr(table, "name", None)
    return name if isinstance(name, str) and name else type(table).__name__


def _describe(table: Table, content: pa.Table, total: int) -> str:
    name = _name(table)
    rows = f"{total:,} row{'' if total == 1 else 's'}"
    return f"{name}: {rows} × {content.num_columns} column{'' if content.num_columns == 1 else 's'}"


def _cut(table: pa.Table) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the first rows as texts."""
    names = table.column_names[:MOST_COLUMNS]
    more = ["…"] if len(names) < table.num_columns else []
    first = table.select(names).to_pylist()
    return [*names, *more], [[*(_show(row[name]) for name in names), *more] for row in first]


def _show(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
