"""webstrata graph convert: write a graph in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import json_option, options
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.collection.sentences import tell_count
from webstrata.errors import ExistsError
from webstrata.graph.settings import COMPRESSION, GraphSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstrata.graph.view import Graph

FORMATS = ("edges", "mtx", "parquet", "npz", "graphml", "networkx", "cc", "bvgraph")
READ = tuple(name for name in FORMATS if name not in ("graphml", "networkx"))
"""Those that are not written alone."""
_ENDS = {"edges": ".tsv.gz", "networkx": ".json", "cc": "", "bvgraph": ""}


@click.command("convert", epilog="Example: webstrata graph convert cnr-2000 --to parquet")
@click.argument("source", metavar="SOURCE")
@click.argument("out", metavar="[OUT]", required=False)
@click.option("--to", required=True, type=click.Choice(FORMATS), help="The format to write.")
@click.option("--from", "format", type=click.Choice(READ), help="The format of SOURCE. [by its name]")
@click.option("--snapshot", "label", metavar="LABEL", help="SOURCE is a collection; its graph of this time.")
@click.option("--transpose", is_flag=True, help="Turn all arcs round.")
@click.option("--force", is_flag=True, help="Write over what is there.")
@options(GraphSettings, COMPRESSION)
@json_option
def command(
    source: str,
    out: str | None,
    *,
    to: str,
    format: str | None,
    label: str | None,
    transpose: bool,
    force: bool,
    graph_options: Mapping[str, object],
    as_json: bool,
) -> None:
    """Write the graph SOURCE in another format to OUT.

    SOURCE is a file, the basename of a BVGraph, or with --snapshot a collection. Arcs may be in any order;
    nodes are numbers from 0 on. OUT is a basename where the format has several files, and has the name of
    SOURCE in this folder where it is not given.
    """
    from webstrata.graph.interchange import convert

    parameters = GraphSettings.read(options=graph_options)
    path = Path(out) if out else _name(Path(source), label, to)
    if not force and (there := _existing(path, to)):
        raise ExistsError(f"{there}: there is something of that name; choose another, or say --force")
    graph, names = _open(source, label) if label else (Path(source), None)
    num_nodes, num_arcs = convert(
        graph,
        path,
        to,
        format=format or "",
        turned=transpose,
        names=names,
        parameters=parameters,
        memory=parameters.memory,
        progress=TerminalProgress(),
    )
    if as_json:
        show_json({"source": source, "out": str(path), "format": to, "nodes": num_nodes, "arcs": num_arcs})
    else:
        click.echo(f"{path}: {tell_count(num_nodes, 'node')}, {tell_count(num_arcs, 'arc')}.")


def _name(source: Path, label: str | None, to: str) -> Path:
    name = f"{source.name}-{label}" if label else source.name
    for end in (
        ".gz",
        ".zst",
        ".bz2",
        ".txt",
        ".tsv",
        ".csv",
        ".edges",
        ".mtx",
        ".parquet",
        ".npz",
        ".graph",
    ):
        name = name.removesuffix(end)
    return Path(name.removesuffix("-edges").removesuffix("-vertices") + _ENDS.get(to, f".{to}"))


def _existing(path: Path, to: str) -> Path | None:
    """A file that would be written over."""
    ends = {"bvgraph": (".graph", ".properties"), "cc": ("-edges.txt.gz", "-vertices.txt.gz")}.get(to, ("",))
    return next((file for end in ends if (file := path.with_name(path.name + end)).exists()), None)


def _open(source: str, label: str) -> tuple[Graph, Sequence[str] | None]:
    """The graph of a snapshot, and the row keys of its nodes if all are pages."""
    from webstrata.api import Collection

    snapshot = Collection.open(source)[label]
    graph, urls = snapshot.graph, snapshot.urls
    return graph, urls.row_keys if graph.num_nodes == len(urls) else None
