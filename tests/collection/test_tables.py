"""Results that are tables, as other libraries and notebooks take them."""

from __future__ import annotations

import pyarrow as pa

from webstrata.collection.tables import Rows


def make_rows(number: int) -> Rows:
    return Rows(
        "pages", [{"url": f"http://a.example/{place}", "score": place / 3} for place in range(number)]
    )


def test_a_table_is_taken_by_arrow_as_it_is() -> None:
    rows = make_rows(3)
    table = pa.table(rows)
    assert table.column_names == ["url", "score"]
    assert table.to_pylist() == rows.rows
    assert len(rows) == 3


def test_a_long_table_shows_its_first_rows() -> None:
    lines = repr(make_rows(200)).splitlines()
    assert lines[0] == "<pages: 200 rows × 2 columns>"
    assert lines[-1] == "…"
    assert len(lines) == 13


def test_a_notebook_shows_text_as_text() -> None:
    shown = Rows("pages", [{"title": "<script>alert(1)</script>"}])._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
