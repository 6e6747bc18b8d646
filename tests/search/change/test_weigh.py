"""Weights of links against a plain count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.change import reference
from webstrata.search.change.weigh import weigh_links

nodes = st.integers(0, 6)


@given(st.sets(st.tuples(nodes, nodes)).map(sorted), st.lists(st.integers(0, 2), min_size=7, max_size=7))
def test_the_links_of_a_host_to_a_page_count_as_one(arcs: list[tuple[int, int]], hosts: list[int]) -> None:
    pairs = np.array(arcs, np.int64).reshape(-1, 2)
    assert weigh_links(pairs, np.array(hosts), "hosts") == pytest.approx(
        np.array(reference.weigh(arcs, hosts))
    )
    assert weigh_links(pairs, np.array(hosts), "equal").tolist() == [1.0] * len(arcs)
