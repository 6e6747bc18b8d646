"""Ranks and tops of scores."""

from __future__ import annotations

import numpy as np

from webstrata.rank import Ranked, Ranking


def test_equal_scores_are_ranked_by_node_and_missing_nodes_not_at_all() -> None:
    present = np.array([True, True, False, True])
    found = Ranking("x", np.array([1.0, 2.0, 9.0, 2.0]), present=present, names=["a", "b", "c", "d"])
    assert found.order.tolist() == [1, 3, 0]
    assert found.ranks.tolist() == [3, 1, 0, 2]
    assert found.num_ranked == 3
    assert found.top(1) == [Ranked(1, 1, 2.0, "b")]
    assert found.top(99)[-1] == Ranked(3, 0, 1.0, "a")
    assert found.top(0) == found.top(-1) == []
    assert repr(found) == "<Ranking of 3 nodes by x>"
