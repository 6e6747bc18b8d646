"""Rows of tables: only those whose sets are there."""

from __future__ import annotations

import numpy as np

from webstrata.classify.experiments.rows import ALL, CONTENT, LINK, MOVING_LINKS, choose, with_parts
from webstrata.classify.learning.matrix import HostMatrix


def matrix(*names: str, moving: tuple[str, ...] = ()) -> HostMatrix:
    sets = {name: (["x"], np.zeros((2, 1))) for name in names}
    if moving:
        sets["temporal-link"] = (list(moving), np.zeros((2, len(moving))))
    return with_parts(HostMatrix(["a.org", "b.org"], sets))


def test_rows_without_their_sets_are_left_out() -> None:
    assert [row.name for row in choose(CONTENT, matrix("A", "B"))] == ["Content (A)", "Content (B)"]
    assert choose(LINK, matrix("B")) == []
    assert choose([ALL], matrix("B")) == []


def test_sets_in_motion_are_parts_of_others() -> None:
    moving = matrix("link", moving=("idr", "igr_mean", "crcc", "xjaccard_in_1", "psimrank_out_2", "ogr@1"))
    assert moving.columns()["growth/death"] == ["idr", "igr_mean", "crcc", "ogr@1"]
    assert moving.columns()["XJaccard + PSimRank"] == ["xjaccard_in_1", "psimrank_out_2"]
    assert [row.name for row in choose(MOVING_LINKS, moving)][-1] == "All link-based"
    assert choose([ALL], moving)[0].sets == ("link", "growth/death", "XJaccard + PSimRank")
