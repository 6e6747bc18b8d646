"""webstrata graph stats: what a graph looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import json_option, plots_option
from webstrata.cli.output import TerminalProgress, show_json, show_table, show_warnings
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.graph.structure import Balls, Degrees, Structure
    from webstrata.graph.view import Graph


@click.command("stats", epilog="Example: webstrata graph stats uk 2026-06 --plots pictures")
@click.argument("place", metavar="COLLECTION|BASENAME")
@click.argument("label", metavar="[SNAPSHOT]", required=False)
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
    """Tell what the graph of SNAPSHOT, or the BVGraph files of BASENAME, look like.

    Degrees, components, bow tie and reciprocity are exact; clustering is sampled and distances are counted by
    HyperBall, each with its error.
    """
    from webstrata.graph.structure import describe_structure

    if registers < 16 or registers & (registers - 1):
        raise UsageError(f"--registers: expected a power of 2 from 16 on, got {registers}")
    if plots:
        # a missing extra is better said before a long computation than after it
        from webstrata.serve.figures.style import load_altair

        load_altair()
    progress = TerminalProgress()
    graph, transpose, basename, urls = _open(place, label, progress)
    found = describe_structure(
        graph,
        transpose,
        with_distances=distances,
        registers=registers,
        runs=runs,
        sample=sample,
        progress=progress,
    )
    name = f"{place} {label}" if label else place
    size = _measure(basename, graph.num_arcs)
    paths = _draw(found, name, plots) if plots else []
    top = [
        {"node": node, "centrality": score} | ({"url": urls[node]} if node < len(urls) else {})
        for node, score in found.top()
    ]
    if as_json:
        document = {"graph": name} | size | found.to_json() | {"plots": [str(path) for path in paths]}
        show_json(document | ({"harmonic": top} if distances else {}))
        return
    _show(found, name, size)
    if found.balls:
        _show_distances(found.balls, top)
    show_warnings(found.warnings)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _open(place: str, label: str | None, progress: TerminalProgress) -> tuple[Graph, Graph | None, Path, Any]:
    """The graph, its transpose where that is stored, the basename of its files, and the URLs of its nodes."""
    from webstrata.api import Collection
    from webstrata.graph.view import Graph

    if label is not None:
        snapshot = Collection.open(place)[label]
        with snapshot.open_part("graph") as part:
            basename = part.path / "forward"
        return snapshot.graph, snapshot.graph.transpose(), basename, snapshot.urls
    if Path(place).is_dir():
        raise UsageError(
            f"{place}: this is a folder; name a snapshot of the collection too, or the basename of a graph"
        )
    graph = Graph.open(place, progress=progress)
    transpose = None
    if Path(f"{place}-t.properties").is_file():  # the name that WebGraph's users give it
        other = Graph.open(f"{place}-t", progress=progress)
        if (other.num_nodes, other.num_arcs) == (graph.num_nodes, graph.num_arcs):
            transpose = other
    return graph, transpose, Path(place), ()


def _measure(basename: Path, num_arcs: int) -> dict[str, Any]:
    """Bits of the files, and per link."""
    bits = {}
    for name in ("graph", "offsets"):
        path = basename.with_name(f"{basename.name}.{name}")
        bits[name] = 8 * path.stat().st_size if path.is_file() else None
    graph_bits, offsets_bits = bits["graph"], bits["offsets"]
    return {
        "graph_bits": graph_bits,
        "offsets_bits": offsets_bits,
        "bits_per_link": round(graph_bits / num_arcs, 3) if graph_bits and num_arcs else None,
    }


def _draw(found: Structure, name: str, folder: Path) -> list[Path]:
    from webstrata.serve.figures.structure import draw_structure
    from webstrata.serve.figures.style import write_figures

    text = f"{tell_count(found.num_nodes, 'node')}, {tell_count(found.num_arcs, 'arc')}."
    text = " ".join([text, *(f"Warning: {sentence}." for sentence in found.warnings)])
    return write_figures(draw_structure(found, name), folder, page="stats", title=name, text=text)


def _show(found: Structure, name: str, size: dict[str, Any]) -> None:
    nodes = max(found.num_nodes, 1)
    click.echo(
        f"{name}: {tell_count(found.num_nodes, 'node')}, {tell_count(found.num_arcs, 'arc')}, "
        f"{found.num_arcs / nodes:.1f} a node, {found.num_loops:,} of them loops."
    )
    if size["bits_per_link"] is not None:
        per_node = f", and {size['offsets_bits'] / nodes:.2f} bits a node" if size["offsets_bits"] else ""
        click.echo(f"{size['bits_per_link']:.3f} bits per link{per_node} to find the lists.")
    click.echo(f"Reciprocity {found.reciprocity:.4f}.")
    clustering = found.clustering
    click.echo(f"Transitivity {clustering.transitivity}, clustering coefficient {clustering.coefficient}.")
    click.echo("\nDegrees")
    show_table(
        ["degree", "mean", "median", "largest", "zero", "power law"],
        [
            ["in", *_degree_cells(found.indegrees, nodes)],
            ["out", *_degree_cells(found.outdegrees, nodes)],
        ],
    )
    click.echo("\nComponents")
    show_table(
        ["components", "number", "largest", "share", "next sizes"],
        [
            [
                kind,
                len(components),
                int(components.sizes[0]) if len(components) else 0,
                f"{100 * components.largest_share:.2f}%",
                " ".join(map(str, components.sizes[1:6].tolist())),
            ]
            for kind, components in (("weak", found.weak), ("strong", found.strong))
        ],
    )
    tie = found.bow_tie
    parts = {
        "in": tie.inward,
        "core": tie.core,
        "out": tie.outward,
        "tubes": tie.tubes,
        "tendrils": tie.tendrils,
        "disconnected": tie.disconnected,
    }
    click.echo("\nBow tie")
    show_table(
        ["part", "nodes", "share"],
        [[part, count, f"{100 * count / nodes:.2f}%"] for part, count in parts.items()],
    )


def _degree_cells(degrees: Degrees, nodes: int) -> list[object]:
    law = degrees.law
    return [
        f"{degrees.mean:.2f}",
        f"{degrees.median:g}",
        degrees.largest,
        f"{100 * degrees.num_zeros / nodes:.2f}%",
        f"{law.exponent:.3f} ± {law.standard_error:.2g} from {law.x_min} on" if law else "none fitted",
    ]


def _show_distances(balls: Balls, top: list[dict[str, Any]]) -> None:
    click.echo(
        f"\nDistances, by {balls.runs} runs of {balls.registers} registers (± is one standard error)\n"
        f"mean {balls.mean_distance}, effective diameter {balls.effective_diameter}, "
        f"{balls.joined_share} of all pairs joined{'' if balls.joined_share.is_exact else ' (estimate)'}, "
        f"longest seen {balls.longest}"
    )
    click.echo(f"\nHarmonic centrality, ± {100 * balls.counter_error:.1f}%")
    show_table(
        ["node", "centrality", "URL"],
        [[row["node"], f"{row['centrality']:.1f}", row.get("url", "")] for row in top],
    )
