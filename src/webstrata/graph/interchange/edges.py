"""Edge lists: a line an arc, source and target, with a space, tab or comma between them.

Lines that begin with ``#`` or ``%`` and empty ones are passed over; a third column, a weight, is not read.
Files are packed if their name says so. Written are lines ``source<TAB>target``, in order, below a comment
with the numbers of nodes and arcs; that of nodes is found again by who reads, so that nodes without arcs
at the end are not lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from webstrata.collection.files import explained
from webstrata.graph.arcs import iter_arcs
from webstrata.graph.interchange.text import ArcStream, LineReader, PairParser, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Task
    from webstrata.graph.view import Graph

_NODES = re.compile(rb"[#%].*?\b(?:Nodes|nodes):? *(\d+)")


def open_edges(path: Path) -> ArcStream:
    """The arcs of an edge list.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.txt"
    >>> _ = path.write_text("# Nodes: 9" + chr(10) + "0 1" + chr(10))
    >>> stream = open_edges(path)
    >>> stream.num_nodes, [(sources.tolist(), targets.tolist()) for sources, targets in stream.blocks]
    (9, [([0], [1])])
    """
    reader, num_nodes = LineReader(path), None
    while (line := reader.readline()) is not None:
        if (found := _NODES.match(line)) and num_nodes is None:
            num_nodes = int(found[1])
        if line.strip() and line.lstrip()[:1] not in (b"#", b"%"):
            break
    first = reader.line - 1
    parser = PairParser(path, bound=num_nodes)

    def blocks() -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        if line is not None:
            yield parser.parse(first, line)
            for number, text in reader.chunks():
                yield parser.parse(number, text)

    return ArcStream(blocks(), num_nodes)


def write_edges(graph: Graph, path: Path, task: Task) -> None:
    """Write a graph as an edge list.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.graph import Graph
    >>> path = testing.scratch() / "uk.txt"
    >>> with Progress().task("writing") as task:
    ...     write_edges(Graph.from_arcs([(0, 2)]), path, task)
    >>> print(path.read_text().replace(chr(9), " "), end="")
    # Nodes: 3 Arcs: 1
    0 2
    """
    with explained(path, "write"), pa.output_stream(str(path)) as stream:
        stream.write(f"# Nodes: {graph.num_nodes} Arcs: {graph.num_arcs}\n".encode())
        for sources, targets in iter_arcs(graph):
            write_table(stream, {"source": sources, "target": targets}, "\t")
            task.advance(len(sources))
