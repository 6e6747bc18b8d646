"""Terms: found by text, number and prefix; their order packed and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.errors import FormatError
from webstrata.summaries import terms as module
from webstrata.summaries.terms import TERMS, Terms, invert, rank_terms, read_order, write_order, write_terms

if TYPE_CHECKING:
    from pathlib import Path


@given(
    texts=st.sets(st.text("aéz日 ", min_size=1, max_size=4), max_size=40), prefix=st.text("aéz日", max_size=2)
)
def test_terms_are_found_by_text_number_and_prefix(texts: set[str], prefix: str, tmp_path: Path) -> None:
    # small groups, so that terms lie in many
    group, module.ROW_GROUP = module.ROW_GROUP, 4
    try:
        ordered = sorted(texts, key=str.encode)
        ones = [1] * len(ordered)
        table = pa.table({"term": ordered, "df": ones, "cf": ones}, schema=TERMS)
        assert write_terms(tmp_path / "terms.parquet", [table.slice(0, 3), table.slice(3)]) == len(ordered)
        found = Terms(tmp_path, len(ordered))
        assert found.texts() == ordered
        assert [found.find(text) for text in ordered] == list(range(len(ordered)))
        assert (prefix in found) == (prefix in texts)
        expected = [(nth, text) for nth, text in enumerate(ordered) if text.startswith(prefix)]
        assert list(found.starting_with(prefix)) == expected
    finally:
        module.ROW_GROUP = group


@given(df=st.lists(st.integers(1, 5), max_size=70))
def test_the_order_is_by_decreasing_frequency_and_comes_back(df: list[int], tmp_path: Path) -> None:
    order = rank_terms(np.array(df, np.int64))
    assert order.tolist() == sorted(range(len(df)), key=lambda number: (-df[number], number))
    write_order(tmp_path / "terms.order", order)
    assert read_order(tmp_path / "terms.order", len(df)).tolist() == order.tolist()
    assert invert(order)[order].tolist() == list(range(len(df)))


def test_an_order_that_is_none_is_refused(tmp_path: Path) -> None:
    write_order(tmp_path / "terms.order", np.array([0, 1, 1, 2], np.uint32))
    with pytest.raises(FormatError, match="this is no order of 4 terms"):
        read_order(tmp_path / "terms.order", 4)
    with pytest.raises(FormatError, match="this is no order of 400 terms"):
        read_order(tmp_path / "terms.order", 400)
    with pytest.raises(IndexError, match="expected 0 to 3, got 4"):
        Terms(tmp_path, 4)[4]


def test_terms_of_strangers_are_refused_or_read_and_nothing_worse(tmp_path: Path) -> None:
    names = [f"term{number:04}" for number in range(300)]
    table = pa.table({"term": names, "df": np.arange(300), "cf": np.arange(300)}, schema=TERMS)
    write_terms(tmp_path / "terms.parquet", [table])
    data = (tmp_path / "terms.parquet").read_bytes()
    refused = read = 0
    for place in range(0, len(data), 7):
        damaged = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        (tmp_path / "terms.parquet").write_bytes(damaged)
        terms = Terms(tmp_path, 300)
        try:
            assert len(terms.df) == len(terms.cf) == len(terms.texts()) == 300
            terms.find("term0100")
        except FormatError as error:
            refused += "\n" not in str(error)
        else:
            read += 1
    assert refused > 20
    assert refused + read == -(-len(data) // 7)
