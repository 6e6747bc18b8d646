"""SciPy's ``.npz`` files of sparse matrices, read and written in memory: entry (i, j) is the arc i → j."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.files import explained, open_writer
from webstrata.errors import FormatError
from webstrata.graph.interchange.text import ArcStream

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection.progress import Task
    from webstrata.graph.view import Graph


def open_scipy_matrix(path: Path) -> ArcStream:
    """The arcs of a square matrix; values are not read, zeros that are stored are arcs too.

    Examples
    --------
    >>> import scipy.sparse
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.npz"
    >>> scipy.sparse.save_npz(path, scipy.sparse.coo_array(([1], ([0], [2])), shape=(3, 3)))
    >>> stream = open_scipy_matrix(path)
    >>> stream.num_nodes, [targets.tolist() for _, targets in stream.blocks]
    (3, [[2]])
    """
    import scipy.sparse

    try:
        with explained(path, "read"), path.open("rb") as stream:
            matrix = scipy.sparse.load_npz(stream)
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError) as error:
        raise FormatError(f"{path}: this is no sparse matrix of SciPy, or it is cut off ({error})") from None
    if matrix.shape[0] != matrix.shape[1]:
        raise FormatError(
            f"{path}: expected a square matrix, got {matrix.shape[0]} rows of {matrix.shape[1]}"
        )
    entries = matrix.tocoo()
    return ArcStream(iter([(np.asarray(entries.row), np.asarray(entries.col))]), int(matrix.shape[0]))


def write_scipy_matrix(graph: Graph, path: Path, task: Task) -> None:
    """Write a graph as a matrix of ones in rows.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.graph import Graph
    >>> path = testing.scratch() / "uk.npz"
    >>> with Progress().task("writing") as task:
    ...     write_scipy_matrix(Graph.from_arcs([(0, 2)]), path, task)
    >>> open_scipy_matrix(path).num_nodes
    3
    """
    import scipy.sparse

    offsets, targets = graph.rows()
    # SciPy wants both of one width
    kind = np.int32 if len(targets) < 2**31 and graph.num_nodes < 2**31 else np.int64
    data = np.ones(len(targets), np.int8)
    matrix = scipy.sparse.csr_array(
        (data, targets.astype(kind), offsets.astype(kind)), shape=(graph.num_nodes, graph.num_nodes)
    )
    with open_writer(path) as stream:
        scipy.sparse.save_npz(stream, matrix)
    task.advance(len(targets))
