"""webstrata graph stats: what a graph looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import json_option, optional_snapshot_argument, place_argument, plots_option
from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.cli.verb import verb
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.graph.view import Graph


@verb("stats", epilog="Example: webstrata graph stats uk 2026-06 --plots pictures")
@place_argument
@optional_snapshot_argument
@click.option(
    "--distances/--no-distances",
    default=True,
    help="Estimate distances and centralities, which takes longest. [true]",
)
@click.option(
    "--registers",
    default=64,
    metavar="NUMBER",
    help="Registers of a counter, a power of 2 from 16 on: the relative error is 1.04 over their root. [64]",
)
@click.option("--runs", default=4, type=click.IntRange(2), help="Runs that errors are found from. [4]")
@click.option(
    "--sample",
    default=20_000,
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Pairs of neighbours that are drawn for the clustering coefficient. [20000]",
)
@plots_option("stats.html")
@json_option
def command(
    place: str,
    label: str | None,
    *,
    distances: bool,
    registers: int,
    runs: int,
    sample: int,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Describe the graph of SNAPSHOT, or the BVGraph files of BASENAME.

    Degrees, components, bow tie and reciprocity are exact; clustering is sampled and distances are counted by
    HyperBall, each with its error.
    """
    from webstrata.graph.files import measure_files
    from webstrata.graph.structure import describe_structure

    if registers < 16 or registers & (registers - 1):
        raise UsageError(f"--registers: expected a power of 2 from 16 on, got {registers}")
    progress = TerminalProgress()
    name = f"{place} {label}" if label else place
    graph, transpose, basename, urls = _open(place, label, progress)
    found = describe_structure(
        graph,
        transpose,
        with_distances=distances,
        registers=registers,
        runs=runs,
        sample=sample,
        urls=urls,
        progress=progress,
    )
    size = measure_files(basename, graph)
    paths = draw(found, plots, page="stats", title=name)
    if as_json:
        show_json({"graph": name} | size | found.to_dict() | {"plots": [str(path) for path in paths]})
        return
    click.echo(f"{name}: {found.summary}")
    if size["bits_per_link"] is not None:
        per_node = f", and {size['bits_per_node']:.2f} bits per node" if size["bits_per_node"] else ""
        click.echo(f"{size['bits_per_link']:.3f} bits per link{per_node} to find the lists.")
    click.echo()
    show(found)
    show_plots(paths)


def _open(place: str, label: str | None, progress: TerminalProgress) -> tuple[Graph, Graph | None, Path, Any]:
    """The graph, its transpose where that is stored, the basename of its files, and the URLs of its nodes."""
    from webstrata.api import Collection
    from webstrata.graph.files import open_with_transpose

    if label is not None:
        snapshot = Collection.open(place)[label]
        with snapshot.open_part("graph") as part:
            basename = part.path / "forward"
        return snapshot.graph, snapshot.graph.transpose(), basename, snapshot.urls
    if Path(place).is_dir():
        raise UsageError(
            f"{place}: this is a folder; name a snapshot of the collection too, or the basename of a graph"
        )
    return *open_with_transpose(place, progress=progress), Path(place), ()
