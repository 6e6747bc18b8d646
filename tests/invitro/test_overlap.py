"""Overlaps are counted as plain sets would, and the paper's tables are what the paper prints."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.invitro.overlap import TIME_HOSTS, TIME_URLS, compare, count_overlap, time_overlap


@given(months=st.lists(st.sets(st.integers(0, 30)), min_size=1, max_size=64))
def test_an_overlap_is_what_sets_have_in_common(months: list[set[int]]) -> None:
    found = count_overlap("pages", [np.array(sorted(month), dtype=np.int64) for month in months])
    for one, mine in enumerate(months):
        for other, theirs in enumerate(months):
            assert found.common[one][other] == len(mine & theirs)
            mean = (len(mine) + len(theirs)) / 2
            assert found.share(one, other) == (len(mine & theirs) / mean if mean else 0)


def test_the_tables_of_the_paper_are_whole_but_for_one_lost_digit() -> None:
    for table in (TIME_HOSTS, TIME_URLS):
        assert [len(row) for row in table] == list(range(12, 0, -1))
    lost = [
        (row, column)
        for row, cells in enumerate(TIME_HOSTS)
        for column, x in enumerate(cells)
        if math.isnan(x)
    ]
    assert lost == [(1, 7)]
    assert not any(math.isnan(x) for row in TIME_URLS for x in row)


def test_no_two_months_of_the_paper_have_more_in_common_than_the_smaller_one_has() -> None:
    for name, table in (("hosts", TIME_HOSTS), ("URLs", TIME_URLS)):
        found = time_overlap(name, table)
        for one in range(12):
            for other in range(12):
                common = found.common[one][other]
                assert math.isnan(common) or common <= min(found.common[one][one], found.common[other][other])


def test_the_largest_deviation_names_its_months() -> None:
    hosts = time_overlap("hosts", TIME_HOSTS)
    other = time_overlap("hosts", [[2.0, 1.0], [2.0]])
    found = compare(other, hosts, "TIME")
    assert found is not None
    assert found.largest_pair == (0, 1)
    assert found.largest_pair_deviation == abs(hosts.share(0, 1) - 0.5)
    assert compare(time_overlap("hosts", [[1.0]]), hosts, "TIME") is None
