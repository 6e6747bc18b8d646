"""2DRank against the square that grows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rank import reference
from webstrata.rank import Ranking, two_d_rank
from webstrata.rank.tworank import two_d_order


@given(size=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
def test_the_order_is_that_of_the_growing_square(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks, inverse = (rng.permutation(size).astype(np.uint32) + 1 for _ in range(2))
    wanted = reference.two_d_order(ranks.tolist(), inverse.tolist())
    assert two_d_order(ranks, inverse).tolist() == wanted
    assert sorted(wanted) == list(range(size))


def test_nodes_that_are_not_there_have_no_rank() -> None:
    present = np.array([True, False, True])
    one = Ranking("pagerank", np.array([1.0, 0.0, 2.0]), present=present)
    other = Ranking("cheirank", np.array([1.0, 0.0, 2.0]), present=present)
    found = two_d_rank(one, other)
    assert found.ranks.tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match="same nodes"):
        two_d_rank(one, Ranking("cheirank", np.ones(3)))
