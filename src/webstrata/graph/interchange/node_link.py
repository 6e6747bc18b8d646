"""NetworkX's node-link form: one JSON document, which `networkx.node_link_graph(..., edges="edges")` reads.

``{"directed": true, "multigraph": false, "graph": {}, "nodes": [{"id": 0}, …], "edges": [{"source": 0,
"target": 1}, …]}``, an arc a line; written only. Nodes are numbers, with a ``name`` where there are names.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from webstrata.collection.files import open_writer
from webstrata.graph.arcs import iter_arcs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from webstrata.collection.progress import Task
    from webstrata.graph.view import Graph

_BLOCK = 1 << 16


def write_node_link(graph: Graph, path: Path, task: Task, names: Sequence[str] | None = None) -> None:
    """Write a graph as a node-link document.

    Examples
    --------
    >>> import networkx
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.graph import Graph
    >>> path = testing.scratch() / "uk.json"
    >>> with Progress().task("writing") as task:
    ...     write_node_link(Graph.from_arcs([(0, 1), (1, 0)]), path, task)
    >>> networkx.node_link_graph(json.loads(path.read_text()), edges="edges").number_of_edges()
    2
    """
    with open_writer(path) as stream:
        stream.write(b'{"directed": true, "multigraph": false, "graph": {},\n"nodes": [')
        for start in range(0, graph.num_nodes, _BLOCK):
            nodes = range(start, min(start + _BLOCK, graph.num_nodes))
            if names is None:
                lines = [f'{{"id": {node}}}' for node in nodes]
            else:
                lines = [json.dumps({"id": node, "name": names[node]}) for node in nodes]
            _write(stream, lines, is_first=start == 0)
        stream.write(b'\n],\n"edges": [')
        is_first = True
        for sources, targets in iter_arcs(graph, _BLOCK):
            pairs = zip(sources.tolist(), targets.tolist(), strict=True)
            lines = [f'{{"source": {source}, "target": {target}}}' for source, target in pairs]
            if lines:
                _write(stream, lines, is_first=is_first)
                is_first = False
            task.advance(len(lines))
        stream.write(b"\n]}\n")


def _write(stream: BinaryIO, lines: list[str], *, is_first: bool) -> None:
    stream.write((("\n" if is_first else ",\n") + ",\n".join(lines)).encode())
