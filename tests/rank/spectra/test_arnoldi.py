"""Arnoldi's method in blocks: the relation, orthogonality, and the textbook's Hessenberg matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstrata.rank.spectra.arnoldi import Arnoldi

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def make_matrix(size: int, seed: int, density: float = 0.2) -> NDArray[np.float64]:
    """Random shares, columns with a sum of at most 1."""
    rng = np.random.default_rng(seed)
    matrix: NDArray[np.float64] = rng.random((size, size)) * (rng.random((size, size)) < density)
    matrix /= np.maximum(matrix.sum(axis=0), 1)
    return matrix


def textbook(matrix: NDArray[np.float64], start: NDArray[np.float64], dimension: int) -> NDArray[np.float64]:
    """H by steps of one vector, made orthogonal twice."""
    vectors, hessenberg = [start], np.zeros((dimension + 1, dimension))
    for step in range(dimension):
        product = matrix @ vectors[-1]
        for _ in range(2):
            for place, vector in enumerate(vectors):
                part = vector @ product
                hessenberg[place, step] += part
                product = product - part * vector
        hessenberg[step + 1, step] = np.linalg.norm(product)
        vectors.append(product / hessenberg[step + 1, step])
    return hessenberg


def test_a_space_that_is_all_but_invariant_costs_no_digits() -> None:
    # of the product of the fourteenth vector 1.2e-12 lies outside of the basis
    matrix = make_matrix(33, 1517, 0.03)
    method = Arnoldi(lambda vector: matrix @ vector, 33, 20, block=2)
    method.run()
    basis = method.basis.combine(np.eye(21))
    assert np.abs(matrix @ basis[:20].T - basis.T @ method.hessenberg).max() < 1e-11


@settings(max_examples=20)
@given(size=st.integers(1, 40), seed=st.integers(0, 10**6), block=st.integers(1, 20), data=st.data())
def test_the_relation_holds_and_the_basis_is_orthonormal(
    size: int, seed: int, block: int, data: st.DataObject
) -> None:
    dimension = data.draw(st.integers(1, size))
    matrix = make_matrix(size, seed, data.draw(st.sampled_from([0.03, 0.2, 1.0])))
    method = Arnoldi(lambda vector: matrix @ vector, size, dimension, block=block)
    method.run()
    assert method.steps == dimension
    basis = method.basis.combine(np.eye(dimension + 1))
    assert np.abs(basis[:dimension] @ basis[:dimension].T - np.eye(dimension)).max() < 1e-12
    assert np.abs(matrix @ basis[:dimension].T - basis.T @ method.hessenberg).max() < 1e-11
    assert not np.tril(method.hessenberg, -2).any()


@pytest.mark.parametrize("block", [1, 4, 16, 50])
def test_blocks_make_the_steps_of_the_textbook(block: int) -> None:
    matrix = make_matrix(400, 5, 0.01)
    method = Arnoldi(lambda vector: matrix @ vector, 400, 60, block=block, seed=9)
    wanted = textbook(matrix, method.basis.vector(0), 60)
    method.run()
    found, theirs = np.linalg.eigvals(method.square), np.linalg.eigvals(wanted[:60])
    largest = theirs[np.argsort(-np.abs(theirs))[:5]]
    assert np.abs(found[:, None] - largest).min(axis=0).max() < 1e-9
    assert np.abs(np.abs(method.hessenberg[:, :20]) - np.abs(wanted[:, :20])).max() < 1e-9


def test_multiple_eigenvalues_are_all_found_when_the_space_is_exhausted() -> None:
    # every vector lies in an invariant space of two dimensions, so that it must begin anew
    matrix = np.kron(np.eye(5), np.array([[0.0, 1.0], [1.0, 0.0]]))
    method = Arnoldi(lambda vector: matrix @ vector, 10, 10, block=4)
    method.run()
    assert np.sort(np.linalg.eigvals(method.square).real).round(9).tolist() == [-1] * 5 + [1] * 5
    nothing = Arnoldi(lambda vector: 0 * vector, 6, 6, block=4)
    nothing.run()
    assert not nothing.square.any()


@pytest.mark.parametrize("block", [1, 5, 16])
def test_restarts_lead_to_the_leading_eigenvalues_and_keep_the_relation(block: int) -> None:
    matrix = make_matrix(300, 8, 0.02)
    method = Arnoldi(lambda vector: matrix @ vector, 300, 24, block=block)
    assert method.lead(8, 1e-10)
    assert method.products > 24
    basis = method.basis.combine(np.eye(25))
    assert np.abs(basis @ basis.T - np.eye(25)).max() < 1e-11
    assert np.abs(matrix @ basis[:24].T - basis.T @ method.hessenberg).max() < 1e-11
    wanted = np.linalg.eigvals(matrix)
    wanted = wanted[np.argsort(-np.abs(wanted))[:8]]
    found = np.linalg.eigvals(method.square)
    assert np.abs(found[:, None] - wanted).min(axis=0).max() < 1e-8
    # what is not found after so many times is said
    assert not Arnoldi(lambda vector: matrix @ vector, 300, 24).lead(8, 1e-10, most=1)


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_run_that_was_broken_off_goes_on_where_it_was_kept(tmp_path: Path, *, on_disk: bool) -> None:
    matrix = make_matrix(80, 3, 0.05)

    def new() -> Arnoldi:
        folder = tmp_path if on_disk else None
        return Arnoldi(lambda vector: matrix @ vector, 80, 30, block=4, folder=folder)

    class Stop(Exception):
        pass

    def stop(_steps: int) -> None:
        if broken.steps >= 16:
            raise Stop

    broken = new()
    with pytest.raises(Stop):
        broken.run(stop)
    broken.save(tmp_path, "this one")
    assert new().load(tmp_path, "another") == 0
    method = new()
    assert method.load(tmp_path, "this one") == broken.steps
    method.run()
    assert method.products < 30 + 16
    whole = Arnoldi(lambda vector: matrix @ vector, 80, 30, block=4)
    whole.run()
    assert np.allclose(method.hessenberg, whole.hessenberg, atol=1e-12)
    # of a state that is damaged, or whose basis is gone, nothing is used
    (tmp_path / "basis").unlink()
    again = new()
    assert again.load(tmp_path, "this one") == 0
    (tmp_path / "hessenberg.npz").write_bytes(b"PK")
    assert again.load(tmp_path, "this one") == 0
    again.run()
    assert np.allclose(again.hessenberg, whole.hessenberg, atol=1e-12)
    Arnoldi.forget(tmp_path)
    assert not list(tmp_path.iterdir())


def test_more_steps_than_there_are_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 1 to 3, got 4"):
        Arnoldi(lambda vector: vector, 3, 4)
