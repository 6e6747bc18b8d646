"""webstrata plane: how nodes are spread over their ranks by PageRank and CheiRank."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, plots_option
from webstrata.cli.output import TerminalProgress, show_json, show_table, show_warnings
from webstrata.rank.settings import RankSettings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection

_ONLY = ("level", "alpha", "tolerance", "solver", "weighted", "compressed")
SHOWN = 10


@click.command("plane", epilog="Example: webstrata plane uk 2026-06 --plots pictures")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@options(RankSettings, only=_ONLY)
@plots_option("plane.html")
@json_option
def command(
    collection: Collection,
    label: str,
    rank_options: dict[str, object],
    *,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Show how nodes are spread over their ranks by PageRank and CheiRank.

    Every node is a point (K, K*): the density of 100 × 100 cells of a logarithmic scale, the scores by rank
    P(K) and P*(K*), and the correlator κ, which is 0 where the two have nothing to do with each other.
    """
    from webstrata.rank.plane import describe_plane
    from webstrata.rank.stored import RankedGraph, rank_snapshot

    if plots:
        from webstrata.serve.figures.style import load_altair

        load_altair()
    snapshot = collection[label]
    settings = snapshot.settings(RankSettings, rank_options)
    progress = TerminalProgress()
    graph = RankedGraph(snapshot, settings.level)
    one, other = (
        rank_snapshot(snapshot, replace(settings, method=method), graph=graph, progress=progress)
        for method in ("pagerank", "cheirank")
    )
    plane = describe_plane(one, other)
    paths: list[Path] = []
    if plots:
        from webstrata.serve.figures.ranks import draw_plane
        from webstrata.serve.figures.style import write_figures

        name = f"{collection.title} {label}"
        text = f"{plane.num_nodes:,} nodes; correlator {plane.correlator:.3f}."
        text = " ".join([text, *(f"Warning: {sentence}." for sentence in plane.warnings)])
        paths = write_figures(draw_plane(plane, name), plots, page="plane", title=name, text=text)
    if as_json:
        show_json(
            {"collection": str(collection.path), "snapshot": label, "level": settings.level}
            | plane.to_json()
            | {"plots": [str(path) for path in paths]}
        )
        return
    click.echo(f"{collection.path} {label}: {plane.num_nodes:,} nodes, correlator κ = {plane.correlator:.4f}")
    click.echo(
        f"{int((plane.density > 0).sum()):,} of {plane.density.size:,} cells of the plane have nodes.\n"
    )
    step = max(len(plane.pagerank) // SHOWN, 1)
    rows = [
        [rank, f"{score:.3e}", f"{inverse:.3e}"]
        for (rank, score), (_, inverse) in list(zip(plane.pagerank, plane.cheirank, strict=True))[::step]
    ]
    show_table(["rank", "P(K)", "P*(K*)"], rows)
    show_warnings(plane.warnings)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")
