"""HyperBall against exact distances, within the error that it states."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled
from webstrata.graph import Graph, list_source
from webstrata.graph.structure import Balls, distances, grow_balls
from webstrata.graph.structure.balls import effective_diameter, mean_distance

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection.progress import Task

NUM_NODES = 400
HASHES = """
import hashlib, numpy as np
from webstrata.graph import Graph
from webstrata.graph.structure import grow_balls
arcs = np.random.default_rng(3).integers(5000, size=(20000, 2))
balls = grow_balls(Graph.from_arcs(arcs), registers=16, runs=2)
# sums of all balls are rounded in the order in which threads come
print(hashlib.sha256(balls.harmonic.tobytes()).hexdigest(), [f"{pairs:.9e}" for pairs in balls.neighbourhood])
"""


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_arcs(np.random.default_rng(7).integers(NUM_NODES, size=(900, 2)), num_nodes=NUM_NODES)


@pytest.fixture(scope="module")
def exact(graph: Graph) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return np.array([distances(graph, [node]) for node in range(NUM_NODES)])


@pytest.fixture(scope="module")
def balls(graph: Graph) -> Balls:
    return grow_balls(graph.transpose(), registers=1024, runs=4)


def test_what_is_estimated_is_within_its_error(
    balls: Balls, exact: np.ndarray[tuple[int, int], np.dtype[np.int32]]
) -> None:
    curve = np.array([(exact[exact >= 0] <= radius).sum() for radius in range(exact.max() + 1)], float)
    joined = (curve[-1] - NUM_NODES) / (NUM_NODES * (NUM_NODES - 1))
    for found, wanted in (
        (balls.mean_distance, mean_distance(curve)),
        (balls.effective_diameter, effective_diameter(curve)),
        (balls.joined_share, joined),
    ):
        assert abs(found.value - wanted) < 4 * found.error + 1e-3
        assert found.error < 0.1 * wanted
    assert balls.longest == len(curve) - 1
    length = len(balls.neighbourhood)
    assert np.abs(balls.neighbourhood / curve[:length] - 1).max() < 4 * balls.counter_error
    assert balls.distribution.sum() == pytest.approx(1)


def test_harmonic_centrality_is_within_its_error(
    balls: Balls, exact: np.ndarray[tuple[int, int], np.dtype[np.int32]]
) -> None:
    inverse = np.divide(1.0, exact, out=np.zeros(exact.shape), where=exact > 0)
    wanted = inverse.sum(axis=0)
    far = np.abs(balls.harmonic - wanted) > 3 * balls.counter_error * wanted + 0.1
    assert far.mean() < 0.02
    # the counters are without bias
    assert balls.harmonic.sum() == pytest.approx(wanted.sum(), rel=0.03)


def test_large_graphs_stay_compressed(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory = grow_balls(graph.transpose(), graph, registers=16, runs=2)
    files = graph.transpose().write(tmp_path / "uk-t"), graph.write(tmp_path / "uk")
    monkeypatch.setattr(list_source, "ROWS", 0)
    found = grow_balls(*files, registers=16, runs=2)
    np.testing.assert_allclose(found.neighbourhood, in_memory.neighbourhood, rtol=1e-12)
    np.testing.assert_array_equal(found.harmonic, in_memory.harmonic)


def test_balls_can_be_cancelled() -> None:
    class Cancelling(Progress):
        def opened(self, task: Task) -> None:
            if task.title.startswith("balls"):
                self.cancel()

    arcs = np.random.default_rng(1).integers(50_000, size=(300_000, 2))
    with pytest.raises(Cancelled):
        grow_balls(Graph.from_arcs(arcs), registers=256, progress=Cancelling())


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


def test_graphs_without_arcs_or_nodes_have_no_distances() -> None:
    for empty in (Graph.from_arcs([]), Graph.from_arcs([], num_nodes=3), Graph.from_arcs([(0, 0)])):
        balls = grow_balls(empty)
        assert balls.longest == 0
        assert balls.mean_distance.value == 0
        assert not balls.harmonic.any()


def test_counters_that_are_none_are_refused(graph: Graph) -> None:
    for wrong in ({"registers": 48}, {"registers": 8}, {"runs": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            grow_balls(graph, **wrong)  # type: ignore[arg-type]
