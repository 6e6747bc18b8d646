"""Passes over arcs against dense matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rank.months import graphs, to_graph
from webstrata._core import rank as core
from webstrata.errors import UsageError
from webstrata.graph import Graph
from webstrata.rank import Walk
from webstrata.temporal.labels import label_arcs
from webstrata.temporal.views import TemporalGraph

if TYPE_CHECKING:
    from pathlib import Path


@settings(max_examples=30)
@given(lists=graphs, columns=st.integers(1, 5), weighted=st.booleans())
def test_a_pass_is_a_product_with_the_matrix(lists: list[set[int]], columns: int, weighted: bool) -> None:  # noqa: FBT001
    graph, size = to_graph(lists), len(lists)
    rng = np.random.default_rng(size)
    if weighted:
        graph.weights = rng.random(graph.num_arcs)
    matrix = graph.to_scipy().toarray()
    values = rng.random((size, columns))
    walk = Walk(graph)
    np.testing.assert_allclose(walk.gather(values), matrix.T @ values, atol=1e-13)
    np.testing.assert_allclose(walk.gather(values[:, 0]), matrix.T @ values[:, 0], atol=1e-13)
    np.testing.assert_allclose(walk.turned.gather(values), matrix @ values, atol=1e-13)
    np.testing.assert_allclose(walk.given, matrix.sum(axis=1), atol=1e-13)
    assert walk.turned.turned is walk


def test_what_is_no_graph_is_refused_by_the_core() -> None:
    offsets, targets = np.array([0, 1, 2], np.uint64), np.array([1, 5], np.uint32)
    column = np.ones((2, 1))
    for rows, weights in (
        ((offsets, targets), None),
        ((offsets[:2], targets), None),
        ((offsets[::-1].copy(), targets % 2), None),
        ((offsets, targets % 2), np.ones(1)),
    ):
        with pytest.raises(ValueError, match="rows: expected"):
            core.multiply(rows, weights, column, column.copy())
    good = (offsets, targets % 2)
    with pytest.raises(ValueError, match="values: expected"):
        core.multiply(good, None, np.ones((3, 1)), column.copy())
    with pytest.raises(ValueError, match="rows: expected"):
        core.Folds((offsets, targets), None, np.ones(2))
    with pytest.raises(ValueError, match="rows: expected"):
        core.Folds(good, None, np.ones(3))
    folds = core.Folds(good, None, np.ones(2))
    for shares, scores in ((np.ones(3), np.ones(2)), (np.ones(3), np.ones(3))):
        with pytest.raises(ValueError, match="shares"):
            core.solve(folds, shares, np.ones(2), None, scores, 0.0, 1)
    with pytest.raises(ValueError, match="seeds"):
        core.push(good, None, 2, np.array([7], np.uint32), np.ones(1), 0.85, 1e-3)


def test_compressed_lists_are_refused_where_there_are_none(tmp_path: Path) -> None:
    graph = Graph.from_arcs([(0, 1)])
    with pytest.raises(UsageError, match="no files"):
        _ = Walk(graph, compressed=True).lists
    written = graph.write(tmp_path / "graph")
    with pytest.raises(ValueError, match="transpose"):
        Walk(graph, transpose=Graph.from_arcs([(0, 1), (1, 0)]))
    walk = Walk(written, transpose=graph.transpose().write(tmp_path / "turned"), compressed=True)
    assert walk.gather(np.array([3.0, 4.0])).tolist() == [0.0, 3.0]


def test_weights_that_are_none_are_refused() -> None:
    graph = Graph.from_arcs([(0, 1), (1, 0)])
    for wrong in (np.array([1.0, np.nan]), np.array([1.0, -1.0])):
        graph.weights = wrong
        with pytest.raises(UsageError, match="weights"):
            _ = Walk(graph).given


def test_a_view_of_a_month_gives_nothing_to_pages_that_are_not_there(tmp_path: Path) -> None:
    arcs = [(0, 1, 0b01), (0, 2, 0b10), (2, 0, 0b10)]
    view = TemporalGraph(label_arcs(tmp_path / "union", arcs, snapshots=["2026-01", "2026-02"])).at("2026-01")
    assert Walk(view).preference(None).tolist() == [0.5, 0.5, 0.0]
    with pytest.raises(UsageError, match="some node that is there"):
        Walk(view).preference([0.0, 0.0, 1.0])
