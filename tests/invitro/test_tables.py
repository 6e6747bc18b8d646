"""The tables of a synthetic web's description."""

from __future__ import annotations

from webstrata.invitro import Web, describe


def test_every_number_of_the_months_is_that_of_the_description() -> None:
    found = describe(Web("tiny", months=2))
    rows = found.tables()["Months"].to_arrow().to_pylist()
    assert [row["arcs"] for row in rows] == [month.num_arcs for month in found.months]
    settings = found.tables()["Settings, and what was found (± 3 standard errors and a systematic part)"]
    assert settings.to_arrow().num_rows == len(found.measures)


def test_a_web_of_one_month_has_no_tables_of_overlap() -> None:
    assert not [title for title in describe(Web("tiny", months=1)).tables() if title.startswith("Overlap")]
