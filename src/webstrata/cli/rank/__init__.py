"""webstrata rank: scores of nodes by the links between them, in one snapshot or through all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    collection_argument,
    json_option,
    optional_snapshot_argument,
    options,
    plots_option,
)
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError
from webstrata.rank.settings import RankSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.rank.ranking import Ranking

_file = click.Path(path_type=Path, dir_okay=False)


@verb(
    "rank",
    renamed={"--top": "--limit"},
    epilog="Example: webstrata rank uk 2026-06 --method cheirank --limit 20",
)
@collection_argument
@optional_snapshot_argument
@options(RankSettings)
@click.option(
    "--preference",
    type=_file,
    metavar="FILE",
    help="URLs or hosts, each with a weight behind a tab: where the surfer jumps, or what is trusted.",
)
@click.option("--all-snapshots", is_flag=True, help="Rank every snapshot, and follow nodes through them.")
@click.option(
    "--list",
    "list_file",
    type=_file,
    metavar="FILE",
    help="Nodes to follow: a URL or host a line, with a category behind a tab.",
)
@click.option(
    "--of", "reference", metavar="SNAPSHOT", help="Follow the top of this snapshot, as many as --limit says."
)
@click.option(
    "--categories",
    type=_file,
    metavar="FILE",
    help="Categories of what is followed: a URL, host or domain per line, with its category after a tab.",
)
@click.option(
    "--against", type=_file, metavar="FILE", help="An outside ranking of the same names, the first first."
)
@click.option("--skip-unknown", is_flag=True, help="Leave out names of a list that no snapshot has.")
@plots_option("ranks.html", "pictures of what is followed")
@json_option
def command(
    collection: Collection,
    label: str | None,
    rank_options: dict[str, object],
    *,
    preference: Path | None,
    all_snapshots: bool,
    list_file: Path | None,
    reference: str | None,
    categories: Path | None,
    against: Path | None,
    skip_unknown: bool,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Rank the pages or hosts of SNAPSHOT, or follow some through all snapshots.

    Scores are kept as a part of the snapshot, with the settings that made them, and are read from there when
    they are asked for again.
    """
    if all_snapshots == (label is not None):
        raise UsageError("name one SNAPSHOT to rank, or --all-snapshots to follow nodes through all of them")
    if reference is not None and list_file is not None:
        raise UsageError("--list and --of: both say what to follow; name one of them")
    if label is not None and reference:
        raise UsageError("--of says what is followed through snapshots; name --all-snapshots instead of one")
    for option, file in (("--categories", categories), ("--against", against)):
        if file is not None and list_file is None and reference is None:
            raise UsageError(f"{option} is about what is followed; name a --list, or --of a snapshot")
    if all_snapshots or list_file is not None:
        from webstrata.cli.rank.follow import follow

        follow(
            collection,
            [label] if label is not None else None,
            rank_options,
            preference=preference,
            list_file=list_file,
            reference=reference,
            categories=categories,
            against=against,
            skip_unknown=skip_unknown,
            plots=plots,
            as_json=as_json,
        )
        return
    assert label is not None
    from webstrata.pipeline.steps import rank_nodes
    from webstrata.rank.following import load_preference
    from webstrata.rank.stored import RankedGraph

    if plots:
        raise UsageError("--plots: pictures are of what is followed; `webstrata plane` draws one snapshot")
    snapshot = collection[label]
    settings = snapshot.settings(RankSettings, rank_options)
    graph = RankedGraph(snapshot, settings.level)
    weights = load_preference(graph, preference, skip=skip_unknown) if preference else None
    found = rank_nodes(snapshot, rank_options, preference=weights, graph=graph, progress=TerminalProgress())
    if as_json:
        show_json(
            {"collection": str(collection.path), "snapshot": label, "level": settings.level}
            | _to_json(found, settings.top)
        )
        return
    ranked = tell_count(found.num_ranked, settings.level)
    click.echo(f"{collection.path} {label}: {ranked} by {found.method}")
    show(found.top(settings.top))
    click.echo(f"\n{found.summary}")


def _to_json(found: Ranking, number: int) -> dict[str, object]:
    return {
        "method": found.method,
        "nodes": found.num_ranked,
        "error_bound": found.error_bound,
        "residual": found.residual,
        "passes": found.iterations,
        "settings": dict(found.settings),
        "top": [place._asdict() for place in found.top(number)],
    }
