"""Rankings of a snapshot's pages, hosts and domains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.declarations import SnapshotPart
from webstrata.rank.settings import LEVELS, METHODS, USED, WITH_PREFERENCE, RankSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

SHOWN = ("pagerank", "cheirank", "2drank")
"""Methods whose rankings of pages ``run`` makes."""


def part_name(method: str, level: str) -> str:
    """The name of the part that holds a ranking.

    Examples
    --------
    >>> part_name("pagerank", "page"), part_name("2drank", "host")
    ('rank-pagerank', 'rank-2drank-host')
    """
    return f"rank-{method}" + ("" if level == "page" else f"-{level}")


def _build(
    snapshot: Snapshot,
    settings: RankSettings,
    *,
    names: Sequence[str],
    workers: int,
    progress: Progress,
) -> None:
    from dataclasses import replace

    from webstrata.rank.stored import RankedGraph, rank_snapshot

    graph = RankedGraph(snapshot, settings.level, shown=False)
    # the scores of the snapshot before are where the iteration starts
    labels = snapshot.collection.dates
    earlier = snapshot.collection[labels[place - 1]] if (place := labels.index(snapshot.date)) else None
    before = (
        RankedGraph(earlier, settings.level, shown=False)
        if earlier and set(names) <= set(earlier.parts.names)
        else None
    )
    for method, level in ((m, v) for v in LEVELS for m in METHODS if part_name(m, v) in names):
        chosen = replace(settings, method=method, level=level)
        rank_snapshot(snapshot, chosen, graph=graph, before=before, progress=progress)


RANKS = tuple(
    SnapshotPart(
        part_name(method, level),
        f"Rank {level}s by {method}.",
        inputs=("graph",),
        settings=RankSettings,
        uses=USED[method],
        fixed={"method": method, "level": level},
        build=_build,
        together=tuple(part_name(each, level) for each in METHODS if each not in WITH_PREFERENCE),
        stage="rank",
        on_demand=level != "page" or method not in SHOWN,
    )
    for level in LEVELS
    for method in METHODS
    if method not in WITH_PREFERENCE
)
