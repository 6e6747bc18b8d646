"""PageRank against elimination, and against what others compute."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.structure.test_components import to_networkx
from tests.rank import reference
from tests.rank.months import graphs, to_graph
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, UsageError
from webstrata.graph import Graph
from webstrata.rank import Walk, pagerank, pagerank_many, push
from webstrata.rank.pagerank import DANGLING, SOLVERS

if TYPE_CHECKING:
    from pathlib import Path

HASHES = """
import hashlib, numpy as np
from webstrata.graph import Graph
from webstrata.rank import pagerank
arcs = np.random.default_rng(3).integers(135000, size=(150000, 2))
graph = Graph.from_arcs(arcs)
for solver in ("power", "gauss-seidel"):
    found = pagerank(graph, solver=solver, tolerance=1e-2)
    print(hashlib.sha256(found.scores.tobytes()).hexdigest())
"""


@settings(max_examples=60)
@given(lists=graphs, alpha=st.floats(0, 0.95), solver=st.sampled_from(SOLVERS), data=st.data())
def test_scores_are_the_solution_within_the_bound(
    lists: list[set[int]], alpha: float, solver: str, data: st.DataObject
) -> None:
    size = len(lists)
    weights = data.draw(st.none() | st.lists(st.floats(0.1, 1), min_size=size, max_size=size))
    dangling = data.draw(st.sampled_from(DANGLING))
    graph = to_graph(lists)
    found = pagerank(
        graph, alpha=alpha, preference=weights, dangling=dangling, tolerance=1e-12, solver=solver
    )
    everywhere = np.full(size, 1 / size)
    shares = everywhere if weights is None else np.array(weights) / sum(weights)
    spread = everywhere if dangling == "uniform" else shares
    wanted = reference.pagerank([sorted(row) for row in lists], alpha, shares, spread)
    assert found.error_bound is not None
    assert found.error_bound <= 1e-12
    assert np.abs(found.scores - wanted).sum() <= found.error_bound + 1e-14
    assert found.scores.sum() == pytest.approx(1)


def test_weights_of_arcs_divide_what_a_node_passes_on() -> None:
    lists, weights = [[1, 2], [2], [0], [0, 1, 3]], [[1.0, 3.0], [2.0], [5.0], [1.0, 1.0, 2.0]]
    graph = to_graph(lists)
    graph.weights = np.concatenate([np.array(row) for row in weights])
    preference = np.array([0.1, 0.2, 0.3, 0.4])
    wanted = reference.pagerank(lists, 0.85, preference, weights=weights)
    for solver in SOLVERS:
        found = pagerank(graph, preference=preference, tolerance=1e-13, solver=solver)
        assert np.abs(found.scores - wanted).sum() < 1e-13
    plain = pagerank(Walk(graph, weighted=False), preference=preference, tolerance=1e-13)
    assert np.abs(plain.scores - reference.pagerank(lists, 0.85, preference)).sum() < 1e-13


@pytest.fixture(scope="module")
def random_graph() -> Graph:
    return Graph.from_arcs(np.random.default_rng(4).integers(300, size=(1500, 2)), num_nodes=310)


def test_a_looser_tolerance_is_kept_too(random_graph: Graph) -> None:
    exact = pagerank(random_graph, tolerance=1e-14, solver="power").scores
    for solver in SOLVERS:
        iterations = []
        for tolerance in (1e-2, 1e-5, 1e-9):
            found = pagerank(random_graph, tolerance=tolerance, solver=solver)
            assert found.error_bound is not None
            assert np.abs(found.scores - exact).sum() <= found.error_bound <= tolerance
            iterations.append(found.iterations)
        assert iterations == sorted(set(iterations))


def test_rings_stars_and_trees_have_the_scores_of_their_closed_forms() -> None:
    alpha = 0.85
    ring = pagerank(Graph.from_arcs([(node, (node + 1) % 7) for node in range(7)]), tolerance=1e-13)
    np.testing.assert_allclose(ring.scores, 1 / 7, atol=1e-13)
    # a hub that n leaves link to, and that links back to each of them
    n = 9
    star = Graph.from_arcs([arc for leaf in range(1, n + 1) for arc in ((leaf, 0), (0, leaf))])
    hub = (1 + alpha * n) / ((n + 1) * (1 + alpha))
    np.testing.assert_allclose(pagerank(star, tolerance=1e-13).scores[0], hub, atol=1e-13)
    # a complete binary tree whose nodes link to their parents: y(h) = 1 + 2 α y(h - 1), then scaled
    height = 5
    arcs = [(node, (node - 1) // 2) for node in range(1, 2**height - 1)]
    levels = [1.0]
    for _ in range(height - 1):
        levels.append(1 + 2 * alpha * levels[-1])
    wanted = np.array([levels[height - 1 - (node + 1).bit_length() + 1] for node in range(2**height - 1)])
    np.testing.assert_allclose(
        pagerank(Graph.from_arcs(arcs), tolerance=1e-13).scores, wanted / wanted.sum(), atol=1e-13
    )


def test_many_preferences_at_once_are_each_as_good_as_alone(random_graph: Graph) -> None:
    preferences = np.random.default_rng(6).random((20, 310)) ** 8
    rows, bound = pagerank_many(random_graph, preferences, tolerance=1e-10)
    assert bound <= 1e-10
    for row, preference in zip(rows[::6], preferences[::6], strict=True):
        alone = pagerank(random_graph, preference=preference, tolerance=1e-12).scores
        assert np.abs(row - alone).sum() <= bound + 1e-12


@pytest.mark.parametrize("seeds", [5, {5: 1.0, 9: 3.0}])
def test_pushing_stays_below_the_scores_by_what_is_left(
    random_graph: Graph, tmp_path: Path, seeds: int | dict[int, float]
) -> None:
    preference = np.zeros(310)
    for node, weight in ({seeds: 1.0} if isinstance(seeds, int) else seeds).items():
        preference[node] = weight
    wanted = pagerank(random_graph, preference=preference, tolerance=1e-13).scores
    written = random_graph.write(tmp_path / "graph")
    for tolerance in (1e-1, 1e-3, 1e-6):
        found, other = (push(graph, seeds, tolerance=tolerance) for graph in (random_graph, written))
        scores = np.zeros(310)
        scores[found.nodes] = found.scores
        assert found.error_bound <= tolerance
        assert np.abs(wanted - scores).sum() == pytest.approx(found.error_bound, abs=1e-12)
        assert (scores <= wanted + 1e-13).all()
        np.testing.assert_array_equal(found.scores, other.scores)
    ring = Graph.from_arcs([(node, (node + 1) % 10_000) for node in range(10_000)])
    assert push(ring, 0, tolerance=1e-2).num_arcs < 100


def test_scores_of_before_save_passes(random_graph: Graph) -> None:
    table = random_graph.to_arrow()
    arcs = [*zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True), (3, 4)]
    for solver in SOLVERS:
        cold = pagerank(Graph.from_arcs(arcs, num_nodes=310), solver=solver)
        start = pagerank(random_graph, solver=solver).scores
        warm = pagerank(Graph.from_arcs(arcs, num_nodes=310), start=start, solver=solver)
        assert warm.iterations < cold.iterations
        assert np.abs(warm.scores - cold.scores).sum() < 2e-9


def test_compressed_lists_of_several_chunks_give_the_same_scores(tmp_path: Path) -> None:
    # arcs inside chunks and between them, to oneself too, lists that are equal and longer than a step
    draw, size = np.random.default_rng(5), 40_000
    sources = draw.integers(size, size=150_000)
    ends = np.where(draw.random(150_000) < 0.7, sources // 20 * 20 + draw.integers(20, size=150_000), sources)
    away = draw.integers(size, size=(20_000, 2)) // [1, 500] * [1, 500]
    graph = Graph.from_arcs(np.concatenate([np.stack([sources, ends], axis=1), away]), num_nodes=size + 5)
    written, turned = graph.write(tmp_path / "graph"), graph.transpose().write(tmp_path / "turned")
    for solver in SOLVERS:
        here, there = (
            pagerank(Walk(written, transpose=turned, compressed=compressed), solver=solver, tolerance=1e-12)
            for compressed in (False, True)
        )
        assert here.error_bound is not None
        assert there.error_bound is not None
        assert max(here.error_bound, there.error_bound) <= 1e-12
        assert np.abs(here.scores - there.scores).sum() <= 2e-12


def test_compressed_lists_give_the_same_scores(random_graph: Graph, tmp_path: Path) -> None:
    graph, turned = random_graph.write(tmp_path / "one"), random_graph.transpose().write(tmp_path / "other")
    for solver in SOLVERS:
        one, other = (
            pagerank(Walk(graph, transpose=turned, compressed=compressed), solver=solver)
            for compressed in (True, False)
        )
        # what is decoded is swept once more, so that it takes no more passes
        assert one.iterations <= other.iterations
        assert np.abs(one.scores - other.scores).sum() <= 2e-9


def test_lists_of_neighbours_that_differ_little_are_told_by_differences() -> None:
    # pages of a site: a menu that all link to, themselves in it, and links of their own; several chunks of it
    rng = np.random.default_rng(8)
    size, num_nodes = 40, 40_000
    site = np.arange(num_nodes) // size * size
    menus = np.stack([np.repeat(np.arange(num_nodes), 8), (site[:, None] + np.arange(8)).ravel()], axis=1)
    others = np.stack([rng.integers(num_nodes, size=60_000), rng.integers(num_nodes, size=60_000)], axis=1)
    missing = rng.random(len(menus)) < 0.05
    graph = Graph.from_arcs(np.concatenate([menus[~missing], others]), num_nodes=num_nodes)
    found = pagerank(graph, tolerance=1e-12)
    assert found.error_bound is not None
    assert found.error_bound <= 1e-12
    matrix = graph.to_scipy().T.tocsr()
    degrees = graph.outdegrees().astype(np.float64)
    shares = np.divide(0.85, degrees, out=np.zeros(num_nodes), where=degrees > 0)
    rest = (0.15 + 0.85 * found.scores[degrees == 0].sum()) / num_nodes
    left = np.abs(matrix @ (found.scores * shares) + rest - found.scores).sum()
    assert left <= 1e-12
    # one page that many link to from far away, and nobody jumps to most: no score is below 0
    preference = np.zeros(num_nodes)
    preference[::4000] = 1
    assert pagerank(graph, preference=preference, tolerance=1e-12).scores.min() >= 0


def test_networkx_finds_the_same_scores(random_graph: Graph) -> None:
    graph = random_graph
    preference = np.random.default_rng(5).random(310)
    theirs = nx.pagerank(
        to_networkx(graph), personalization=dict(enumerate(preference)), tol=1e-15, max_iter=1000
    )
    ours = pagerank(graph, preference=preference, tolerance=1e-12).scores
    assert np.abs(ours - np.array([theirs[node] for node in range(310)])).sum() < 1e-9


def test_the_number_of_threads_makes_no_difference() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", HASHES],
            env=os.environ | {"RAYON_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "3")
    }
    assert len(found) == 1


def test_the_stored_transpose_is_as_good_as_one_in_memory(test_data: Path) -> None:
    graph = Graph.open(test_data / "graph" / "cnr-2000")
    transpose = Graph.open(test_data / "graph" / "cnr-2000-t")
    one, other = pagerank(graph, tolerance=1e-3), pagerank(graph, transpose=transpose, tolerance=1e-3)
    np.testing.assert_array_equal(one.scores, other.scores)


@settings(max_examples=30)
@given(lists=graphs, data=st.data())
def test_a_surfer_who_never_jumps_comes_to_rest(lists: list[set[int]], data: st.DataObject) -> None:
    size = len(lists)
    weights = data.draw(st.lists(st.floats(0.1, 1), min_size=size, max_size=size))
    found = pagerank(to_graph(lists), alpha=1, preference=weights, tolerance=1e-8)
    start = np.array(weights) / sum(weights)
    step = reference.walk_matrix([sorted(row) for row in lists], start)
    assert found.error_bound is None
    assert found.residual is not None
    assert np.abs(step @ found.scores - found.scores).sum() <= found.residual + 1e-14 <= 1e-8 + 1e-14
    # where it comes to rest is the mean of where it is, in the long run
    half = np.linalg.matrix_power((step + np.eye(size)) / 2, 2**16)
    np.testing.assert_allclose(found.scores, half @ start, atol=1e-5)


def test_a_surfer_who_never_jumps_goes_round_a_ring_and_may_never_get_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ring = pagerank(Graph.from_arcs([(0, 1), (1, 2), (2, 0)]), alpha=1, preference=[1, 0, 0])
    np.testing.assert_allclose(ring.scores, 1 / 3, atol=1e-9)
    # from one ring to the other the surfer comes once in a million steps
    arcs = [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (2, 0)]
    graph = Graph.from_arcs(arcs)
    weights = [1.0 if abs(one - other) == 1 else 1e-6 for one, other in sorted(arcs)]
    graph.weights = np.array(weights)
    monkeypatch.setattr(import_module("webstrata.rank.pagerank"), "_MOST_HALF_STEPS", 300)
    with pytest.raises(UsageError, match="alpha: with 1, a step still changes"):
        pagerank(graph, alpha=1, preference=[1, 0, 0, 0])
    for refuse in (
        lambda: push(graph, 0, alpha=1),
        lambda: pagerank_many(graph, [[1, 0, 0, 0]], alpha=1),
    ):
        with pytest.raises(UsageError, match="below 1, got 1"):
            refuse()


def test_what_makes_no_sense_is_refused() -> None:
    graph = Graph.from_arcs([(0, 1)])
    for wrong in (
        {"alpha": 1.1},
        {"alpha": -0.1},
        {"alpha": float("nan")},
        {"solver": "none"},
        {"dangling": "none"},
        {"start": [1.0]},
        {"tolerance": 0.0},
        {"tolerance": float("nan")},
    ):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            pagerank(graph, **wrong)
    for preference in ([1.0], [1.0, -1.0], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]):
        with pytest.raises(UsageError, match="preference"):
            pagerank(graph, preference=preference)
    assert len(pagerank(Graph.from_arcs([])).scores) == 0


def test_a_computation_can_be_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        pagerank(Graph.from_arcs([(0, 1)]), progress=progress)
