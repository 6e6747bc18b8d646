r"""Tables as ``mysqldump`` writes them, read in blocks as Arrow tables.

A dump of a table is text: comments, ``CREATE TABLE `page` (…);`` with a line for each column, and statements
``INSERT INTO `page` VALUES (1,0,'A'),(2,0,'It\'s');`` of about a megabyte. Strings stand in single quotes;
within them a backslash stands before what it takes the meaning from (``\'`` ``\"`` ``\\``), or makes a
character of the letter behind it (``\0 \b \n \r \t \Z``), and ``''`` is a quote too. Nothing but strings
can hold ``),(``, and no raw line feed stands within a string.

**The fast way.** With line feeds in place of ``),(`` a statement is CSV, which Arrow reads at native speed. A
string that holds ``),(`` has a line feed in it then, which no string has, so it can be put back. Statements
with other escapes than mysqldump writes for names of pages, with blanks around values, and those that are no
CSV with as many columns as the table has, go **the slow way**, row by row, where each damaged row is counted
and passed over. Which columns a table has, its own ``CREATE TABLE`` says, since they changed over the years.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from webstrata.errors import FormatError
from webstrata.store.wikipedia.packed import scan_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from webstrata.archive.tally import Tally

MAX_STATEMENT = 256 << 20
"""Bytes of the longest statement; those of mysqldump have one to sixteen million."""
_BATCH = 4 << 20
"""Bytes of rows that are read together."""
_HEAD = 1 << 20
"""Bytes within which a dump says what it is."""
_CREATE = re.compile(rb"CREATE TABLE (?:IF NOT EXISTS )?`?(\w+)`?\s*\((.*?)\n?\)[^\n]*$", re.DOTALL)
_COLUMN = re.compile(rb"^\s*`(\w+)`", re.MULTILINE)
_DATABASE = re.compile(rb"^-- Host: .*Database: (\S+)", re.MULTILINE)
_INSERT = re.compile(rb"\s*INSERT (?:IGNORE )?INTO `?(\w+)`?\s*(?:\(([^)]*)\)\s*)?VALUES\s*", re.IGNORECASE)
_BETWEEN = "^( |_binary)| $"
"""How a string looks to the fast way that has blanks or more around its quotes."""
_ESCAPES = re.compile(rb"\\[0bnrtZ]")
_VALUE = rb"(?:_binary\s*)?'(?:[^'\\]|\\.|'')*+'|NULL|0x[0-9A-Fa-f]*|[-+]?[0-9][-+0-9.eE]*"
_ROW = re.compile(rb"\s*\(\s*((?:%b)(?:\s*,\s*(?:%b))*+)\s*\)" % (_VALUE, _VALUE), re.DOTALL)
_VALUES = re.compile(_VALUE, re.DOTALL)
_BEHIND = re.compile(rb"\s*(?:,\s*|$)")
"""What stands between two rows, or behind the last one."""
_ESCAPED = re.compile(rb"\\(.)|''", re.DOTALL)
_LETTERS = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}


class Head(NamedTuple):
    """What a dump of a table says of itself."""

    table: str
    columns: tuple[str, ...]
    database: str
    """The name of the wiki's database, as ``enwiki``; empty where it is not told."""


def read_head(path: Path) -> Head:
    r"""Table, columns and database of a dump, without its rows.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "a.sql"
    >>> _ = path.write_bytes(
    ...     b"-- Host: 10.0.0.1    Database: enwiki\n"
    ...     b"CREATE TABLE `redirect` (\n  `rd_from` int(8),\n  PRIMARY KEY (`rd_from`)\n) ENGINE=InnoDB;\n")
    >>> read_head(path)
    Head(table='redirect', columns=('rd_from',), database='enwiki')
    """
    text = b""
    for block in scan_blocks(path, size=1 << 16):
        text += block
        found = _find_create(text)
        if found is not None:
            database = _DATABASE.search(text)
            return Head(found[0], found[1], database[1].decode(errors="replace") if database else "")
        if len(text) > _HEAD:
            break
    raise FormatError(
        f"{path}: there is no CREATE TABLE at its beginning, so nobody knows what its columns are; name a "
        f"file as mysqldump writes it"
    )


def _find_create(text: bytes) -> tuple[str, tuple[str, ...]] | None:
    start = text.find(b"CREATE TABLE ")
    end = text.find(b";\n", start)
    if start < 0 or end < 0:
        return None
    found = _CREATE.match(text, start, end)
    if found is None:
        return None
    return found[1].decode(), tuple(name.decode() for name in _COLUMN.findall(found[2]))


