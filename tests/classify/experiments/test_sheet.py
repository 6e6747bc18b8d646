"""How numbers of tables are printed."""

from __future__ import annotations

from webstrata.classify.experiments.sheet import PaperTable, three


def test_a_number_has_three_digits_as_in_the_paper() -> None:
    assert three(0.85949) == "0.859"
    assert PaperTable("table 6", "Content", ["AUC"], [[three(1)]]).rows == [["1.000"]]
