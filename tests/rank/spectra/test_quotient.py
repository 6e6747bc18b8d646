"""A merged matrix has the eigenvalues of the whole one, and its eigenvectors lead back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.rank.spectra import reference
from webstrata.rank.spectra.quotient import merge


@st.composite
def templates(draw: st.DrawFn) -> reference.Lists:
    """Graphs in which many nodes have the same few lists."""
    size = draw(st.integers(1, 14))
    rows = st.sets(st.integers(0, size - 1), max_size=4).map(sorted)
    kinds = draw(st.lists(rows, min_size=1, max_size=4))
    return [draw(st.sampled_from(kinds)) for _ in range(size)]


@given(lists=templates())
def test_traces_are_the_same_and_eigenvectors_are_lifted(lists: reference.Lists) -> None:
    size = len(lists)
    counts = np.zeros((size, size), dtype=np.int64)
    for node, row in enumerate(lists):
        counts[row, node] = 1
    degrees = counts.sum(axis=0)
    quotient = merge(sparse.csr_array(counts), degrees, dangling=np.flatnonzero(degrees == 0), total=size)
    whole, small = reference.google_matrix(lists), quotient.matrix.toarray()
    assert quotient.num_zeros + len(small) == size
    assert len(small) <= len(set(map(tuple, lists)))
    power = np.eye(len(small))
    for trace in reference.traces(whole):
        power = power @ small
        assert abs(np.trace(power) - trace) < 1e-9
    values, vectors = np.linalg.eig(small)
    for value, vector in zip(values, vectors.T, strict=True):
        if abs(value) > 0.1:
            lifted = quotient.lift(vector)
            assert abs(np.linalg.norm(lifted) - 1) < 1e-12
            assert np.linalg.norm(whole @ lifted - value * lifted) < 1e-8


def test_columns_of_other_divisors_stay_apart() -> None:
    counts = sparse.csr_array(np.array([[1, 1], [0, 0]]))
    assert merge(counts, np.array([1, 2])).columns.shape == (2, 2)
    assert merge(counts, np.array([2, 2])).columns.shape == (2, 1)
