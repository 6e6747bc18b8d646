"""Where loops of the core that read lists in no fixed order have them from: rows in memory, or the files.

Such loops are components, balls and orders. A list from rows in memory costs nothing; from the files it is
decoded each time, about ten times slower, and the graph takes no memory. Rows are used where they fit into
`ROWS` bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.graph.bvgraph import BVGraph

if TYPE_CHECKING:
    from webstrata._core import graph as core
    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph, Rows

    Lists = Rows | core.BvGraph

ROWS = 1 << 30
"""Bytes of rows that are decoded for a loop: 8 a node and 4 an arc."""


def fits(graph: Graph) -> bool:
    """Whether the rows of a graph are small enough to be had in memory.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> fits(Graph.from_arcs([(0, 1)]))
    True
    """
    return 8 * (graph.num_nodes + 1) + 4 * graph.num_arcs <= ROWS


def select_source(graph: Graph, *, progress: Progress | None = None) -> Lists:
    """The rows of a graph, or its files where rows would take too much memory and there are files.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> select_source(Graph.from_arcs([(0, 1), (1, 0)]))[1].tolist()
    [1, 0]
    """
    # a view of a graph may have its files and other arcs
    has_files = isinstance(graph, BVGraph) and type(graph).rows is BVGraph.rows
    if has_files and not fits(graph):
        assert isinstance(graph, BVGraph)
        return graph.files
    return graph.rows(progress=progress)
