"""The text files of Common Crawl's web graphs: vertices and edges.

================================  ====================================================================
``<name>-vertices.txt.gz``        ``id<TAB>name`` a line, ids 0, 1, 2 … in order; domains have a third
                                  column, their number of hosts; further columns are not read
``<name>-edges.txt.gz``           ``from<TAB>to`` a line
================================  ====================================================================

Names of hosts are reversed there (``org.example.www``) and sorted, as row keys are. A graph is named by
either file, or by what stands before ``-vertices`` and ``-edges``. Names stay beside a BVGraph that is made
of one (see `webstrata.graph.hosts`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

from webstrata.collection.files import explained
from webstrata.errors import FormatError, MissingError
from webstrata.graph.arcs import iter_arcs
from webstrata.graph.interchange.text import ArcStream, LineReader, PairParser, write_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.progress import Task
    from webstrata.graph.view import Graph

ENDS = (".txt.gz", ".txt", ".txt.zst", ".tsv.gz", ".tsv")
_BLOCK = 1 << 18


def find_files(path: Path) -> tuple[Path, Path]:
    """The files of vertices and edges that a path means.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "uk-vertices.txt").touch(), (folder / "uk-edges.txt").touch()
    >>> [file.name for file in find_files(folder / "uk")]
    ['uk-vertices.txt', 'uk-edges.txt']
    """
    name = path.name
    for end in ENDS:
        for middle in ("-vertices", "-edges"):
            name = name.removesuffix(middle + end)
    for end in ENDS:
        pair = tuple(path.with_name(f"{name}-{kind}{end}") for kind in ("vertices", "edges"))
        if all(file.exists() for file in pair):
            return pair[0], pair[1]
    raise MissingError(
        f"{path}: there are no files {name}-vertices.txt.gz and {name}-edges.txt.gz; name what stands before"
    )


def iter_names(path: Path) -> Iterator[pa.Array]:
    """The names of the vertices in the order of their numbers, in blocks.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk-vertices.txt"
    >>> _ = path.write_text("0" + chr(9) + "uk.a" + chr(10) + "1" + chr(9) + "uk.b" + chr(10))
    >>> [names.to_pylist() for names in iter_names(path)]
    [['uk.a', 'uk.b']]
    """
    for block in iter_vertices([path]):
        yield block.names


class VertexBlock(NamedTuple):
    """Successive vertices of one file."""

    path: Path
    line: int
    """That of the first."""
    first: int
    """The number of the first."""
    names: pa.Array
    num_hosts: npt.NDArray[np.int64] | None
    """The third column, which domains have: how many hosts each stands for."""


def iter_vertices(paths: Iterable[Path]) -> Iterator[VertexBlock]:
    """The vertices of files that follow one another, in blocks; their numbers must be 0, 1, 2 … without gaps.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk-vertices.txt"
    >>> _ = path.write_text(chr(9).join(["0", "uk.co.a", "3"]) + chr(10))
    >>> [(block.names.to_pylist(), block.num_hosts.tolist()) for block in iter_vertices([path])]
    [(['uk.co.a'], [3])]
    """
    seen = 0
    for path in paths:
        for line, text in LineReader(path).chunks():
            columns = text.partition(b"\n")[0].count(b"\t") + 1
            names = [f"f{place}" for place in range(columns)]
            kinds = {"f0": pa.int64(), "f1": pa.string(), "f2": pa.int64()}
            try:
                table = csv.read_csv(
                    pa.BufferReader(text),
                    csv.ReadOptions(column_names=names, block_size=len(text) + 1),
                    csv.ParseOptions(delimiter="\t", quote_char=False),
                    csv.ConvertOptions(
                        include_columns=names[: max(2, min(columns, 3))], column_types=kinds, null_values=[]
                    ),
                )
            except (pa.ArrowException, KeyError) as error:
                raise FormatError(
                    f"{path}, from line {line} on: expected a number, a tab and a name on each line ({error})"
                ) from None
            numbers = table["f0"].to_numpy()
            wrong = numbers != np.arange(seen, seen + len(numbers))
            if wrong.any():
                place = int(wrong.argmax())
                raise FormatError(
                    f"{path}, line {line + place}: expected the vertex {seen + place}, got {numbers[place]}; "
                    "vertices must be in order and none may be missing"
                )
            yield VertexBlock(
                path,
                line,
                seen,
                table["f1"].combine_chunks(),
                table["f2"].to_numpy() if columns > 2 else None,
            )
            seen += len(numbers)


def open_common_crawl(path: Path) -> ArcStream:
    """The arcs of a graph of Common Crawl.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "uk-vertices.txt").write_text("0" + chr(9) + "uk.a" + chr(10) + "1" + chr(9) + "uk.b")
    >>> _ = (folder / "uk-edges.txt").write_text("1" + chr(9) + "0" + chr(10))
    >>> stream = open_common_crawl(folder / "uk")
    >>> stream.num_nodes, [targets.tolist() for _, targets in stream.blocks]
    (2, [[0]])
    """
    vertices, edges = find_files(path)
    num_nodes = sum(len(names) for names in iter_names(vertices))
    reader, parser = LineReader(edges), PairParser(edges, bound=num_nodes, comments=False)

    def blocks() -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        for line, text in reader.chunks():
            yield parser.parse(line, text)

    return ArcStream(blocks(), num_nodes, names=lambda: iter_names(vertices))


def write_common_crawl(graph: Graph, path: Path, task: Task, names: Sequence[str] | None = None) -> None:
    """Write a graph as vertices and edges; where there are no names, numbers stand for them.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.graph import Graph
    >>> path = testing.scratch() / "uk"
    >>> with Progress().task("writing") as task:
    ...     write_common_crawl(Graph.from_arcs([(0, 1)]), path, task, ["uk.a", "uk.b"])
    >>> open_common_crawl(path).num_nodes
    2
    """
    files = [path.with_name(f"{path.name}-{kind}.txt.gz") for kind in ("vertices", "edges")]
    with explained(files[0], "write"), pa.output_stream(str(files[0])) as stream:
        for start in range(0, graph.num_nodes, _BLOCK):
            end = min(start + _BLOCK, graph.num_nodes)
            numbers = np.arange(start, end)
            some = list(names[start:end]) if names is not None else numbers
            write_table(stream, {"id": numbers, "name": np.asarray(some)}, "\t")
    with explained(files[1], "write"), pa.output_stream(str(files[1])) as stream:
        for sources, targets in iter_arcs(graph):
            write_table(stream, {"source": sources, "target": targets}, "\t")
            task.advance(len(sources))
