"""Summaries as arrays: row by row, each with the terms of a page and their counts.

The summary of row i has length ``lengths[i]``, all words of the page, and the terms and counts from
``offsets[i]`` to ``offsets[i + 1]``: the arrays of a sparse matrix by rows (CSR) as SciPy takes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt


class SummaryRows(NamedTuple):
    """Some summaries."""

    lengths: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.uint64]
    terms: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint32]

    @property
    def num_rows(self) -> int:
        """How many summaries there are."""
        return len(self.lengths)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many terms each summary has."""
        ends = self.offsets.astype(np.int64)
        return ends[1:] - ends[:-1]

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """For each term the row that it is in."""
        return np.repeat(np.arange(self.num_rows, dtype=np.int64), self.sizes)

    def equals(self, other: SummaryRows) -> bool:
        """Whether these are the same summaries."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self._fields)

    def cut(self, start: int, stop: int) -> SummaryRows:
        """The rows of a range."""
        begin, end = int(self.offsets[start]), int(self.offsets[stop])
        return SummaryRows(
            self.lengths[start:stop],
            self.offsets[start : stop + 1] - np.uint64(begin),
            self.terms[begin:end],
            self.counts[begin:end],
        )


def make_rows(pages: Sequence[tuple[int, dict[int, int]]]) -> SummaryRows:
    """Rows from plain data: the length of each page, and its counts by term.

    Examples
    --------
    >>> make_rows([(7, {3: 1, 0: 2}), (0, {})]).terms.tolist()
    [0, 3]
    """
    items = [sorted(counts.items()) for _, counts in pages]
    flat = [item for row in items for item in row]
    return SummaryRows(
        np.array([length for length, _ in pages], np.uint32),
        np.cumsum([0, *map(len, items)], dtype=np.uint64),
        np.array([term for term, _ in flat], np.uint32),
        np.array([count for _, count in flat], np.uint32),
    )


def to_rows(rows: SummaryRows | Any) -> SummaryRows:  # noqa: ANN401
    """Rows whose arrays may have any integer type, or those of a SciPy sparse matrix of counts.

    A matrix has one row per page and one column per term; the length of a page is then the sum of its counts.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows = to_rows(csr_array([[0, 2, 0], [3, 0, 1]]))
    >>> rows.lengths.tolist(), rows.terms.tolist(), rows.counts.tolist()
    ([2, 4], [1, 0, 2], [2, 3, 1])
    >>> to_rows(csr_array([[0.5]]))
    Traceback (most recent call last):
    ValueError: counts: expected whole numbers from 0 to 4294967295, got float64 with others
    """
    if not isinstance(rows, SummaryRows):
        if not hasattr(rows, "tocsr"):
            raise TypeError(f"rows: expected SummaryRows or a SciPy sparse matrix, got {type(rows).__name__}")
        matrix = rows.tocsr().copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        lengths = np.asarray(matrix.sum(axis=1)).reshape(-1)
        rows = SummaryRows(lengths, matrix.indptr, matrix.indices, matrix.data)
    kinds: dict[str, npt.DTypeLike] = {"counts": np.uint32, "terms": np.uint32, "lengths": np.uint32}
    kinds["offsets"] = np.uint64
    found = {name: _to_unsigned(name, getattr(rows, name), kind) for name, kind in kinds.items()}
    return SummaryRows(**found)


def _to_unsigned(name: str, values: npt.ArrayLike, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    found = np.asarray(values)
    if found.dtype == kind:
        return found
    made = found.astype(kind)
    if not np.array_equal(made, found) or (found.size and found.min() < 0):
        most = np.iinfo(made.dtype).max
        raise ValueError(f"{name}: expected whole numbers from 0 to {most}, got {found.dtype} with others")
    return made


def concatenate(pieces: Iterable[SummaryRows]) -> SummaryRows:
    """Rows one behind the other.

    Examples
    --------
    >>> one = make_rows([(7, {3: 1, 0: 2})])
    >>> concatenate([one, one]).offsets.tolist()
    [0, 2, 4]
    """
    pieces = list(pieces)
    if len(pieces) == 1:
        return pieces[0]
    sizes = [piece.sizes for piece in pieces]
    offsets = np.zeros(1 + sum(map(len, sizes)), np.uint64)
    if pieces:
        np.cumsum(np.concatenate(sizes), out=offsets[1:], dtype=np.uint64)
    empty = np.zeros(0, np.uint32)
    return SummaryRows(
        np.concatenate([empty, *(piece.lengths for piece in pieces)]),
        offsets,
        np.concatenate([empty, *(piece.terms for piece in pieces)]),
        np.concatenate([empty, *(piece.counts for piece in pieces)]),
    )


def regroup(pieces: Iterable[SummaryRows], size: int) -> Iterator[SummaryRows]:
    """The same rows in pieces of `size` each, the last one smaller.

    Examples
    --------
    >>> one = make_rows([(7, {3: 1, 0: 2})])
    >>> [piece.num_rows for piece in regroup([concatenate([one] * 3), concatenate([one] * 2)], 4)]
    [4, 1]
    """
    waiting: list[SummaryRows] = []
    count = 0
    for piece in pieces:
        waiting.append(piece)
        count += piece.num_rows
        while count >= size:
            joined = concatenate(waiting)
            yield joined.cut(0, size)
            waiting = [joined.cut(size, joined.num_rows)]
            count -= size
    if count:
        yield concatenate(waiting)


def renumber(rows: SummaryRows, numbers: npt.NDArray[np.uint32]) -> SummaryRows:
    """The rows with other numbers for their terms, ascending in each; a term whose number is `DROPPED` goes.

    Examples
    --------
    >>> rows = renumber(make_rows([(7, {0: 2, 1: 5, 2: 1})]), np.array([9, DROPPED, 3], np.uint32))
    >>> rows.terms.tolist(), rows.counts.tolist()
    ([3, 9], [1, 2])
    """
    terms = numbers[rows.terms]
    kept = terms != DROPPED
    places = rows.places[kept]
    keys = places.astype(np.uint64) << np.uint64(32) | terms[kept]
    order = np.argsort(keys, kind="stable")
    offsets = np.zeros(rows.num_rows + 1, np.uint64)
    np.cumsum(np.bincount(places, minlength=rows.num_rows), out=offsets[1:], dtype=np.uint64)
    return SummaryRows(
        rows.lengths, offsets, keys[order].astype(np.uint32), np.ascontiguousarray(rows.counts[kept][order])
    )


DROPPED = np.uint32(0xFFFFFFFF)
"""The number of a term that is left out."""
