"""Values of tables as people see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.collection.cells import lay_out_cells, round_value, show_bytes, write
from webstrata.collection.tables import Rows


@pytest.mark.parametrize(
    ("value", "how", "text"),
    [
        (1_234_567, "", "1,234,567"),
        (0.5, ".1%", "50.0%"),
        (3, ".2f", "3.00"),
        (None, ".2f", "–"),
        (2048, "bytes", "2.0 KiB"),
        (["a", "b"], "", "a b"),
        ("a", ".2f", "a"),
    ],
)
def test_a_value_is_written_in_the_format_of_its_column(value: object, how: str, text: str) -> None:
    assert write(value, how) == text


def test_columns_with_numbers_and_unknowns_alone_stand_to_the_right() -> None:
    cells = lay_out_cells(Rows("x", [{"a": 1, "b": "x"}, {"a": None, "b": 2}]))
    assert cells.is_number == [True, False]
    assert cells.rows == [["1", "x"], ["–", "2"]]


def test_a_table_shows_as_many_rows_as_it_says() -> None:
    table = Rows("x", [{"a": number} for number in range(5)], shown=2)
    assert (lay_out_cells(table).left_out, lay_out_cells(table, 4).left_out) == (3, 1)


def test_a_table_without_columns_has_no_rows() -> None:
    assert lay_out_cells(Rows("x", [], shown=20)) == ([], [], [], 0)


@given(st.floats(0, 1), st.integers(0, 4))
def test_rounded_shares_are_the_percents_that_are_written(share: float, digits: int) -> None:
    how = f".{digits}%"
    assert f"{round_value(share, how):.{digits}f}%" == write(share, how)


@given(st.integers(0, 1 << 60))
def test_sizes_have_a_unit_and_at_most_four_digits(number: int) -> None:
    digits, unit = show_bytes(number).split()
    assert unit in {"B", "KiB", "MiB", "GiB", "TiB"}
    assert unit == "TiB" or float(digits) <= 1024
