"""Sheets are plain data that comes back as it was, with bounds on what a page must carry."""

from __future__ import annotations

import pytest

from webstrata.errors import FormatError
from webstrata.serve.report.sheet import MAX_TABLE, Drawing, Sheet, SheetTable, bound_rows, bounded


def test_a_sheet_comes_back_as_it_was() -> None:
    sheet = Sheet(
        "a",
        "A",
        ["text"],
        [SheetTable("T", ["x"], [[1], [None], ["ö"]])],
        [Drawing("f", {"mark": "bar"})],
        "webstrata",
    )
    assert Sheet.from_bytes(sheet.to_bytes()) == sheet


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"name": 1}', b'{"tables": 3, "figures": []}'])
def test_what_is_no_sheet_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"uk/sheet.json: this is no sheet of a report .*; make it again"):
        Sheet.from_bytes(data, "uk/sheet.json")


def test_the_rows_of_all_layers_together_are_bounded_and_keep_their_ends() -> None:
    layers = [{"data": {"values": [{"x": x} for x in range(size)]}} for size in (3_000, 1_000)]
    spec = {"layer": layers, "encoding": {"data": {"values": "no rows"}}}
    bound_rows(spec, 400)
    sizes = [len(layer["data"]["values"]) for layer in layers]
    assert sizes == [300, 100]
    assert [layers[0]["data"]["values"][place]["x"] for place in (0, -1)] == [0, 2_999]
    bound_rows(spec, 400)
    assert [len(layer["data"]["values"]) for layer in layers] == sizes


def test_a_long_table_says_what_it_leaves_out() -> None:
    table = bounded(SheetTable("Hosts", ["host"], [[number] for number in range(3 * MAX_TABLE)]))
    assert len(table.rows) == MAX_TABLE
    assert table.note == "The first 100 of 300 rows."
