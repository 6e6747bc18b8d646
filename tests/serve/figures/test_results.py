"""Figures of results."""

from __future__ import annotations

import numpy as np

import webstrata as ws
from webstrata import testing


def test_a_ranking_is_drawn_by_rank_and_without_zeros() -> None:
    ranking = ws.rank.Ranking("indegree", np.array([3.0, 0.0, 2.0]))
    (figure,) = ranking.figures()
    assert figure.name == "scores"
    assert figure.chart.to_dict()["data"]["values"] == [{"rank": 1, "score": 3.0}, {"rank": 2, "score": 2.0}]


def test_classes_of_duplicates_are_drawn_by_size() -> None:
    found = testing.snapshot().duplicates()
    (figure,) = found.figures()
    values = figure.chart.to_dict()["data"]["values"]
    assert len(values) == len(found.rows)
    assert [row["pages"] for row in values] == sorted((row["pages"] for row in values), reverse=True)


def test_a_table_that_nothing_draws_has_no_figures() -> None:
    assert testing.snapshot().urls.figures() == []
    assert ws.rank.Ranking("indegree", np.zeros(0)).figures() == []
