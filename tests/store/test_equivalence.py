"""Classes of rows and ends of chains, against ten lines of Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from webstrata.store.equivalence import follow_redirects, join_classes, number_values

SIZE = 12
rows = st.integers(0, SIZE - 1)
keys = st.lists(st.none() | st.sampled_from("abcd"), min_size=SIZE, max_size=SIZE)


@given(one=keys, other=keys)
def test_each_row_leads_to_the_smallest_of_its_class(one: list[str | None], other: list[str | None]) -> None:
    found = join_classes([number_values(pa.chunked_array([values], pa.string())) for values in (one, other)])
    members = {row: {row} for row in range(SIZE)}
    for values in (one, other):
        for row in range(SIZE):
            for earlier in range(row):
                if values[row] is not None and values[row] == values[earlier]:
                    joined = members[row] | members[earlier]
                    members |= dict.fromkeys(joined, joined)
    assert found.tolist() == [min(members[row]) for row in range(SIZE)]


def test_no_rows_have_no_classes() -> None:
    assert join_classes([np.zeros(0, np.uint64)]).tolist() == []


@given(targets=st.lists(st.none() | rows, min_size=SIZE, max_size=SIZE))
def test_a_chain_is_followed_to_its_end(targets: list[int | None]) -> None:
    leads = np.array([row if target is None else target for row, target in enumerate(targets)], np.uint32)
    follow_redirects(leads, np.array([target is not None for target in targets]))
    for row, found in enumerate(leads.tolist()):
        seen = []
        end: int = row
        while (target := targets[end]) is not None and end not in seen:
            seen.append(end)
            end = target
        if targets[end] is None:
            assert found == end
        else:
            assert targets[found] is not None  # a circle
