"""Matrix Market coordinate files: rows and columns count from 1; entry (i, j) is the arc i - 1 → j - 1.

Values are not read. A matrix that says it is symmetric has every arc both ways. Written is a ``pattern
general`` matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from webstrata.collection.files import explained
from webstrata.errors import FormatError
from webstrata.graph.arcs import iter_arcs
from webstrata.graph.interchange.text import ArcStream, LineReader, PairParser, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Task
    from webstrata.graph.view import Graph

HEADER = "%%MatrixMarket matrix coordinate pattern general\n"


def open_matrix_market(path: Path) -> ArcStream:
    """The arcs of a square matrix.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.mtx"
    >>> _ = path.write_text(HEADER + "3 3 1" + chr(10) + "1 3" + chr(10))
    >>> stream = open_matrix_market(path)
    >>> stream.num_nodes, [(sources.tolist(), targets.tolist()) for sources, targets in stream.blocks]
    (3, [([0], [2])])
    """
    reader = LineReader(path)
    words = (reader.readline() or b"").decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[:3] != ["%%matrixmarket", "matrix", "coordinate"]:
        raise FormatError(
            f"{path}, line 1: expected %%MatrixMarket matrix coordinate …, got {' '.join(words)[:80]!r}; "
            "only sparse matrices are graphs"
        )
    both_ways = words[4] != "general"
    line: bytes | None = b"%"
    while line is not None and (not line.strip() or line.startswith(b"%")):
        line = reader.readline()
    sizes = (line or b"").split()
    if len(sizes) != 3 or not all(word.isdigit() for word in sizes) or sizes[0] != sizes[1]:
        shown = (line or b"").decode("utf-8", "replace").strip()[:80]
        raise FormatError(
            f"{path}, line {reader.line - 1}: expected rows, as many columns, and the number of entries, "
            f"got {shown!r}"
        )
    num_nodes, num_entries = int(sizes[0]), int(sizes[2])
    parser = PairParser(path, base=1, bound=num_nodes)

    def blocks() -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        seen = 0
        for number, text in reader.chunks():
            sources, targets = parser.parse(number, text)
            seen += len(sources)
            yield sources, targets
            if both_ways:
                yield targets, sources
        if seen != num_entries:
            raise FormatError(
                f"{path}: {seen} entries are there, and {num_entries} were promised; the file is cut off or "
                "its line of sizes is wrong"
            )

    return ArcStream(blocks(), num_nodes)


def write_matrix_market(graph: Graph, path: Path, task: Task) -> None:
    """Write a graph as a matrix.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.graph import Graph
    >>> path = testing.scratch() / "uk.mtx"
    >>> with Progress().task("writing") as task:
    ...     write_matrix_market(Graph.from_arcs([(0, 2)]), path, task)
    >>> print(path.read_text(), end="")
    %%MatrixMarket matrix coordinate pattern general
    3 3 1
    1 3
    """
    with explained(path, "write"), pa.output_stream(str(path)) as stream:
        stream.write(f"{HEADER}{graph.num_nodes} {graph.num_nodes} {graph.num_arcs}\n".encode())
        for sources, targets in iter_arcs(graph):
            columns = {
                name: numbers.astype(np.int64) + 1 for name, numbers in (("i", sources), ("j", targets))
            }
            write_table(stream, columns, " ")
            task.advance(len(sources))
