"""GraphML, written only: nodes ``n0`` … and an edge an arc."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.files import explained
from webstrata.graph.arcs import iter_arcs

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Task
    from webstrata.graph.view import Graph

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '<graph edgedefault="directed">\n'
)
_BLOCK = 1 << 18


def write_graphml(graph: Graph, path: Path, task: Task) -> None:
    """Write a graph as GraphML.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.graph import Graph
    >>> path = testing.scratch() / "uk.graphml"
    >>> with Progress().task("writing") as task:
    ...     write_graphml(Graph.from_arcs([(0, 1)]), path, task)
    >>> print(path.read_text().splitlines()[-3])
    <edge source="n0" target="n1"/>
    """
    with explained(path, "write"), pa.output_stream(str(path)) as stream:
        stream.write(_HEAD.encode())
        for start in range(0, graph.num_nodes, _BLOCK):
            nodes = np.arange(start, min(start + _BLOCK, graph.num_nodes))
            stream.write(_lines('<node id="n', nodes, '"/>\n'))
        for sources, targets in iter_arcs(graph):
            stream.write(_lines('<edge source="n', sources, '" target="n', targets, '"/>\n'))
            task.advance(len(sources))
        stream.write(b"</graph>\n</graphml>\n")


def _lines(*pieces: str | npt.NDArray[Any]) -> bytes:
    """Texts and columns of numbers put together, row by row."""
    columns = [
        pa.scalar(piece, pa.large_string())
        if isinstance(piece, str)
        else pc.cast(pa.array(piece), pa.large_string())
        for piece in pieces
    ]
    joined = pc.binary_join_element_wise(*columns, pa.scalar("", pa.large_string()))
    # the texts of an array stand one behind the other
    offsets = np.frombuffer(joined.buffers()[1], np.int64)[joined.offset : joined.offset + len(joined) + 1]
    data = joined.buffers()[2]
    return bytes(memoryview(data)[int(offsets[0]) : int(offsets[-1])]) if data is not None else b""
