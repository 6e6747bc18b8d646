"""PageRank against elimination, and against what others compute."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.structure.test_components import to_networkx
from tests.rank import reference
from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled
from webstrata.graph import Graph
from webstrata.rank import pagerank

if TYPE_CHECKING:
    from pathlib import Path

HASHES = """
import hashlib, numpy as np
from webstrata.graph import Graph
from webstrata.rank import pagerank
arcs = np.random.default_rng(3).integers(20000, size=(90000, 2))
print(hashlib.sha256(pagerank(Graph.from_arcs(arcs)).scores.tobytes()).hexdigest())
"""

graphs = st.integers(1, 20).flatmap(
    lambda n: st.lists(st.sets(st.integers(0, n - 1)), min_size=n, max_size=n)
)


@settings(max_examples=60)
@given(lists=graphs, alpha=st.floats(0, 0.95), data=st.data())
def test_scores_are_the_solution_within_the_bound(
    lists: list[set[int]], alpha: float, data: st.DataObject
) -> None:
    size = len(lists)
    weights = data.draw(st.none() | st.lists(st.floats(0.1, 1), min_size=size, max_size=size))
    graph = Graph.from_arcs(
        [(node, target) for node, row in enumerate(lists) for target in row], num_nodes=size
    )
    found = pagerank(graph, alpha=alpha, preference=weights, tolerance=1e-12)
    shares = np.full(size, 1 / size) if weights is None else np.array(weights) / sum(weights)
    wanted = reference.pagerank([sorted(row) for row in lists], alpha, shares)
    assert found.error_bound <= 1e-12
    assert np.abs(found.scores - wanted).sum() <= found.error_bound + 1e-14
    assert found.scores.sum() == pytest.approx(1)


def test_a_looser_tolerance_is_kept_too() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(300, size=(1500, 2)), num_nodes=310)
    exact = pagerank(graph, tolerance=1e-14).scores
    iterations = []
    for tolerance in (1e-2, 1e-5, 1e-9):
        found = pagerank(graph, tolerance=tolerance)
        assert np.abs(found.scores - exact).sum() <= found.error_bound <= tolerance
        iterations.append(found.iterations)
    assert iterations == sorted(set(iterations))


def test_networkx_finds_the_same_scores() -> None:
    graph = Graph.from_arcs(np.random.default_rng(4).integers(300, size=(1500, 2)), num_nodes=310)
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


def test_what_makes_no_sense_is_refused() -> None:
    graph = Graph.from_arcs([(0, 1)])
    for wrong in ({"alpha": 1.0}, {"alpha": -0.1}, {"tolerance": 0.0}, {"tolerance": float("nan")}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            pagerank(graph, **wrong)  # type: ignore[arg-type]
    for preference in ([1.0], [1.0, -1.0], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]):
        with pytest.raises(ValueError, match="preference"):
            pagerank(graph, preference=preference)
    assert len(pagerank(Graph.from_arcs([])).scores) == 0


def test_a_computation_can_be_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        pagerank(Graph.from_arcs([(0, 1)]), progress=progress)
