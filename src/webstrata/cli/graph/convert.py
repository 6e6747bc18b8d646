"""webstrata graph convert: write a graph in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    complete_collections,
    complete_snapshots,
    json_option,
    old_snapshot_option,
    options,
)
from webstrata.cli.output import TerminalProgress, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.errors import ExistsError
from webstrata.graph.settings import COMPRESSION, GraphSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstrata.graph.view import Graph

FORMATS = ("edges", "mtx", "parquet", "npz", "graphml", "networkx", "cc", "webspam", "bvgraph")
READ = tuple(name for name in FORMATS if name not in ("graphml", "networkx"))
WRITTEN = tuple(name for name in FORMATS if name != "webspam")
"""Those that are not written alone."""
_ENDS = {"edges": ".tsv.gz", "networkx": ".json", "cc": "", "bvgraph": ""}


@verb(
    "convert",
    renamed={"--to": "--format", "--from": "--input-format"},
    epilog="Example: webstrata graph convert cnr-2000 --format parquet",
)
@click.argument("place", metavar="COLLECTION|SOURCE", shell_complete=complete_collections)
@click.argument("words", metavar="[SNAPSHOT]", nargs=-1, shell_complete=complete_snapshots)
@click.option("--format", "to", required=True, type=click.Choice(WRITTEN), help="The format to write.")
@click.option("--input-format", "format", type=click.Choice(READ), help="The format of SOURCE. [by its name]")
@click.option(
    "--output",
    "out",
    metavar="PATH",
    help="Where to write it: a file, or a basename where the format has several. [named as SOURCE, here]",
)
@old_snapshot_option
@click.option("--transpose", is_flag=True, help="Transpose the graph.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@options(GraphSettings, COMPRESSION)
@json_option
def command(
    place: str,
    words: tuple[str, ...],
    out: str | None,
    old_label: str | None,
    *,
    to: str,
    format: str | None,
    transpose: bool,
    force: bool,
    graph_options: Mapping[str, object],
    as_json: bool,
) -> None:
    """Write the graph of SNAPSHOT, or the graph SOURCE, in another format.

    SOURCE is a file or the basename of a BVGraph. Arcs may be in any order; nodes are numbers from 0 on.
    """
    from webstrata.graph.interchange import convert

    source = place
    label, out = _split(words, old_label, out)
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


def _split(words: tuple[str, ...], old_label: str | None, out: str | None) -> tuple[str | None, str | None]:
    """The snapshot and the output; in the last release the output was an argument."""
    from webstrata.cli.output import say
    from webstrata.collection.snapshot_dates import is_date

    labels = [word for word in words if is_date(word) and old_label is None][:1]
    rest = [word for word in words if word not in labels]
    if len(rest) > 1 or (rest and out is not None):
        raise click.UsageError(f"unexpected extra argument {rest[-1]}")
    if rest:
        say(f"note: the argument {rest[0]} is deprecated; use --output {rest[0]}")
    return (labels[0] if labels else old_label), (rest[0] if rest else out)


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
    return graph, urls.show_keys() if graph.num_nodes == len(urls) else None
