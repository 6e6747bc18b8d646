"""The formula of change against plain arithmetic, and the paper's own figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.change import reference
from webstrata.search.change.counts import WordCounts
from webstrata.search.change.measure import log_ratio, no_change

counts = st.tuples(*[st.integers(0, 10**6)] * 3)


@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=5))
def test_change_is_the_sum_of_three_logarithms(pages: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    tables = np.array(pages, np.uint32).transpose(2, 1, 0)  # in, out, words; snapshots; pages
    found = WordCounts(("2026-01", "2026-02"), *tables).change(range(len(pages)), "2026-01", "2026-02")
    wanted = [reference.change(before, after) for before, after in pages]  # type: ignore[arg-type]
    assert found.total == pytest.approx(wanted)
    assert found.take(np.array([0])).total == pytest.approx(wanted[:1])


def test_a_page_that_was_not_there_has_the_logarithms_of_its_new_size() -> None:
    # CHANGE, table 1: "Death of Muammar Gaddafi" has content 7.71, in-links 4.21 and out-links 4.64
    sizes = [2230, 66, 103]
    assert [round(float(log_ratio(0, size)), 2) for size in sizes] == [7.71, 4.2, 4.64]
    assert log_ratio([5], [5]).tolist() == [0.0]
    assert math.isclose(float(log_ratio(0, 9)), float(log_ratio(9, 0)))
    assert no_change(3).total.tolist() == [0.0] * 3
