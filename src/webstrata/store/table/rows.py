"""Rows of the table: what is captured of a page and what is noted about it, under one key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING

from webstrata.errors import UrlError, UsageError
from webstrata.store.table.cells import (
    FAMILIES,
    MAX_TIME,
    Cell,
    CellChange,
    Cells,
    Value,
    after_prefix,
    column_prefix,
    encode_key,
    encode_value,
    parse_period,
)
from webstrata.store.table.views import VIEWS, Views
from webstrata.store.takedowns import find_takedowns
from webstrata.web.row_key import from_row_key, row_key
from webstrata.web.url import normalize

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from webstrata.collection import Collection

    Time = dt.datetime | str | int
    """A label or date (``2026-06``), a moment, or microseconds since 1970."""

ANCHOR = "anchor"
"""The family that has both: what pages of a snapshot say, and what was written."""
ALL = (*VIEWS, *FAMILIES)
"""Every family, those of captures first."""


def find_row_key(row: str) -> str:
    """The row key that a URL or a row key means, or `UsageError`.

    Examples
    --------
    >>> find_row_key("HTTP://www.Example.org/a"), find_row_key("org,example,www)/a")
    ('org,example,www)/a', 'org,example,www)/a')
    """
    if re.match(r"https?:", row, re.IGNORECASE):
        return row_key(normalize(row))
    try:
        if ")/" in row and row_key(normalize(from_row_key(row))) == row:
            return row
    except UrlError:
        pass
    raise UsageError(
        f"{row!r} is neither a URL nor a row key; write it as http://www.example.org/a or org,example,www)/a"
    )


class Family(Mapping[str, Value]):
    """The newest value of each column of a family, read when asked for and not before."""

    def __init__(self, row: Row, name: str) -> None:
        self._row, self._name = row, name
        self._newest: dict[str, Value] | None = None

    def __getitem__(self, column: str) -> Value:
        if self._newest is None:
            found = self._row.find(self._name, column)
            if found is None:
                raise KeyError(column)
            return found.value
        return self._newest[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def __repr__(self) -> str:
        return f"<{self._name} of {self._row.key}: {', '.join(self._load()) or 'empty'}>"

    def _load(self) -> dict[str, Value]:
        if self._newest is None:
            newest: dict[str, Value] = {}
            for cell in self._row.cells(self._name):
                newest.setdefault(cell.column, cell.value)
            self._newest = newest
        return self._newest


class Row:
    """A row as it was at a time: families by name, cells with their versions."""

    def __init__(
        self,
        table: RowTable,
        key: str,
        until: int = MAX_TIME,
        known: Mapping[str, list[Cell]] | None = None,
    ) -> None:
        self.key = key
        self._table, self._until, self._known = table, until, known or {}

    @property
    def url(self) -> str:
        """The URL whose row this is."""
        return from_row_key(self.key)

    def at(self, time: Time) -> Row:
        """The row as it was at the end of a date or label, or at a moment."""
        return Row(self._table, self.key, parse_period(time)[1], self._known)

    def __getitem__(self, family: str) -> Family:
        return Family(self, _check(family))

    def cells(self, family: str, column: str | None = None) -> list[Cell]:
        """The cells of a family or of one of its columns, all versions: by column, the newest first.

        A family of captures is read from every snapshot that has the page; `find` reads only one.
        """
        if _check(family) in VIEWS:
            views = self._table.views.cells(family, self.key, self._until)
            found = [cell for cells in views for cell in cells]
            found.sort(key=lambda cell: (cell.column.encode(), -cell.time))
        elif family in self._known:
            found = [cell for cell in self._known[family] if cell.time <= self._until]
        else:
            found = self._table.stored.read(family, self.key, self._until)
        if family == ANCHOR:
            found = _join(found, self._table.views.anchors(self.key, self._until))
        return [cell for cell in found if column in (None, cell.column)]

    def find(self, family: str, column: str) -> Cell | None:
        """The newest version of a cell, None where there is none."""
        if _check(family) in FAMILIES and family not in self._known and family != ANCHOR:
            return self._table.stored.read_cell(family, self.key, column, self._until)
        if family in FAMILIES:
            return next(iter(self.cells(family, column)), None)
        views = self._table.views.cells(family, self.key, self._until)
        return next((cell for cells in views for cell in cells if cell.column == column), None)

    def __bool__(self) -> bool:
        """Whether the row has a cell in any family."""
        if any(self.cells(family) for family in FAMILIES):
            return True
        return next(self._table.views.cells("http", self.key, self._until), None) is not None

    def __repr__(self) -> str:
        return f"<Row {self.key}>"


class Batch:
    """Changes that are collected and then made together, all or none."""

    def __init__(self, table: RowTable) -> None:
        self._table = table
        self._times: dict[Time | None, int] = {}
        self.changes: list[CellChange] = []

    def put(self, row: str, cells: Mapping[str, Mapping[str, Value]], *, at: Time | None = None) -> None:
        """Write cells, ``{family: {column: value}}``, stamped with the newest snapshot's time unless told."""
        key = find_row_key(row)
        time = self._times.get(at)
        if time is None:  # many cells have the same one
            time = parse_period(self._table.newest_label() if at is None else at)[0]
            self._times[at] = time
        for family, columns in cells.items():
            _check(family, writing=True)
            for column, value in columns.items():
                self.changes.append(CellChange(family, encode_key(key, column, time), encode_value(value)))

    def delete(
        self, row: str, family: str | None = None, column: str | None = None, *, at: Time | None = None
    ) -> None:
        """Delete what can be written of a row: all of it, a family, a column, or its version of a time."""
        key = find_row_key(row)
        if (column is not None and family is None) or (at is not None and column is None):
            raise UsageError("name the family of the column, and the column of the version, to be deleted")
        for name in FAMILIES if family is None else [_check(family, writing=True)]:
            if column is None:
                start = column_prefix(key, "")[:-1]
            elif at is None:
                start = column_prefix(key, column)
            else:
                first, last = parse_period(at)
                start, end = encode_key(key, column, last), encode_key(key, column, first) + b"\0"
                self.changes.append(CellChange(name, start, end=end))
                continue
            self.changes.append(CellChange(name, start, end=after_prefix(start)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.changes:
            self._table.stored.write(self.changes)
            self.changes = []


class RowTable:
    """The table of a collection; nothing is opened before it is needed.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.empty()
    >>> _ = uk.add("2026-05"), uk.add("2026-06")
    >>> with RowTable(uk) as table:
    ...     table.put("http://example.org/", {"scores": {"pagerank": 0.5}}, at="2026-05")
    ...     table.put("http://example.org/", {"scores": {"pagerank": 0.7}, "meta": {"note": "seen"}})
    ...     row = table["http://example.org/"]
    ...     row["scores"]["pagerank"], row.at("2026-05")["scores"]["pagerank"], list(row["meta"])
    ...     [row.key for row in table.scan("org,")]
    (0.7, 0.5, ['note'])
    ['org,example)/']
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self.stored = Cells(collection.working_folder("table"))
        self.views = Views(collection)

    @property
    def path(self) -> Path:
        """The path of its collection."""
        return self._collection.path

    def __getitem__(self, row: str) -> Row:
        key = find_row_key(row)
        find_takedowns(self._collection).check(from_row_key(key), str(self._collection.path))
        return Row(self, key)

    def get(self, row: str, *, at: str | None = None) -> Row:
        """The row of a URL or row key as `find` finds it, as it is or as it was at a time."""
        found = self.find(row)
        return found if at is None else found.at(at)

    def find(self, row: str) -> Row:
        """The row of a URL; if it has no cells, that of the same URL with https or http, where that has some.

        Examples
        --------
        >>> from webstrata import testing
        >>> with RowTable(testing.empty()) as table:
        ...     table.put("https://example.org/a", {"meta": {"note": "seen"}}, at="2026-05")
        ...     table.find("http://example.org/a").url, table.find("http://example.org/b").url
        ('https://example.org/a', 'http://example.org/b')
        """
        asked = self[row]
        twin = _twin(asked.key)
        if asked or twin is None:
            return asked
        return other if (other := Row(self, twin)) else asked

    def put(self, row: str, cells: Mapping[str, Mapping[str, Value]], *, at: Time | None = None) -> None:
        """Write cells of one row, ``{family: {column: value}}``: all or none, on disk when it returns."""
        with self.batch() as batch:
            batch.put(row, cells, at=at)

    def delete(
        self, row: str, family: str | None = None, column: str | None = None, *, at: Time | None = None
    ) -> None:
        """Delete what can be written of a row: all of it, a family, a column, or its version of a time."""
        with self.batch() as batch:
            batch.delete(row, family, column, at=at)

    def batch(self) -> Batch:
        """Changes of many rows that are made together, with one sync, when the block ends well."""
        return Batch(self)

    def scan(
        self,
        prefix: str = "",
        *,
        start: str = "",
        stop: str | None = None,
        families: Iterable[str] | None = None,
        at: Time | None = None,
    ) -> Iterator[Row]:
        """The rows in the order of their keys that have a cell in one of the families, or in any.

        Parameters
        ----------
        prefix
            What their keys begin with: ``org,example)`` is a host, ``org,`` all below .org.
        start, stop
            Row keys; the first is in the range, the second behind it.
        families
            Only these are touched.
        at
            Rows as they were then; one that had no cell yet may be among them, empty.
        """
        names = [_check(family) for family in (ALL if families is None else families)]
        low, high = prefix.encode(), after_prefix(prefix.encode())
        low = max(low, start.encode())
        high = high if stop is None else min(high, stop.encode())
        until = MAX_TIME if at is None else parse_period(at)[1]
        takedowns = find_takedowns(self._collection)
        stored = [name for name in FAMILIES if name in names]
        sources = [_mark(name, self.stored.scan(name, low, high)) for name in stored]
        if ANCHOR in names:
            sources.append((key, "", []) for key in self.views.anchor_rows(low, high))
        if set(names) & set(VIEWS):
            sources.append((key, "", []) for key in self.views.row_keys(low, high))
        # Python compares texts as their UTF-8 compares, so the order is that of the keys
        for key, group in groupby(merge(*sources, key=lambda item: item[:2]), key=lambda item: item[0]):
            if takedowns and takedowns.hides(from_row_key(key)):
                continue
            known: dict[str, list[Cell]] = {name: [] for name in stored}
            known.update((name, cells) for _, name, cells in group if name)
            yield Row(self, key, until, known)

    def newest_label(self) -> str:
        """The label of the newest snapshot, with whose time cells are stamped unless told otherwise."""
        labels = self._collection.dates
        if not labels:
            raise UsageError(
                f"{self._collection.path}: there is no snapshot yet whose time a cell could have; say which "
                f"time it has"
            )
        return labels[-1]

    def close(self) -> None:
        """Let everything go, the lock of a writer too; the next use opens what is there then."""
        self.stored.close()
        self.views.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Table of {self._collection.path}>"


def _twin(key: str) -> str | None:
    """The key of the same URL with the other scheme; None where a port is named."""
    if key.endswith(" https"):
        key = key.removesuffix(" https")
        return None if " " in key else key
    return None if " " in key else f"{key} https"


def _mark(name: str, rows: Iterable[tuple[str, list[Cell]]]) -> Iterator[tuple[str, str, list[Cell]]]:
    return ((key, name, cells) for key, cells in rows)


def _join(written: list[Cell], seen: list[Cell]) -> list[Cell]:
    """Cells of both by column, the newest first; what was written stands for what was seen then."""
    cells = {(cell.column, cell.time): cell for cell in (*seen, *written)}
    return sorted(cells.values(), key=lambda cell: (cell.column.encode(), -cell.time))


def _check(family: str, *, writing: bool = False) -> str:
    if writing and family in VIEWS:
        raise UsageError(
            f"family {family!r} is what was captured, and cannot be written; choose one of "
            f"{', '.join(FAMILIES)}"
        )
    if family not in ALL:
        raise UsageError(f"family {family!r} is not known; choose one of {', '.join(ALL)}")
    return family
