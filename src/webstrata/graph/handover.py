"""Graphs given to other libraries, and taken from them.

Arrays are handed over as they are where the other side can hold them: SciPy's indices are signed, and 4 bytes
wide as long as there are fewer than 2³¹ nodes and arcs, so that the targets of a graph are its indices
without a copy. A graph with `weights` (a number for each arc, in the order of its rows) takes them along, and
one with `node_attributes` these: nodes of a snapshot's graph have ``url`` and ``host``.

A graph at one time (see `Graph.present`) has only the nodes of that time for NetworkX and NetworKit; matrices
and igraph, whose nodes are all numbers below n, have the others without arcs.

Nodes that come from elsewhere keep their numbers if they are 0 … n - 1; others are numbered as they are
listed. Arcs are made once each, and an undirected edge is two arcs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from webstrata.errors import MissingExtraError
from webstrata.graph.rows import RowsGraph

if TYPE_CHECKING:
    from types import ModuleType

    import numpy.typing as npt

    from webstrata.graph.view import Graph

_SMALL = 2**31


def to_scipy(graph: Graph, dtype: npt.DTypeLike = np.float64) -> Any:  # noqa: ANN401
    """The adjacency matrix as `scipy.sparse.csr_array`, of ones or of the weights.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> to_scipy(Graph.from_arcs([(0, 1), (1, 0)])).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    from scipy.sparse import csr_array

    offsets, targets = graph.rows()
    is_small = graph.num_nodes < _SMALL and graph.num_arcs < _SMALL
    indptr = offsets.astype(np.int32) if is_small else offsets.view(np.int64)
    indices = targets.view(np.int32) if is_small else targets.astype(np.int64)
    weights = graph.weights
    data = np.ones(len(targets), dtype) if weights is None else np.asarray(weights).astype(dtype)
    matrix = csr_array((data, indices, indptr), shape=(graph.num_nodes, graph.num_nodes))
    matrix.has_canonical_format = True  # else SciPy would go through all arcs to see it
    return matrix


def to_arrow(graph: Graph) -> pa.Table:
    """The arcs as a table, a row each in order: source, target, and weight where the graph has weights.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> to_arrow(Graph.from_arcs([(0, 1), (1, 0)])).to_pylist()
    [{'source': 0, 'target': 1}, {'source': 1, 'target': 0}]
    """
    sources, targets = _arcs(graph)
    columns = {"source": sources, "target": targets}
    return pa.table(columns if graph.weights is None else columns | {"weight": np.asarray(graph.weights)})


def to_networkx(graph: Graph) -> Any:  # noqa: ANN401
    """A `networkx.DiGraph` with the nodes 0 … n - 1; about 500 bytes an arc, so for small graphs.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> list(to_networkx(Graph.from_arcs([(0, 1), (1, 0)])).edges)
    [(0, 1), (1, 0)]
    """
    networkx = _load("networkx")
    sources, targets = (column.tolist() for column in _arcs(graph))
    made = networkx.DiGraph()
    present = graph.present
    made.add_nodes_from(range(graph.num_nodes) if present is None else np.flatnonzero(present).tolist())
    if graph.weights is None:
        made.add_edges_from(zip(sources, targets, strict=True))
    else:
        made.add_weighted_edges_from(zip(sources, targets, np.asarray(graph.weights).tolist(), strict=True))
    for name, values in graph.node_attributes().items():
        networkx.set_node_attributes(made, {node: values[node] for node in made}, name)
    return made


def to_igraph(graph: Graph) -> Any:  # noqa: ANN401
    """A directed `igraph.Graph`, with the edge attribute ``weight`` where the graph has weights.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> to_igraph(Graph.from_arcs([(0, 1), (1, 0)])).get_edgelist()
    [(0, 1), (1, 0)]
    """
    igraph = _load("igraph")
    edges = np.stack(_arcs(graph), axis=1).astype(np.int64)
    made = igraph.Graph(n=graph.num_nodes, edges=edges.data if len(edges) else [], directed=True)
    if graph.weights is not None:
        made.es["weight"] = np.asarray(graph.weights).tolist()
    for name, values in graph.node_attributes().items():
        made.vs[name] = values
    return made


