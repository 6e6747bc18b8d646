"""Rows: cut, joined, regrouped and renumbered."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.summaries.written import drawn_rows
from webstrata.summaries.rows import DROPPED, concatenate, regroup, renumber

if TYPE_CHECKING:
    from webstrata.summaries.rows import Rows


@settings(max_examples=30)
@given(rows=drawn_rows(), cuts=st.lists(st.integers(0, 40), max_size=4), size=st.integers(1, 9))
def test_rows_in_pieces_are_the_same_rows(rows: Rows, cuts: list[int], size: int) -> None:
    bounds = sorted({0, rows.num_rows, *(cut for cut in cuts if cut < rows.num_rows)})
    pieces = [rows.cut(start, stop) for start, stop in itertools.pairwise(bounds)]
    assert concatenate(pieces).equals(rows)
    grouped = list(regroup(pieces, size))
    assert concatenate(grouped).equals(rows)
    assert all(piece.num_rows == size for piece in grouped[:-1])


@settings(max_examples=30)
@given(rows=drawn_rows(max_terms=8), numbers=st.permutations([0, 1, 2, 3, 4, 5, int(DROPPED), int(DROPPED)]))
def test_renumbered_rows_are_ascending_and_have_their_counts(rows: Rows, numbers: list[int]) -> None:
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
