"""Eigenvalues of subspaces: closed forms, and the traces of powers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.rank.spectra import reference
from webstrata.rank.spectra.blocks import diagonalize
from webstrata.rank.spectra.subspaces import find_subspaces


@given(lists=reference.planted())
def test_power_sums_are_the_traces_of_the_matrix_of_subspaces(lists: reference.Lists) -> None:
    subspaces = find_subspaces(reference.to_graph(lists), bound=1)
    values = diagonalize(subspaces).values
    matrix = reference.google_matrix(lists)[np.ix_(subspaces.nodes, subspaces.nodes)]
    assert len(values) == len(matrix)
    sums = reference.power_sums(values, len(matrix))
    assert np.abs(sums - reference.traces(matrix)).max(initial=0) < 1e-9


@pytest.mark.parametrize("size", [2, 3, 4, 5, 12])
def test_a_ring_has_the_roots_of_unity_and_one_that_leaks_has_smaller_ones(size: int) -> None:
    ring = [[(node + 1) % size] for node in range(size)]
    # a second ring, of which one node also links to the first: the product of its shares is a half
    leaking = [[size + (node + 1) % size] for node in range(size)]
    leaking[0] = [0, *leaking[0]]
    found = diagonalize(find_subspaces(reference.to_graph([*ring, *leaking, []]), bound=1))
    roots = np.exp(2j * np.pi * np.arange(size) / size)
    wanted = np.concatenate([roots, 0.5 ** (1 / size) * roots])
    apart = np.abs(found.values[:, None] - wanted[None])
    assert apart.min(axis=0).max() < 1e-14
    assert apart.min(axis=1).max() < 1e-14
    assert found.values[0] == 1  # to the last bit


def test_a_complete_graph_has_one_and_zeros() -> None:
    with_loops = [list(range(6)) for _ in range(6)]
    without = [[node + 6 for node in range(5) if node != place] for place in range(5)]
    found = diagonalize(find_subspaces(reference.to_graph([*with_loops, *without, []]), bound=1))
    assert np.sort(found.values.real).round(12).tolist() == [*[-0.25] * 4, *[0.0] * 5, 1, 1]
    assert np.count_nonzero(found.values == 0) == 5  # known, not found: there is no rounding in them


def test_hundreds_of_equal_blocks_are_one_and_each_has_its_eigenvalues() -> None:
    block = [[1, 2], [0, 2], [1]]
    lists = [[3 * copy + target for target in row] for copy in range(300) for row in block] + [[]]
    subspaces = find_subspaces(reference.to_graph(lists))
    found = diagonalize(subspaces)
    wanted = np.sort_complex(np.linalg.eigvals(reference.google_matrix(block)))
    for copy in range(300):
        own = np.sort_complex(found.values[3 * copy : 3 * copy + 3])
        assert np.abs(own - wanted).max() < 1e-12
    assert found.largest_block <= 3