def to_networkit(graph: Graph) -> Any:  # noqa: ANN401
    """A directed `networkit.Graph`, weighted where the graph has weights.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> to_networkit(Graph.from_arcs([(0, 1), (1, 0)])).numberOfEdges()
    2
    """
    networkit = _load("networkit")
    sources, targets = (column.astype(np.uint64) for column in _arcs(graph))
    weights = graph.weights
    arrays: tuple[Any, ...] = (sources, targets)
    if weights is not None:
        arrays = (np.asarray(weights).astype(np.float64), arrays)
    made = networkit.GraphFromCoo(arrays, n=graph.num_nodes, directed=True, weighted=weights is not None)
    if graph.present is not None:
        for node in np.flatnonzero(~graph.present).tolist():
            made.removeNode(node)
    for name, values in graph.node_attributes().items():
        attached = made.attachNodeAttribute(name, str)
        for node in made.iterNodes():
            attached[node] = values[node]
    return made


def from_scipy(matrix: Any) -> RowsGraph:  # noqa: ANN401
    """The graph of a square sparse matrix: an arc for each entry that is stored and is not 0.

    Examples
    --------
    >>> from scipy.sparse import coo_array
    >>> from_scipy(coo_array([[0, 2], [0, 0]]))
    <RowsGraph of 2 nodes and 1 arcs>
    """
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix: expected as many rows as columns, got {matrix.shape}")
    rows = matrix.tocsr()
    if not rows.has_canonical_format or (len(rows.data) and not rows.data.all()):
        rows = rows.copy()  # the matrix is the caller's
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return RowsGraph(rows.indptr.astype(np.uint64), rows.indices.astype(np.uint32))


def from_networkx(graph: Any) -> RowsGraph:  # noqa: ANN401
    """The graph of a NetworkX graph of any kind.

    Examples
    --------
    >>> import networkx
    >>> from_networkx(networkx.path_graph(3)).rows()[1].tolist()
    [1, 0, 2, 1]
    """
    names = list(graph)
    if all(isinstance(name, int) for name in names) and sorted(names) == list(range(len(names))):
        names = list(range(len(names)))
    numbers = {name: number for number, name in enumerate(names)}
    pairs = [(numbers[source], numbers[target]) for source, target in graph.edges()]
    if not graph.is_directed():
        pairs += [(target, source) for source, target in pairs]
    return RowsGraph.from_arcs(pairs, num_nodes=len(names))


def from_igraph(graph: Any) -> RowsGraph:  # noqa: ANN401
    """The graph of an igraph graph.

    Examples
    --------
    >>> import igraph
    >>> from_igraph(igraph.Graph([(0, 1), (0, 2)], directed=True)).successors(0).tolist()
    [1, 2]
    """
    pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    if not graph.is_directed():
        pairs = np.concatenate([pairs, pairs[:, ::-1]])
    return RowsGraph.from_arcs(pairs, num_nodes=graph.vcount())


def from_networkit(graph: Any) -> RowsGraph:  # noqa: ANN401
    """The graph of a NetworKit graph; nodes that were removed there are nodes without arcs here.

    Examples
    --------
    >>> import networkit
    >>> other = networkit.Graph(3, directed=True)
    >>> _ = other.addEdge(0, 2)
    >>> from_networkit(other).successors(0).tolist()
    [2]
    """
    pairs = np.array(list(graph.iterEdges()), dtype=np.int64).reshape(-1, 2)
    if not graph.isDirected():
        pairs = np.concatenate([pairs, pairs[:, ::-1]])
    return RowsGraph.from_arcs(pairs, num_nodes=graph.upperNodeIdBound())


def _arcs(graph: Graph) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Sources and targets of all arcs, in order."""
    offsets, targets = graph.rows()
    nodes = np.arange(graph.num_nodes, dtype=np.uint32)
    return np.repeat(nodes, np.diff(offsets).astype(np.int64)), targets


def _load(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"the graph is to be handed to {name}, which is not installed; `pip install {name}` brings it"
        ) from error
