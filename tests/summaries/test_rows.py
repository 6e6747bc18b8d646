"""Rows: cut, joined, regrouped and renumbered."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.summaries.written import drawn_rows
from webstrata.summaries.rows import DROPPED, SummaryRows, concatenate, make_rows, regroup, renumber, to_rows


@settings(max_examples=30)
@given(rows=drawn_rows(), cuts=st.lists(st.integers(0, 40), max_size=4), size=st.integers(1, 9))
def test_rows_in_pieces_are_the_same_rows(rows: SummaryRows, cuts: list[int], size: int) -> None:
    bounds = sorted({0, rows.num_rows, *(cut for cut in cuts if cut < rows.num_rows)})
    pieces = [rows.cut(start, stop) for start, stop in itertools.pairwise(bounds)]
    assert concatenate(pieces).equals(rows)
    grouped = list(regroup(pieces, size))
    assert concatenate(grouped).equals(rows)
    assert all(piece.num_rows == size for piece in grouped[:-1])


@settings(max_examples=30)
@given(rows=drawn_rows(max_terms=8), numbers=st.permutations([0, 1, 2, 3, 4, 5, int(DROPPED), int(DROPPED)]))
def test_renumbered_rows_are_ascending_and_have_their_counts(rows: SummaryRows, numbers: list[int]) -> None:
    found = renumber(rows, np.array(numbers, np.uint32))
    for row in range(rows.num_rows):
        page = rows.cut(row, row + 1)
        expected = sorted(
            (numbers[term], count)
            for term, count in zip(page.terms.tolist(), page.counts.tolist(), strict=True)
            if numbers[term] != DROPPED
        )
        other = found.cut(row, row + 1)
        assert list(zip(other.terms.tolist(), other.counts.tolist(), strict=True)) == expected


def test_rows_come_from_sparse_matrices_and_any_integer_type() -> None:
    counts = np.array([[0, 2, 0], [3, 0, 1]])
    expected = make_rows([(2, {1: 2}), (4, {0: 3, 2: 1})])
    for kind in (scipy.sparse.csr_array, scipy.sparse.coo_matrix, scipy.sparse.csc_array):
        assert to_rows(kind(counts)).equals(expected)
    for dtype in (np.int8, np.int32, np.int64, np.uint16):
        others: list[Any] = [array.astype(dtype) for array in expected]
        found = to_rows(SummaryRows(*others))
        assert found.equals(expected)
        assert [array.dtype for array in found] == [array.dtype for array in expected]


@pytest.mark.parametrize("wrong", [[[-1]], [[0.5]], [[2**33]]])
def test_counts_that_are_no_whole_numbers_are_refused(wrong: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="expected whole numbers from 0"):
        to_rows(scipy.sparse.csr_array(wrong))
