"""Agreement of orders against definitions and SciPy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.rank import compare_orders
from webstrata.rank.stability import kendall_tau, rank_biased_overlap

orders = st.permutations(range(8)).flatmap(lambda order: st.integers(1, 8).map(lambda n: order[:n]))


@given(one=orders, other=orders)
def test_agreement_is_that_of_the_definitions(one: list[int], other: list[int]) -> None:
    found = compare_orders(one, other, persistence=0.8)
    assert found.common == len(set(one) & set(other))
    assert found.jaccard == found.common / len(set(one) | set(other))
    members = [member for member in one if member in other]
    pairs = [(a, b) for place, a in enumerate(members) for b in members[place + 1 :]]
    signs = [1 if other.index(a) < other.index(b) else -1 for a, b in pairs]
    assert found.kendall_tau == pytest.approx(sum(signs) / len(signs) if signs else 0)
    length = min(len(one), len(other))
    shares = [len(set(one[:depth]) & set(other[:depth])) / depth for depth in range(1, length + 1)]
    total = sum(share * 0.8**depth for depth, share in enumerate(shares, 1))
    wanted = 0.2 / 0.8 * total + shares[-1] * 0.8**length
    assert found.rank_biased_overlap == pytest.approx(wanted)


def test_equal_orders_agree_and_strangers_do_not() -> None:
    assert rank_biased_overlap("abc", "abc") == pytest.approx(1)
    assert rank_biased_overlap("abc", "xyz") == 0
    assert rank_biased_overlap("", "") == 1
    assert rank_biased_overlap("a", "") == 0
    assert kendall_tau([]) == kendall_tau([3]) == 0
    with pytest.raises(ValueError, match="twice"):
        compare_orders("aa", "ab")
