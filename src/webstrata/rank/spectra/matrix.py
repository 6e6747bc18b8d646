"""The part of the Google matrix that acts within the core, S_cc, and its products.

S_cc(i, j) = 1/d(j) for an arc j → i between nodes of the core, where d(j) counts all arcs of j, also those
into subspaces; and 1/N in every row for a dangling node j. The columns of dangling nodes are never written
out: x ↦ S_cc x adds their sum over N to each row.

`CoreMatrix` keeps it as a matrix with equal columns and rows merged, some 36 bytes an arc while it is made.
`CompressedCore` keeps nothing: every product goes through the compressed lists of the transpose, as
`rank.walk` does, in the memory of some vectors. Nothing is merged then, so that steps are longer too: it is
for graphs whose arcs do not fit into memory.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse

from webstrata.rank.spectra.quotient import Quotient, merge
from webstrata.rank.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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

    @property
    def rows(self) -> int:
        """Rows of the matrix that steps are made with."""
        return self.quotient.size

    @property
    def num_bytes(self) -> int:
        """Memory of the matrices."""
        return 12 * int(self.quotient.matrix.nnz) + 24 * int(self.counts.nnz)

    @contextmanager
    def product(self, workers: int) -> Iterator[Callable[[Matrix], Matrix]]:
        """The product that steps are made with."""
        with Product(self.quotient.matrix, workers=workers) as product:
            yield product

    def lift(self, vector: Vector) -> Vector:
        """An eigenvector of the core, of one that steps have found."""
        return self.quotient.lift(vector)

    def identify(self) -> str:
        """A digest of the matrix."""
        digest = hashlib.sha256()
        matrix = self.quotient.matrix
        for array in (matrix.data, matrix.indices, matrix.indptr):
            digest.update(array.tobytes())
        return digest.hexdigest()


class CompressedCore:
    """S_cc of a graph whose transpose has files, read anew in every product; else as `CoreMatrix`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank.spectra.subspaces import find_subspaces
    >>> graph = Graph.from_arcs([(0, 1)])
    >>> turned = graph.transpose().write(testing.scratch() / "turned")
    >>> core = CompressedCore(graph, turned, find_subspaces(graph))
    >>> core.multiply(np.array([1.0, 1.0])).tolist()
    [0.5, 1.5]
    """

    def __init__(self, graph: Graph, transpose: Graph | None, subspaces: Subspaces) -> None:
        self.nodes = subspaces.core
        self.size, self.num_nodes = len(self.nodes), subspaces.num_nodes
        self.walk = Walk(graph, transpose=transpose, compressed=True, weighted=False)
        # where there are no files, that is better said now
        _ = self.walk.lists
        degrees = self.walk.given
        self.dangling = np.flatnonzero(degrees[self.nodes] == 0)
        self._shares = 1 / np.maximum(degrees[self.nodes], 1)

    def multiply(self, vector: Vector) -> Vector:
        """S_cc x, from the compressed arcs; of a complex vector in one pass."""
        columns = np.stack([vector.real, vector.imag], axis=1) if np.iscomplexobj(vector) else vector
        given = np.zeros((self.walk.num_nodes, *columns.shape[1:]))
        given[self.nodes] = columns * (self._shares if columns.ndim == 1 else self._shares[:, None])
        gathered = self.walk.gather(given)[self.nodes]
        if gathered.ndim == 2:
            gathered = gathered[:, 0] + 1j * gathered[:, 1]
        product: Vector = gathered + vector[self.dangling].sum() / self.num_nodes
        return product

    @property
    def rows(self) -> int:
        """Rows of the matrix that steps are made with."""
        return self.size

    @property
    def num_bytes(self) -> int:
        """Memory of the vectors that a product needs."""
        return 8 * (4 * self.walk.num_nodes + 4 * self.size)

    @contextmanager
    def product(self, workers: int) -> Iterator[Callable[[Matrix], Matrix]]:
        """The product that steps are made with; the core of this package has threads of its own."""
        # of a vector of real numbers it is one
        yield cast("Callable[[Matrix], Matrix]", self.multiply)

    def lift(self, vector: Vector) -> Vector:
        """An eigenvector of the core, of length 1."""
        lifted: Vector = vector / np.linalg.norm(vector)
        return lifted

    def identify(self) -> str:
        """A digest of a product, which is another for other arcs."""
        vector = np.random.default_rng(0).random(self.size)
        return hashlib.sha256(self.multiply(vector).tobytes()).hexdigest()


Core = CoreMatrix | CompressedCore


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
