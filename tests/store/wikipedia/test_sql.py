"""Dumps of tables, as mysqldump and others write them, and as nobody should."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.wikipedia import reference
from tests.store.wikipedia.dumps import quote, write_table
from webstrata.archive.tally import Tally
from webstrata.errors import FormatError
from webstrata.store.wikipedia import sql
from webstrata.store.wikipedia.sql import read_head, scan_table

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = {"t_title": pa.binary(), "t_id": pa.int64()}
NAMES = ["t_id", "t_note", "t_title"]
Row = tuple[int | None, bytes | None, bytes | None]

# what dumps are full of, and any bytes at all
_pieces = st.sampled_from(
    [b"),(", b"'", b"\\", b'"', b",", b"(", b")", b"NULL", b";", b" ", b"\n", b"\0", b"\x1a", b"x"]
)
_values = st.one_of(
    st.none(),
    st.lists(_pieces, max_size=6).map(b"".join),
    st.binary(max_size=8),
    st.just(b"NULL"),
    st.just(b""),
)
_rows = st.lists(st.tuples(st.none() | st.integers(-(2**63) + 1, 2**63 - 1), _values, _values), max_size=9)


def scan(path: Path) -> tuple[list[tuple[object, ...]], Tally]:
    tally = Tally()
    tables = list(scan_table(path, read_head(path), COLUMNS, tally))
    return [tuple(row.values()) for table in tables for row in table.to_pylist()], tally


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sql") / "t.sql"


@given(_rows, st.integers(1, 4), st.integers(0, 1))
def test_any_rows_come_back_as_they_were(place: Path, rows: list[Row], size: int, per_line: int) -> None:
    write_table(place, "t", NAMES, rows, per_statement=size, lines=bool(per_line))
    found, tally = scan(place)
    assert found == [(title, number) for number, _, title in rows]
    assert (tally.records, tally.num_damaged) == (len(rows), 0)


@given(_rows.filter(bool))
def test_the_reference_reads_the_same(place: Path, rows: list[Row]) -> None:
    statement = b"INSERT INTO `t` VALUES " + b",".join(
        b"(" + b",".join(map(quote, row)) + b")" for row in rows
    )
    expected = [tuple(None if value is None else str(value).encode() if isinstance(value, int) else value
                      for value in row) for row in rows]  # fmt: skip
    assert [tuple(row) for row in reference.read_rows(statement + b";")] == expected


def test_a_row_that_is_none_is_told_and_the_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.sql"
    write_table(path, "t", NAMES, [])
    rows = b"(1,'a','b'),(2,'short'),(x,'a','c'),(3,'a','d')"
    path.write_bytes(path.read_bytes().replace(b"UNLOCK", b"INSERT INTO `t` VALUES %b;\nUNLOCK" % rows))
    found, tally = scan(path)
    assert found == [(b"b", 1), (b"d", 3)]
    assert [damage.what for damage in tally.damage] == [
        "this is no row of the table t: (2,'short')",
        "this is no row of the table t: (x,'a','c')",
    ]
    assert all(path.read_bytes()[damage.offset :].startswith(b"(") for damage in tally.damage)


def test_other_ways_to_write_rows_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "t.sql"
    write_table(path, "t", NAMES, [])
    rows = b"(1, _binary 'a', 'it''s'), ( 2 ,NULL, 0x4142)"
    text = b"INSERT INTO t (`t_id`, `t_note`, `t_title`) VALUES %b;\nUNLOCK" % rows
    path.write_bytes(path.read_bytes().replace(b"UNLOCK", text))
    assert scan(path)[0] == [(b"it's", 1), (b"AB", 2)]
    for rows in (
        b"(1,'a', 'x'),(2,'a','y')",
        b"(1,'a',_binary'x'),(2,'a','y' )",
        b"(1,'a','x') , (2,'a','y')",
    ):
        write_table(path, "t", NAMES, [])
        text = b"INSERT INTO `t` VALUES %b;\nUNLOCK" % rows
        path.write_bytes(path.read_bytes().replace(b"UNLOCK", text))
        assert scan(path)[0] == [(b"x", 1), (b"y", 2)], rows


def test_both_ways_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.sql.gz"
    rows = [(number, b"x" * (number % 3), b"It's),(%d" % number) for number in range(500)]
    write_table(path, "t", NAMES, rows, per_statement=60)
    fast, _ = scan(path)
    monkeypatch.setattr(sql, "_is_odd", lambda rows: True)
    assert scan(path)[0] == fast == [(title, number) for number, _, title in rows]


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda text: text[: text.index(b"'end'")], "the file ends within a statement; fetch it again"),
        (lambda text: b"SELECT 1;\n", "there is no CREATE TABLE at its beginning"),
        (lambda text: text.replace(b"INTO `t`", b"INTO `u`"), "there are rows of u behind the table t"),
        (lambda text: text.replace(b"INTO `t`", b"INTO `t` (`t_id`)"), "an INSERT has the columns t_id"),
    ],
)
def test_what_is_no_dump_of_one_table_is_refused(tmp_path: Path, damage: object, sentence: str) -> None:
    path = tmp_path / "t.sql"
    write_table(path, "t", NAMES, [(1, b"a", b"b"), (2, b"end", b"c")])
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(FormatError, match=sentence):
        scan(path)


def test_a_statement_without_end_is_refused_before_memory_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "MAX_STATEMENT", 1000)
    path = tmp_path / "t.sql.gz"
    text = b"CREATE TABLE `t` (\n  `t_id` int,\n  `t_title` int\n);\nINSERT INTO `t` VALUES (1," + b"2" * 9999
    path.write_bytes(gzip.compress(text))
    with pytest.raises(FormatError, match="a statement is longer than"):
        list(scan_table(path, read_head(path), COLUMNS, Tally()))
