"""The feature sets of a snapshot's hosts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from webstrata.classify.features.sets import SETS, part_name
from webstrata.classify.settings import ClassifySettings
from webstrata.collection.declarations import SnapshotPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress


def _build(
    snapshot: Snapshot,
    settings: ClassifySettings,
    *,
    names: Sequence[str],
    workers: int,
    progress: Progress,
) -> None:
    from webstrata.classify.features.feature_sets import build_set

    for name in SETS:
        if part_name(name) in names:
            build_set(snapshot, name, settings, progress=progress)


def _is_wanted(name: str, snapshot: Snapshot, settings: ClassifySettings) -> bool:
    """Whether the settings ask for a set, and the collection has what it compares."""
    if settings.sets and name not in settings.sets:
        return False
    if SETS[name].through_time and len(snapshot.collection) < 2:
        return False
    # it counts words of queries, and nothing else
    return name != "Aa" or bool(settings.query_words)


FEATURES = tuple(
    SnapshotPart(
        part_name(name),
        f"Compute features of hosts, set {name}.",
        inputs=described.inputs,
        settings=ClassifySettings,
        uses=described.heeds,
        build=_build,
        together=tuple(map(part_name, SETS)),
        stage="classify",
        snapshots="newest",
        wanted=partial(_is_wanted, name),
    )
    for name, described in SETS.items()
)
