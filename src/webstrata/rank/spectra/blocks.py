"""All eigenvalues of the subspaces, exactly: each from the smallest matrix that has it.

S_ss is block triangular by strong components, so its eigenvalues are those of the blocks of these, B(i, j) =
1/d(j) for the arcs j → i inside:

- a component of **one node** has 1/d where it has a loop, else 0;
- a **ring** of n nodes has the n-th roots of the product of its 1/d: λ = (Π 1/d)^(1/n) e^(2πik/n), and the
  roots of 1 where it is closed;
- of **any other**, equal columns and rows that are multiples are merged first (see `quotient`), which leaves
  a matrix a few times smaller and known zeros; equal matrices are diagonalized once, matrices of one size
  in one call of LAPACK.

Rounding moves an eigenvalue of a merged block by some 10⁻¹⁵ times its condition; eigenvalues of one node, of
rings and the zeros of merging have none. A closed component has eigenvalue 1 once, and as many of modulus 1
as its period says; a component that is not closed has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from webstrata.collection.progress import Progress
from webstrata.rank.spectra.quotient import merge

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.graph.structure import Components
    from webstrata.rank.spectra.subspaces import Subspaces

    Values = npt.NDArray[np.complex128]
    Numbers = npt.NDArray[np.int64]

_BATCH = 1 << 25
"""Bytes of matrices that are diagonalized in one call."""


@dataclass(frozen=True)
class Eigenvalues:
    """Eigenvalues with the strong component that has each."""

    values: Values
    components: npt.NDArray[np.int32]
    largest_block: int
    """Rows of the largest matrix that was diagonalized."""


def diagonalize(subspaces: Subspaces, *, progress: Progress | None = None) -> Eigenvalues:
    """The N_s eigenvalues of all subspaces, each as often as it is one.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank.spectra.subspaces import find_subspaces
    >>> ring = Graph.from_arcs([(0, 1), (1, 2), (2, 3), (3, 0), (4, 0)], num_nodes=6)
    >>> found = diagonalize(find_subspaces(ring, bound=1))
    >>> np.sort_complex(found.values.round(12)).tolist()
    [(-1+0j), -1j, 0j, 1j, (1+0j)]
    """
    strong = subspaces.strong
    offsets, targets = subspaces.graph.rows()
    degrees = np.diff(offsets).astype(np.int64)
    sources = np.repeat(np.arange(len(degrees)), degrees)
    inside = strong.of_node[sources] == strong.of_node[targets]
    sources, targets = sources[inside], targets[inside].astype(np.int64)
    values = np.zeros(len(degrees), dtype=np.complex128)
    progress = progress or Progress()
    with progress.task("diagonalizing subspaces", total=len(degrees), unit="nodes") as task:
        sizes = strong.sizes[strong.of_node]
        loops = sources[(sizes[sources] == 1) & (sources == targets)]
        values[loops] = 1 / degrees[loops]
        inner = np.bincount(sources, minlength=len(degrees))
        is_ring = np.ones(len(strong), dtype=bool)
        is_ring[strong.of_node[inner != 1]] = False
        is_ring &= strong.sizes > 1
        rings = is_ring[strong.of_node]
        _roots(strong, degrees, rings, values)
        task.advance(int(np.count_nonzero((sizes == 1) | rings)))
        left = np.flatnonzero((sizes > 1) & ~rings)
        largest = _diagonalize_blocks(strong, degrees, left, (sources, targets), values, task.advance)
    return Eigenvalues(values, strong.of_node, largest)


def _roots(strong: Components, degrees: Numbers, rings: npt.NDArray[np.bool_], values: Values) -> None:
    """Write the eigenvalues of rings."""
    nodes = np.flatnonzero(rings)
    nodes = nodes[np.argsort(strong.of_node[nodes], kind="stable")]
    if not len(nodes):
        return
    parts = strong.of_node[nodes]
    starts = np.flatnonzero(np.concatenate([[True], parts[1:] != parts[:-1]]))
    sizes = strong.sizes[parts]
    place = np.arange(len(nodes)) - np.repeat(starts, sizes[starts])
    logs = np.repeat(np.add.reduceat(np.log(degrees[nodes]), starts), sizes[starts])
    angles = 2 * np.pi * place / sizes
    turned = np.exp(1j * angles)
    # quarters of the circle are known to the last bit
    quarter = 4 * place % sizes == 0
    turned[quarter] = np.array([1, 1j, -1, -1j])[(4 * place // sizes)[quarter]]
    values[nodes] = np.exp(-logs / sizes) * turned


def _diagonalize_blocks(
    strong: Components,
    degrees: Numbers,
    nodes: Numbers,
    arcs: tuple[Numbers, Numbers],
    values: Values,
    advance: Any,  # noqa: ANN401
) -> int:
    """Write the eigenvalues of the components of these nodes; the rows of the largest matrix."""
    if not len(nodes):
        return 0
    places = np.full(len(degrees), -1)
    places[nodes] = np.arange(len(nodes))
    sources, targets = places[arcs[0]], places[arcs[1]]
    kept = sources >= 0
    shape = (len(nodes), len(nodes))
    ones = np.ones(int(kept.sum()), dtype=np.int64)
    quotient = merge(sparse.csr_array((ones, (targets[kept], sources[kept])), shape=shape), degrees[nodes])
    # rows of the quotient keep their component: an entry joins rows and columns of one
    label = np.empty(quotient.size, dtype=np.int64)
    label[quotient.row_of[quotient.class_of]] = strong.of_node[nodes]
    order = np.argsort(label, kind="stable")
    blocks = _Blocks(quotient.matrix[order][:, order], label[order])
    # the places of a component's nodes, of which the first take the eigenvalues and the others stay 0
    by_part = nodes[np.argsort(strong.of_node[nodes], kind="stable")]
    parts = strong.of_node[by_part]
    begins = np.searchsorted(parts, blocks.labels)
    advance(len(nodes) - quotient.size)
    with threadpool_limits(1, user_api="blas"):
        for members, matrices in blocks.batches():
            size = matrices.shape[1]
            flat = matrices.reshape(len(members), -1).view(f"V{8 * size * size}").ravel()
            _, first, same = np.unique(flat, return_index=True, return_inverse=True)
            found = np.linalg.eigvals(matrices[first])[same]
            values[by_part[begins[members][:, None] + np.arange(size)]] = found
            advance(len(members) * size)
    return blocks.largest


class _Blocks:
    """A block-diagonal sparse matrix, its blocks grouped by size."""

    def __init__(self, matrix: Any, labels: Numbers) -> None:  # noqa: ANN401
        self._matrix = matrix.tocsr()
        self.labels, self._starts, self._sizes = np.unique(labels, return_index=True, return_counts=True)

    @property
    def largest(self) -> int:
        return int(self._sizes.max(initial=0))

    def batches(self) -> Any:  # noqa: ANN401
        """Members of equal size, with their matrices stacked; of equal ones, values are copied."""
        for size in np.unique(self._sizes):
            of_size = np.flatnonzero(self._sizes == size)
            step = max(1, _BATCH // (8 * int(size) ** 2))
            for start in range(0, len(of_size), step):
                members = of_size[start : start + step]
                yield members, self._dense(members, int(size))

    def _dense(self, members: Numbers, size: int) -> npt.NDArray[np.float64]:
        stack = np.zeros((len(members), size, size))
        rows = (self._starts[members][:, None] + np.arange(size)).ravel()
        chosen = self._matrix[rows]
        counts = np.diff(chosen.indptr)
        row = np.repeat(np.arange(len(rows)), counts)
        column = chosen.indices - self._starts[members][row // size]
        stack[row // size, row % size, column] = chosen.data
        return stack
