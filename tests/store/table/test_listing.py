"""Cells of rows as a table, and cells from lines."""

from __future__ import annotations

import pytest

import webstrata as ws
from webstrata.errors import FormatError, MissingError
from webstrata.store.table.listing import BATCH, CellTable, RowCells, list_row, list_rows, put_lines

URL = "http://reef.example/fish"


def test_versions_are_listed_newest_first_and_bytes_are_encoded() -> None:
    uk = ws.testing.collection()
    with uk.table as table:
        table.put(URL, {"meta": {"note": "old"}}, at="2026-05")
        table.put(URL, {"meta": {"note": "new", "raw": b"\xff"}}, at="2026-06")
        newest = list_row(table, URL, families=["meta"])
        assert newest.to_arrow()["value"].to_pylist() == ["new", '{"base64": "/w=="}']
        assert newest.tables()["Cells"].to_arrow()["value"].to_pylist() == ["new", "(1 B)"]
        both = list_row(table, URL, families=["meta"], versions=True)
        assert both.to_arrow()["value"].to_pylist()[:2] == ["new", "old"]
        assert list_row(table, URL, families=["meta"], at="2026-05").to_arrow()["value"].to_pylist() == [
            "old"
        ]
        with pytest.raises(MissingError, match="has no cell"):
            list_row(table, "http://reef.example/none")


def test_rows_are_limited_and_rows_without_cells_have_a_line() -> None:
    with ws.testing.collection().table as table:
        found = list_rows(table, "example,reef)", limit=2)
    assert len(found.found) == 2
    shown = found.tables()["Cells"].to_arrow().to_pylist()
    assert list(dict.fromkeys(row["row"] for row in shown)) == ["example,reef)/", "example,reef)/corals"]
    bare = CellTable([RowCells(found.found[0].row, {"meta": []})]).tables()["Cells"].to_arrow().to_pylist()
    assert bare == [{"row": "example,reef)/", "family": "", "column": "", "time": "", "value": ""}]


def test_lines_are_written_in_batches_and_a_bad_line_is_named() -> None:
    line = b'{"row": "http://a.example/%d", "family": "meta", "column": "n", "value": %d}'
    with ws.testing.collection().table as table:
        assert put_lines(table, (line % (n, n) for n in range(BATCH + 1)), "cells") == BATCH + 1
        assert table[f"http://a.example/{BATCH}"]["meta"]["n"] == BATCH
        with pytest.raises(FormatError, match=r"cells, line 2: this is not a cell"):
            put_lines(table, [line % (1, 2), b"{}"], "cells")
