"""Whole spectra against dense matrices, multiplicities included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from threadpoolctl import threadpool_info, threadpool_limits

from tests.rank.spectra import reference
from webstrata.collection.progress import Progress, Task
from webstrata.errors import Cancelled, SettingError, UsageError
from webstrata.graph import Graph
from webstrata.rank import spectrum
from webstrata.rank.spectra import solve

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def farthest(ours: NDArray[np.complex128], theirs: NDArray[np.complex128]) -> float:
    """The largest distance of two that belong together, when they are paired as well as can be."""
    apart = np.abs(ours[:, None] - theirs[None])
    return float(apart[linear_sum_assignment(apart)].max(initial=0))


@given(lists=reference.planted(), bound=st.sampled_from([0.2, 0.5, 1.0]), inverse=st.booleans())
def test_eigenvalues_are_those_of_the_dense_matrix(
    lists: reference.Lists, bound: float, *, inverse: bool
) -> None:
    found = spectrum(reference.to_graph(lists), bound=bound, inverse=inverse)
    if inverse:
        lists = [[node for node, row in enumerate(lists) if target in row] for target in range(len(lists))]
    matrix = reference.google_matrix(lists)
    values = np.concatenate([found.values, found.core])
    assert len(values) == len(lists)
    assert np.abs(reference.power_sums(values, len(lists)) - reference.traces(matrix)).max() < 1e-8
    # LAPACK moves an eigenvalue 0 of a Jordan block of 5 by a thousandth; others are where ours are
    theirs = np.linalg.eigvals(matrix).astype(np.complex128)
    assert farthest(values, theirs) < 0.03
    table = found.table()
    assert table["N_s"] >= table["N_circ"] >= table["N_1"] >= table["N_d"]
    assert table["N_1"] == found.num_closed
    assert all(vector.residual < 1e-7 for vector in found.vectors if abs(vector.value) > 0.2)


def planted_graph(seed: int = 7) -> Graph:
    """Some hundred nodes with dangling ones among them, and closed pairs and rings."""
    rng = np.random.default_rng(seed)
    arcs = rng.integers(40, 400, size=(1200, 2))
    arcs = arcs[arcs[:, 0] % 5 != 0]
    closed = [(node, node ^ 1) for node in range(20)] + [
        (20 + place, 20 + (place + 1) % 20) for place in range(20)
    ]
    leaks = [(node, node % 40) for node in range(41, 400, 9) if node % 5]
    return Graph.from_arcs([*arcs.tolist(), *closed, *leaks], num_nodes=400)


def test_arnoldi_finds_the_leading_eigenvalues_of_the_core() -> None:
    graph = planted_graph()
    whole = spectrum(graph, arnoldi=0)
    some = spectrum(graph, arnoldi=120, vectors=6)
    assert whole.dimension > 250
    assert whole.num_converged == len(whole.core) == whole.core_size
    assert len(some.core) == 120
    assert some.num_converged > 10
    exact = np.abs(whole.core[:, None] - some.core[some.residuals < 1e-10]).min(axis=0)
    assert exact.max() < 1e-8
    assert np.abs(whole.core[0] - some.core[0]) < 1e-12
    for vector in some.vectors:
        # the estimate belongs to the merged matrix; the residual is that of the whole one
        assert vector.residual < 1e-3
        assert vector.weights.sum() == pytest.approx(1, abs=0.2)
        assert 1 <= vector.extent <= whole.core_size
    assert (some.num_subspaces, some.num_ones, some.num_on_circle) == (11, 11, 40)


def test_products_from_the_compressed_graph_find_the_same(tmp_path: Path) -> None:
    graph = planted_graph()
    turned = graph.transpose().write(tmp_path / "turned")
    found = spectrum(graph, transpose=turned, arnoldi=120, vectors=3, compressed=True)
    whole = spectrum(graph, arnoldi=0)
    assert found.rows == found.core_size == whole.core_size
    assert found.num_converged > 10
    exact = np.abs(whole.core[:, None] - found.core[found.residuals < 1e-10]).min(axis=0)
    assert exact.max() < 1e-8
    assert found.vectors[0].residual < 1e-8
    with pytest.raises(UsageError, match="the transpose has no files"):
        spectrum(graph, arnoldi=120, compressed=True)


def test_a_basis_on_disk_and_other_threads_make_the_same_values(tmp_path: Path) -> None:
    graph = planted_graph()
    memory = spectrum(graph, arnoldi=60, workers=1)
    disk = spectrum(graph, arnoldi=60, workers=3, memory=1, folder=tmp_path / "run")
    assert np.array_equal(memory.core, disk.core)
    assert not list((tmp_path / "run").iterdir())
    with pytest.raises(UsageError, match="name a folder for it, allow more memory, or take a smaller n_A"):
        spectrum(graph, arnoldi=60, memory=1)


def test_restarts_find_what_is_wanted_in_a_small_basis() -> None:
    graph = planted_graph()
    whole = spectrum(graph, arnoldi=0)
    few = spectrum(graph, arnoldi=30, wanted=6)
    assert (few.residuals[:6] < 1e-8).all()
    assert np.abs(np.abs(few.core[:6]) - np.abs(whole.core[:6])).max() < 1e-8
    with pytest.raises(UsageError, match="take an n_A of at least 41, better 82, or want fewer"):
        spectrum(graph, arnoldi=30, wanted=28)


class Breaking(Progress):
    """Cancels Arnoldi's method after some steps, and hears what is said."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps, self.heard = steps, [""]

    def changed(self, task: Task) -> None:
        if task.title == "Arnoldi" and task.done >= self.steps:
            self.cancel()

    def note(self, sentence: str) -> None:
        self.heard.append(sentence)


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "KEEP_FROM", -1.0)
    graph = planted_graph()
    (tmp_path / "mine").touch()
    with pytest.raises(Cancelled):
        spectrum(graph, arnoldi=100, folder=tmp_path, progress=Breaking(30))
    heard = Breaking(1000)
    found = spectrum(graph, arnoldi=100, folder=tmp_path, progress=heard)
    assert "steps of Arnoldi's method were found done" in heard.heard[-1]
    assert np.abs(found.core - spectrum(graph, arnoldi=100).core).max() < 1e-9
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_graphs_without_core_or_subspaces_have_the_other(tmp_path: Path) -> None:
    rings = Graph.from_arcs([(0, 1), (1, 0), (2, 3), (3, 2)])
    found = spectrum(rings, bound=1)
    assert (found.core_size, found.dimension, found.num_on_circle) == (0, 0, 4)
    found.write(tmp_path)
    with pytest.raises(UsageError, match="there is no core, since every node is in a subspace"):
        spectrum(rings, bound=1, arnoldi=2)
    # no dangling node, and one closed set that is too large: all is core, with its eigenvalue 1
    ring = spectrum(Graph.from_arcs([(node, (node + 1) % 5) for node in range(5)]))
    assert (ring.num_subspaces, ring.core_size) == (0, 5)
    assert farthest(ring.core, np.exp(2j * np.pi * np.arange(5) / 5)) < 1e-12


def test_blas_takes_one_thread_within_and_what_it_took_before_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def threads() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    seen: list[set[int]] = []
    eigvals = np.linalg.eigvals

    def watched(matrix: np.ndarray) -> np.ndarray:
        seen.append(threads())
        return eigvals(matrix)

    def fail(*_: object) -> None:
        seen.append(threads())
        raise Cancelled("stopped")

    graph = Graph.from_arcs([(0, 1), (1, 0), (2, 0), (2, 3), (3, 2), (3, 3)])
    with threadpool_limits(2, user_api="blas"):
        monkeypatch.setattr(np.linalg, "eigvals", watched)
        monkeypatch.setattr(solve, "_solve_core", fail)
        with pytest.raises(Cancelled):
            spectrum(graph)
        assert threads() == {2}
    assert seen
    assert all(each == {1} for each in seen)


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(UsageError, match="the graph has no nodes"):
        spectrum(Graph.from_arcs([]))
    with pytest.raises(SettingError, match="bound is 0, and must be above 0"):
        spectrum(Graph.from_arcs([(0, 1)]), bound=0.0)
    with pytest.raises(SettingError, match="bounds"):
        spectrum(Graph.from_arcs([(0, 1)]), bounds=0.1)
