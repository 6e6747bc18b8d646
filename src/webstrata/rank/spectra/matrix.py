"""The part of the Google matrix that acts within the core, S_cc, and its products.

S_cc(i, j) = 1/d(j) for an arc j → i between nodes of the core, where d(j) counts all arcs of j, also those
into subspaces; and 1/N in every row for a dangling node j. The columns of dangling nodes are never written
out: x ↦ S_cc x adds their sum over N to each row.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from webstrata.rank.spectra.quotient import Quotient, merge

if TYPE_CHECKING:
    from types import TracebackType

    import numpy.typing as npt

    from webstrata.graph.view import Graph
    from webstrata.rank.spectra.quotient import Vector
    from webstrata.rank.spectra.subspaces import Subspaces

    Matrix = npt.NDArray[np.float64]

_MIN_ENTRIES = 1 << 18
"""Entries of a matrix that are worth a thread."""


class CoreMatrix:
    """S_cc of a graph whose subspaces are known.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank.spectra.subspaces import find_subspaces
    >>> graph = Graph.from_arcs([(0, 1)])
    >>> core = CoreMatrix(graph, find_subspaces(graph))
    >>> core.multiply(np.array([1.0, 1.0])).tolist()
    [0.5, 1.5]
    """

    def __init__(self, graph: Graph, subspaces: Subspaces) -> None:
        nodes = subspaces.core
        self.size, self.num_nodes = len(nodes), subspaces.num_nodes
        offsets, targets = graph.batch_successors(nodes)
        self.degrees = np.diff(offsets).astype(np.int64)
        places = np.full(graph.num_nodes, -1, dtype=np.int64)
        places[nodes] = np.arange(self.size)
        ends = places[targets]
        inside = ends >= 0
        sources = np.repeat(np.arange(self.size), self.degrees)[inside]
        ones = np.ones(len(sources), dtype=np.int64)
        self.counts = sparse.csr_array((ones, (ends[inside], sources)), shape=(self.size, self.size))
        self.dangling = np.flatnonzero(self.degrees == 0)

    def multiply(self, vector: Vector) -> Vector:
        """S_cc x, from the arcs."""
        shares = vector / np.maximum(self.degrees, 1)
        product: Vector = self.counts @ shares + vector[self.dangling].sum() / self.num_nodes
        return product

    @cached_property
    def quotient(self) -> Quotient:
        """The same with equal columns and rows merged: see `quotient`."""
        return merge(self.counts, self.degrees, dangling=self.dangling, total=self.num_nodes)


class Product:
    """Products with a sparse matrix on several threads, to be used as a context manager.

    Examples
    --------
    >>> with Product(sparse.csr_array(np.eye(3) * 2), workers=2) as product:
    ...     product(np.array([1.0, 2.0, 3.0])).tolist()
    [2.0, 4.0, 6.0]
    """

    def __init__(self, matrix: Any, *, workers: int = 1) -> None:  # noqa: ANN401
        count = max(1, min(workers, matrix.nnz // _MIN_ENTRIES))
        # equally many entries for each
        shares = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, count + 1)[1:-1])
        self._starts = [0, *shares.tolist(), matrix.shape[0]]
        self._pieces = [matrix[begin:end] for begin, end in zip(self._starts, self._starts[1:], strict=False)]
        self._pool = ThreadPoolExecutor(count)

    def __call__(self, vector: Matrix) -> Matrix:
        """A x."""
        if len(self._pieces) == 1:
            return np.asarray(self._pieces[0] @ vector)
        return np.concatenate(list(self._pool.map(lambda piece: piece @ vector, self._pieces)))

    def __enter__(self) -> Product:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()
