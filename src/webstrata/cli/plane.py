"""webstrata plane: how nodes are spread over their ranks by PageRank and CheiRank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, plots_option, snapshot_argument
from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.cli.verb import verb
from webstrata.rank.settings import PLANE, RankSettings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection


@verb("plane", epilog="Example: webstrata plane uk 2026-06 --plots pictures")
@collection_argument
@snapshot_argument
@options(RankSettings, only=PLANE)
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
    from webstrata.pipeline.steps import compute_plane

    plane = compute_plane(collection[label], rank_options, progress=TerminalProgress())
    paths = draw(plane, plots, page="plane", title=f"{collection.title} {label}")
    if as_json:
        show_json(
            {"collection": str(collection.path), "snapshot": label, "level": plane.level}
            | plane.to_dict()
            | {"plots": [str(path) for path in paths]}
        )
        return
    click.echo(f"{collection.path} {label}: {plane.summary}\n")
    show(plane)
    show_plots(paths)
