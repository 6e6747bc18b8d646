"""Which formats there are, how a file tells its own, and one graph from any of them to any other."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError, UsageError
from webstrata.graph.arc_sort import MEMORY
from webstrata.graph.arcs import build_bvgraph, iter_arcs
from webstrata.graph.interchange.text import ArcStream
from webstrata.graph.view import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webstrata.graph.settings import GraphSettings

_HERE = "webstrata.graph.interchange"
_PACKED = (".gz", ".zst", ".bz2")


@dataclass(frozen=True)
class Format:
    """A format of graphs: its files, and the names of what reads and writes it."""

    help: str
    extensions: tuple[str, ...]
    reader: str = ""
    writer: str = ""


FORMATS = {
    "edges": Format(
        "a line an arc", (".txt", ".tsv", ".csv", ".edges", ".arcs"), "edges:open_edges", "edges:write_edges"
    ),
    "mtx": Format(
        "Matrix Market", (".mtx",), "matrix_market:open_matrix_market", "matrix_market:write_matrix_market"
    ),
    "parquet": Format("Parquet", (".parquet",), "parquet:open_parquet", "parquet:write_parquet"),
    "npz": Format("SciPy", (".npz",), "scipy_matrix:open_scipy_matrix", "scipy_matrix:write_scipy_matrix"),
    "cc": Format(
        "Common Crawl's vertices and edges",
        ("-edges.txt.gz", "-vertices.txt.gz", "-edges.txt", "-vertices.txt"),
        "common_crawl:open_common_crawl",
        "common_crawl:write_common_crawl",
    ),
    "webspam": Format(
        "host graphs of WEBSPAM-UK2006, WEBSPAM-UK2007 and DC2010",
        (".graph-txt", "hostgraph_weighted.txt", "hostgraph.txt"),
        "webspam:open_webspam",
    ),
    "graphml": Format("GraphML", (".graphml",), writer="graphml:write_graphml"),
    "networkx": Format("NetworkX's node-link JSON", (".json",), writer="node_link:write_node_link"),
    "bvgraph": Format("WebGraph", (".graph", ".properties")),
}
"""Every format by its name."""
WITH_NAMES = ("cc", "networkx")
"""Formats in which nodes can have names."""


def guess_format(path: Path) -> str:
    """The format that a name tells; without an extension that is known, it is the basename of a BVGraph.

    Examples
    --------
    >>> guess_format(Path("cnr-2000")), guess_format(Path("a.tsv.gz")), guess_format(Path("uk-edges.txt.gz"))
    ('bvgraph', 'edges', 'cc')
    """
    if path.with_name(path.name + ".properties").exists():
        return "bvgraph"
    if any(path.name.endswith(end) for end in FORMATS["cc"].extensions):
        return "cc"
    plain = path.name
    for end in _PACKED:
        plain = plain.removesuffix(end)
    if any(plain.endswith(end) for end in FORMATS["webspam"].extensions):
        return "webspam"
    for name, found in FORMATS.items():
        if any(plain.endswith(end) for end in found.extensions):
            return name
    if any(path.with_name(path.name + end).exists() for end in FORMATS["cc"].extensions):
        return "cc"
    return "bvgraph"


def open_arcs(path: Path, format: str = "") -> ArcStream:
    """The arcs of a file in a format, or in that which its name tells.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "uk.txt"
    >>> _ = path.write_text("0 1")
    >>> [targets.tolist() for _, targets in open_arcs(path).blocks]
    [[1]]
    """
    format = format or guess_format(path)
    if not FORMATS[format].reader:
        known = ", ".join(name for name, found in FORMATS.items() if found.reader)
        raise UsageError(f"{path}: {format} is not read as arcs; read are {known}")
    stream: ArcStream = _load(FORMATS[format].reader)(path)
    return stream


def convert(
    source: Path | Graph,
    path: Path,
    to: str,
    *,
    format: str = "",
    turned: bool = False,
    names: Sequence[str] | None = None,
    parameters: GraphSettings | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> tuple[int, int]:
    """Write a graph in another format, and give back its numbers of nodes and arcs.

    Parameters
    ----------
    source
        A graph, the basename of a BVGraph, or a file.
    path
        Where to; the basename or what stands before ``-edges`` where the format has several files.
    to
        The name of the format.
    format
        That of the source; what its name tells where not given.
    turned
        Whether to turn all arcs round.
    names
        Of the nodes, for formats that have them.
    parameters, memory
        How a BVGraph is compressed, and in how much memory arcs are sorted.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "uk.txt").write_text("1 0" + chr(10) + "0 1")
    >>> convert(folder / "uk.txt", folder / "uk.mtx", "mtx")
    (2, 2)
    """
    if to not in FORMATS:
        raise UsageError(f"{to} is no format; known are {', '.join(FORMATS)}")
    if not FORMATS[to].writer and to != "bvgraph":
        known = ", ".join(name for name, found in FORMATS.items() if found.writer)
        raise UsageError(f"{to} is read, and not written; written are {known}, bvgraph")
    progress = progress or Progress()
    is_graph = not isinstance(source, Path) or (format or guess_format(source)) == "bvgraph"
    graph = _open(source, progress) if is_graph else None
    if graph is None or turned:
        if isinstance(source, Path) and graph is None:
            stream = open_arcs(source, format)
        else:
            assert graph is not None
            stream = ArcStream(iter_arcs(graph), graph.num_nodes, by_source=turned)
        blocks = ((targets, sources) for sources, targets in stream.blocks) if turned else stream.blocks
        with explained(path.parent, "write"):
            beside = tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent)
        with beside as folder:
            basename = path if to == "bvgraph" else Path(folder) / "graph"
            size = build_bvgraph(
                blocks,
                basename,
                num_nodes=stream.num_nodes,
                parameters=parameters if to == "bvgraph" else None,
                memory=memory,
                by_source=stream.by_source,
                progress=progress,
            )
            if to != "bvgraph":
                if stream.names is not None and to in WITH_NAMES:
                    names = [name for block in stream.names() for name in block.to_pylist()]
                _write(Graph.open(basename), path, to, names, progress)
            else:
                _keep_names(source, stream, path)
        return size.num_nodes, size.num_arcs
    if to == "bvgraph":
        graph.write(path, parameters=parameters, progress=progress)
        _keep_names(source, None, path)
    else:
        _write(graph, path, to, names or _find_names(source, to), progress)
    return graph.num_nodes, graph.num_arcs


def _find_names(source: Path | Graph, to: str) -> Sequence[str] | None:
    """The names that stand beside a BVGraph, for a format that has names."""
    if to not in WITH_NAMES or not isinstance(source, Path):
        return None
    from webstrata.graph.hosts import NamedGraph

    basename = _basename(source)
    if not NamedGraph.has_names(basename):
        return None
    return NamedGraph(basename.parent, basename.name).names


def _keep_names(source: Path | Graph, stream: ArcStream | None, path: Path) -> None:
    """Put the names of the nodes beside a BVGraph that was written, where they have any."""
    from webstrata.graph.hosts import NamedGraph, write_names

    there = path.with_name(f"{path.name}.arrow")
    if stream is not None and stream.names is not None:
        write_names(path, stream.names())
    elif isinstance(source, Path) and NamedGraph.has_names(_basename(source)):
        with explained(there, "write"):
            shutil.copyfile(_basename(source).with_name(f"{_basename(source).name}.arrow"), there)
    else:
        with explained(there, "write"):
            there.unlink(missing_ok=True)  # of a graph that was there before


def _basename(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".graph").removesuffix(".properties"))


def _open(path: Path | Graph, progress: Progress) -> Graph:
    if isinstance(path, Graph):
        return path
    basename = _basename(path)
    if not basename.with_name(f"{basename.name}.properties").exists():
        raise MissingError(
            f"{path}: there is no graph of that name (no {basename.name}.properties), and the name tells no "
            "other format; say which it is"
        )
    return Graph.open(basename, progress=progress)


def _write(graph: Graph, path: Path, to: str, names: Sequence[str] | None, progress: Progress) -> None:
    write = _load(FORMATS[to].writer)
    with progress.task("writing the graph", total=graph.num_arcs, unit="arcs") as task:
        if names is not None and to in WITH_NAMES:
            write(graph, path, task, names)
        else:
            write(graph, path, task)


def _load(place: str) -> Callable[..., ArcStream]:
    """A reader or writer, imported when it is used."""
    module, _, name = place.partition(":")
    found: Callable[..., ArcStream] = getattr(importlib.import_module(f"{_HERE}.{module}"), name)
    return found
