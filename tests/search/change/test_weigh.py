"""Weights of links against a plain count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.change import reference
from webstrata.search.change.weigh import weigh_links, weigh_new

nodes = st.integers(0, 6)
arc_sets = st.sets(st.tuples(nodes, nodes)).map(sorted)
host_lists = st.lists(st.integers(0, 2), min_size=7, max_size=7)


def to_pairs(arcs: list[tuple[int, int]]) -> np.ndarray:
    return np.array(arcs, np.int64).reshape(-1, 2)


@given(arc_sets, host_lists)
def test_the_links_of_a_host_to_a_page_count_as_one(arcs: list[tuple[int, int]], hosts: list[int]) -> None:
    pairs = to_pairs(arcs)
    assert weigh_links(pairs, np.array(hosts), "hosts") == pytest.approx(
        np.array(reference.weigh(arcs, hosts))
    )
    assert weigh_links(pairs, np.array(hosts), "equal").tolist() == [1.0] * len(arcs)


@given(arc_sets, arc_sets, host_lists, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_links_that_came_count_more_than_those_that_were_there(
    before: list[tuple[int, int]], after: list[tuple[int, int]], hosts: list[int], old: float
) -> None:
    found = weigh_new(to_pairs(before), to_pairs(after), np.array(hosts), old)
    assert found == pytest.approx(np.array(reference.weigh_new(before, after, hosts, old)))


@given(arc_sets, arc_sets, host_lists, st.sampled_from([0.0, 0.5, 1.0]))
def test_their_sum_is_the_number_of_links(
    before: list[tuple[int, int]], after: list[tuple[int, int]], hosts: list[int], old: float
) -> None:
    found = weigh_new(to_pairs(before), to_pairs(after), np.array(hosts), old)
    assert found.sum() == pytest.approx(len(after)) or not found.any()


@given(arc_sets, arc_sets, host_lists)
def test_without_change_it_does_not_matter_when_links_came(
    before: list[tuple[int, int]], after: list[tuple[int, int]], hosts: list[int]
) -> None:
    ways = [weigh_new(to_pairs(then), to_pairs(after), np.array(hosts), 1.0) for then in (before, [])]
    assert ways[0].tolist() == ways[1].tolist()
