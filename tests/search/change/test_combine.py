"""The preference against plain arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.change import reference
from webstrata.search.change.combine import combine

numbers = st.floats(0, 100)


@given(
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.floats(0.1, 20),
)
def test_the_preference_is_the_convex_combination_of_sum_one(
    pages: list[tuple[float, float]], alpha: float, saturation: float
) -> None:
    texts, changes = zip(*pages, strict=True)
    found = combine(np.array(texts), np.array(changes), alpha=alpha, saturation=saturation)
    assert found.sum() == pytest.approx(1)
    assert found == pytest.approx(np.array(reference.combine(texts, changes, alpha, saturation)))


def test_without_pages_there_is_no_preference() -> None:
    assert combine(np.zeros(0), np.zeros(0), alpha=0.5, saturation=10.0).tolist() == []
