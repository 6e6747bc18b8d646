"""webstrata rank --all-snapshots: nodes followed through snapshots, and lists in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.rank.following import follow_nodes, list_methods
from webstrata.rank.settings import RankSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webstrata.api import Collection


def follow(
    collection: Collection,
    labels: Sequence[str] | None,
    rank_options: dict[str, object],
    *,
    preference: Path | None,
    list_file: Path | None,
    reference: str | None,
    categories: Path | None,
    against: Path | None,
    skip_unknown: bool,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Rank snapshots one after the other, each beginning with the scores of the one before, and print."""
    settings = collection.settings(RankSettings, rank_options)
    followed = follow_nodes(
        collection,
        settings,
        snapshots=labels,
        names=list_file,
        reference=reference,
        categories=categories,
        against=against,
        preference=preference,
        skip_unknown=skip_unknown,
        progress=TerminalProgress(),
    )
    methods = list_methods(settings, has_list=bool(list_file or reference))
    paths = draw(followed, plots, page="ranks", title=collection.title)
    if as_json:
        document: dict[str, Any] = {"collection": str(collection.path), "level": settings.level}
        show_json(document | followed.to_dict(methods) | {"plots": [str(path) for path in paths]})
        return
    show(followed)
    show_plots(paths)
