"""Parquet tables of arcs: two columns of whole numbers, ``source`` and ``target``.

Read are columns of these names, or of others that people use (`NAMES`), or the only two of whole numbers.
Written are numbers of 32 bits, in order; the number of nodes is in the file's metadata as ``num_nodes``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.collection.files import explained, open_writer
from webstrata.errors import FormatError
from webstrata.graph.arcs import iter_arcs
from webstrata.graph.interchange.text import MAX_NODES, ArcStream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Task
    from webstrata.graph.view import Graph

NAMES = (("source", "target"), ("src", "dst"), ("from", "to"), ("from_id", "to_id"), ("sources", "targets"))
BATCH = 1 << 20


def open_parquet(path: Path) -> ArcStream:
    """The arcs of a table.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.parquet"
    >>> pq.write_table(pa.table({"src": [0, 1], "dst": [1, 0]}), path)
    >>> [(sources.tolist(), targets.tolist()) for sources, targets in open_parquet(path).blocks]
    [([0, 1], [1, 0])]
    """
    try:
        with explained(path, "read"):
            file = pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise FormatError(f"{path}: this is no Parquet file, or it is cut off ({error})") from None
    schema = file.schema_arrow
    whole = [field.name for field in schema if pa.types.is_integer(field.type)]
    pairs = [pair for pair in NAMES if {*pair} <= {*whole}]
    if not pairs and len(whole) != 2:
        raise FormatError(
            f"{path}: expected two columns of whole numbers, source and target, got {', '.join(schema.names)}"
        )
    names = list(pairs[0]) if pairs else whole
    said = (schema.metadata or {}).get(b"num_nodes", b"")
    num_nodes = int(said) if said.isdigit() else None

    def blocks() -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        row = 0
        try:
            for batch in file.iter_batches(BATCH, columns=names):
                yield (
                    _column(path, batch[names[0]], names[0], row, num_nodes),
                    _column(path, batch[names[1]], names[1], row, num_nodes),
                )
                row += len(batch)
        except (pa.ArrowException, OSError) as error:
            raise FormatError(f"{path}, behind row {row}: the file is damaged ({error})") from None

    return ArcStream(blocks(), num_nodes)


def _column(path: Path, column: pa.Array, name: str, row: int, num_nodes: int | None) -> npt.NDArray[Any]:
    if column.null_count:
        place = row + column.is_null().index(pa.scalar(True)).as_py()
        raise FormatError(f"{path}, row {place}: expected a node number in the column {name}, got none")
    numbers: npt.NDArray[Any] = column.to_numpy()
    end = MAX_NODES if num_nodes is None else num_nodes
    wrong = (numbers < 0) | (numbers >= end)
    if wrong.any():
        place = int(wrong.argmax())
        raise FormatError(
            f"{path}, row {row + place}: expected node numbers from 0 to {end - 1} in the column {name}, "
            f"got {numbers[place]}"
        )
    return numbers


def write_parquet(graph: Graph, path: Path, task: Task) -> None:
    """Write a graph as a table.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.graph import Graph
    >>> path = testing.scratch() / "uk.parquet"
    >>> with Progress().task("writing") as task:
    ...     write_parquet(Graph.from_arcs([(0, 2)]), path, task)
    >>> pq.read_table(path).to_pylist(), open_parquet(path).num_nodes
    ([{'source': 0, 'target': 2}], 3)
    """
    fields = [("source", pa.uint32()), ("target", pa.uint32())]
    schema = pa.schema(fields, metadata={"num_nodes": str(graph.num_nodes)})
    with open_writer(path) as stream, pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for sources, targets in iter_arcs(graph):
            writer.write_table(pa.table([sources, targets], schema=schema))
            task.advance(len(sources))