def scan_table(
    path: Path,
    head: Head,
    columns: Mapping[str, pa.DataType],
    tally: Tally,
    *,
    advance: Callable[[int], object] | None = None,
) -> Iterator[pa.Table]:
    r"""The rows of a dump in their order, of some columns, some million bytes at a time.

    Parameters
    ----------
    path, head
        The file, and what `read_head` found there.
    columns
        Names and types, ``pa.int64()`` or ``pa.binary()``.
    tally
        Where rows are counted, and those that cannot be read.
    advance
        Is told of bytes of the file.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.archive.tally import Tally
    >>> path = testing.scratch() / "a.sql"
    >>> _ = path.write_bytes(
    ...     b"CREATE TABLE `t` (\n  `a` int(8),\n  `b` varbinary(255)\n);\n"
    ...     b"INSERT INTO `t` VALUES (1,'It\\'s'),(2,'a),(b'),(oops),(3,NULL);\n")
    >>> tally = Tally()
    >>> columns = {"b": pa.binary(), "a": pa.int64()}
    >>> [table.to_pylist() for table in scan_table(path, read_head(path), columns, tally)]
    [[{'b': b"It's", 'a': 1}, {'b': b'a),(b', 'a': 2}, {'b': None, 'a': 3}]]
    >>> tally.records, [damage.what for damage in tally.damage]
    (3, ['this is no row of the table t: (oops)'])
    """
    reader = _Reader(path, head, columns, tally)
    waiting: list[bytes] = []
    size = 0
    for offset, rows in _scan_rows(path, head, advance):
        if _is_odd(rows):
            yield from reader.join(waiting)
            waiting, size = [], 0
            yield reader.read_slowly(rows, offset)
            continue
        waiting.append(rows)
        reader.offset = reader.offset if size else offset
        size += len(rows)
        if size >= _BATCH:
            yield from reader.join(waiting)
            waiting, size = [], 0
    yield from reader.join(waiting)


def _is_odd(rows: bytes) -> bool:
    """Whether the fast way would not understand it; what looks odd may be in a string, and no harm."""
    return _ESCAPES.search(rows) is not None or b"\n" in rows or b",0x" in rows


def _scan_rows(
    path: Path, head: Head, advance: Callable[[int], object] | None
) -> Iterator[tuple[int, bytes]]:
    """Where each INSERT begins in the unpacked file, and its rows from first to last bracket."""
    rest, start = b"", 0
    for block in scan_blocks(path, advance=advance):
        *statements, rest_of = (rest + block).split(b";\n")
        for statement in statements:
            found = _INSERT.match(statement)
            if found is not None:
                _check_insert(path, head, found)
                # mariadb-dump gives each row a line
                rows = statement[found.end() :].strip().replace(b"),\n(", b"),(")
                yield start + found.end(), rows
            start += len(statement) + 2
        rest = rest_of
        if len(rest) > MAX_STATEMENT:
            raise FormatError(
                f"{path}, byte {start} of its content: a statement is longer than {MAX_STATEMENT >> 20} MiB; "
                f"name a file as mysqldump writes it"
            )
    last = rest.strip().removesuffix(b";")
    found = _INSERT.match(last)
    if found is None:
        return
    if not last.endswith(b")") or rest.strip() == last:
        raise FormatError(
            f"{path}, byte {start} of its content: the file ends within a statement; fetch it again"
        )
    _check_insert(path, head, found)
    yield start + found.end(), last[found.end() :].strip().replace(b"),\n(", b"),(")


def _check_insert(path: Path, head: Head, found: re.Match[bytes]) -> None:
    if found[1].decode() != head.table:
        raise FormatError(
            f"{path}: there are rows of {found[1].decode()} behind the table {head.table}; name files of one "
            f"table each, as Wikimedia has them"
        )
    named = tuple(name.decode() for name in re.findall(rb"\w+", found[2] or b""))
    if named and named != head.columns:
        raise FormatError(
            f"{path}: an INSERT has the columns {', '.join(named)}, and the table {', '.join(head.columns)}; "
            f"make the dump without a choice of columns"
        )


