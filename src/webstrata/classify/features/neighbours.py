"""Values of neighbours put together, row by row of a graph: smallest, mean, variance.

All of it is a few passes of NumPy over the arcs; a row without arcs, or one whose neighbours' values are all
missing (not a number), has a missing value itself. Variances are those of the values as they are, divided by
their number, not by one less: one neighbour has variance 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.graph.view import Graph

    Floats = npt.NDArray[np.float64]


class NeighbourRows:
    """The rows of a graph as NumPy goes over them.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> rows = NeighbourRows(Graph.from_arcs([(0, 1), (0, 2), (2, 0)]))
    >>> rows.smallest(np.array([5, 3, 4], np.uint32), empty=9).tolist()
    [3, 9, 5]
    >>> mean, variance = rows.moments(np.array([5.0, 3.0, 4.0]))
    >>> mean.tolist(), variance.tolist()
    ([3.5, nan, 5.0], [0.25, nan, 0.0])
    """

    def __init__(self, graph: Graph) -> None:
        offsets, targets = graph.rows()
        self.offsets = offsets.astype(np.int64)
        self.targets = targets
        self.num_rows = graph.num_nodes
        self.degrees = np.diff(self.offsets)
        self.filled = np.flatnonzero(self.degrees)
        """Rows that have arcs; `reduceat` knows no empty ones."""
        self._starts = self.offsets[self.filled]

    @property
    def sources(self) -> npt.NDArray[np.int64]:
        """The row of each arc."""
        return np.repeat(np.arange(self.num_rows), self.degrees)

    def smallest(self, values: npt.NDArray[Any], *, empty: int | np.uint32) -> npt.NDArray[Any]:
        """The smallest value of the neighbours of each row; `empty` where there are none."""
        found = np.full(self.num_rows, empty, values.dtype)
        if len(self.filled):
            found[self.filled] = np.minimum.reduceat(values[self.targets], self._starts)
        return found

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of a value of each arc, row by row."""
        found = np.zeros(self.num_rows, values.dtype)
        if len(self.filled):
            found[self.filled] = np.add.reduceat(values, self._starts)
        return found

    def moments(self, values: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the values of neighbours that have one."""
        theirs = values[self.targets]
        known = ~np.isnan(theirs)
        number = self.sums(known.astype(np.float64))
        mean = divide(self.sums(np.where(known, theirs, 0.0)), number)
        # a second pass instead of E(x²) − E(x)², which loses all digits where values hardly differ
        apart = np.where(known, theirs - np.repeat(mean, self.degrees), 0.0)
        return mean, divide(self.sums(apart * apart), number)


def divide(above: npt.NDArray[Any], below: npt.NDArray[Any]) -> Floats:
    """A quotient each, missing where the denominator is 0 or something is missing.

    Examples
    --------
    >>> divide(np.array([1, 0, 2]), np.array([2, 0, 0])).tolist()
    [0.5, nan, nan]
    """
    found = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=found, where=np.asarray(below) != 0)
    return found


def logarithm(values: Floats) -> Floats:
    """The natural logarithm of each value, missing where it is not above 0.

    Examples
    --------
    >>> logarithm(np.array([1.0, 0.0])).tolist()
    [0.0, nan]
    """
    found = np.full(np.shape(values), np.nan)
    np.log(values, out=found, where=np.asarray(values) > 0)
    return found
