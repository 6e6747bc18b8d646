"""BVGraph files by their basename: a graph with its transpose, and what the files take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.view import Graph

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress


def open_with_transpose(
    basename: str | Path, *, progress: Progress | None = None
) -> tuple[Graph, Graph | None]:
    """A graph, and its transpose where files with ``-t`` behind the basename hold it.

    That is the name that users of WebGraph give a transpose. Files of another size are not taken for it.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph.interchange import convert
    >>> folder = testing.scratch()
    >>> _ = convert(Graph.from_arcs([(0, 1), (1, 2)]), folder / "uk", "bvgraph")
    >>> graph, transpose = open_with_transpose(folder / "uk")
    >>> graph.num_arcs, transpose
    (2, None)
    """
    graph = Graph.open(str(basename), progress=progress)
    if not Path(f"{basename}-t.properties").is_file():
        return graph, None
    other = Graph.open(f"{basename}-t", progress=progress)
    is_same = (other.num_nodes, other.num_arcs) == (graph.num_nodes, graph.num_arcs)
    return graph, other if is_same else None


def measure_files(basename: Path, graph: Graph) -> dict[str, Any]:
    """Bits of a graph's lists, as `graph build` reports them, of the file of offsets, per link and per node.

    Values that are not known are None: a graph in memory has no lists of bits.

    Examples
    --------
    >>> from webstrata import Graph
    >>> measure_files(Path("nowhere"), Graph.from_arcs([(0, 1), (1, 2)]))["bits_per_link"] is None
    True
    """
    path = basename.with_name(f"{basename.name}.offsets")
    offsets_bits = 8 * path.stat().st_size if path.is_file() else None
    graph_bits = None
    if isinstance(graph, BVGraph):  # the file ends with up to 7 bits that fill its last byte
        graph_bits = int(graph.places(graph.num_nodes, graph.num_nodes)[-1])
    return {
        "graph_bits": graph_bits,
        "offsets_bits": offsets_bits,
        "bits_per_link": round(graph_bits / graph.num_arcs, 3) if graph_bits and graph.num_arcs else None,
        "bits_per_node": round(offsets_bits / graph.num_nodes, 3)
        if offsets_bits and graph.num_nodes
        else None,
    }