class _Reader:
    """Rows of some columns, both ways."""

    def __init__(self, path: Path, head: Head, columns: Mapping[str, pa.DataType], tally: Tally) -> None:
        self._path, self._head, self._columns, self._tally = path, head, columns, tally
        self._schema = pa.schema(dict(columns))
        self._places = [head.columns.index(name) for name in columns]
        self.offset = 0
        self._convert = pa.csv.ConvertOptions(
            column_types=dict(columns),
            include_columns=list(columns),
            null_values=["NULL"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        self._parse = pa.csv.ParseOptions(
            quote_char="'", double_quote=True, escape_char="\\", newlines_in_values=True
        )

    def join(self, statements: Sequence[bytes]) -> Iterator[pa.Table]:
        """The rows of statements that the fast way understands, if their number of columns is right."""
        if not statements:
            return
        rows = b"),(".join(statement[1:-1] for statement in statements)
        try:
            if not all(text.startswith(b"(") and text.endswith(b")") for text in statements):
                raise pa.ArrowInvalid("brackets are missing")
            text = rows.replace(b"),(", b"\n")
            reading = pa.csv.ReadOptions(
                column_names=list(self._head.columns), block_size=len(text) + 16, use_threads=False
            )
            table = pa.csv.read_csv(io.BytesIO(text), reading, self._parse, self._convert)
            if (b" " in rows or b"_binary" in rows) and self._has_blanks_between(table):
                raise pa.ArrowInvalid("there may be blanks around values")
            self._tally.records += len(table)
            yield self._put_back(table.select(list(self._columns)))
        except pa.ArrowInvalid:
            yield self.read_slowly(b"(" + rows + b")", self.offset)

    def _has_blanks_between(self, table: pa.Table) -> bool:
        return any(
            pc.any(pc.match_substring_regex(table[field.name], _BETWEEN)).as_py()
            for field in self._schema
            if pa.types.is_binary(field.type)
        )

    def _put_back(self, table: pa.Table) -> pa.Table:
        for place, field in enumerate(self._schema):
            if pa.types.is_binary(field.type):
                column = table.column(place)
                if pc.any(pc.match_substring(column, b"\n")).as_py():
                    column = pc.replace_substring(column, b"\n", b"),(")
                    table = table.set_column(place, field, column)
        return table

    def read_slowly(self, rows: bytes, offset: int) -> pa.Table:
        """Rows one by one; what is none is counted, and passed over up to the next bracket behind a comma."""
        found: list[list[bytes | int | None]] = []
        place = 0
        while place < len(rows):
            match = _ROW.match(rows, place)
            behind = _BEHIND.match(rows, match.end()) if match else None
            row = self._read_row(_VALUES.findall(match[1])) if match and behind else None
            if row is None or behind is None:
                end = rows.find(b"),", place + 1)
                end = end + 1 if end >= 0 else len(rows)
                shown = rows[place : min(end, place + 60)].decode(errors="replace").strip()
                what = f"this is no row of the table {self._head.table}: {shown}"
                self._tally.damaged(str(self._path), offset + place, what)
                place = end + 1
                continue
            found.append(row)
            place = behind.end()
        self._tally.records += len(found)
        columns = zip(*found, strict=True) if found else [[] for _ in self._columns]
        return pa.table(
            [pa.array(list(column), kind) for column, kind in zip(columns, self._schema.types, strict=True)],
            schema=self._schema,
        )

    def _read_row(self, values: Sequence[bytes]) -> list[bytes | int | None] | None:
        if len(values) != len(self._head.columns):
            return None
        row: list[bytes | int | None] = []
        for place, kind in zip(self._places, self._schema.types, strict=True):
            value = read_value(values[place])
            if pa.types.is_integer(kind) and value is not None:
                try:
                    number = int(value)
                except ValueError:
                    return None
                if abs(number) >= 1 << 63:
                    return None
                row.append(number)
            else:
                row.append(value)
        return row


def read_value(text: bytes) -> bytes | None:
    r"""The bytes that a value stands for, None for NULL; of a number its digits.

    Examples
    --------
    >>> read_value(rb"'It\'s ''so''\0'"), read_value(b"NULL"), read_value(b"0x4142"), read_value(b"-1")
    (b"It's 'so'\x00", None, b'AB', b'-1')
    """
    if text.startswith(b"_binary"):
        text = text[7:].lstrip()
    if text.startswith(b"'"):
        text = text[1:-1]
        return _ESCAPED.sub(_unescape, text) if b"\\" in text or b"'" in text else text
    if text == b"NULL":
        return None
    if text.startswith(b"0x"):
        return bytes.fromhex(text[2:].decode().rjust(len(text) - 2 + len(text) % 2, "0"))
    return text


def _unescape(found: re.Match[bytes]) -> bytes:
    letter = found[1]
    return b"'" if letter is None else _LETTERS.get(letter, letter)
