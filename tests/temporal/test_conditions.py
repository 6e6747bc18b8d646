"""Conditions beside sets of labels."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.temporal.conditions import Condition, Term

LABELS = np.arange(32, dtype=np.uint64)
masks = st.integers(0, 31)
terms = st.builds(Term, masks, masks, masks)


def having(condition: Condition) -> set[int]:
    return set(np.flatnonzero(condition.holds(LABELS)).tolist())


@given(st.lists(terms, max_size=3), st.lists(terms, max_size=3))
def test_conditions_join_as_sets_do(ones: list[Term], others: list[Term]) -> None:
    one, other = Condition(tuple(ones)), Condition(tuple(others))
    assert having(one & other) == having(one) & having(other)
    assert having(one | other) == having(one) | having(other)
    assert having(~one) == set(range(32)) - having(one)


@given(masks, masks)
def test_one_term_is_enough_for_what_is_common(first: int, second: int) -> None:
    assert having(Condition.any_of(first, none_of=second)) == {
        label for label in range(32) if label & first and not label & second
    }
    one, other = Condition.all_of(1 << 2), Condition.all_of(1 << 3)
    assert [len(found.terms) for found in (one & ~other, one | other, (one | other) & ~one)] == [1, 1, 1]
