"""The union of all snapshots' graphs, with labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.declarations import CollectionPart
from webstrata.temporal.settings import TemporalSettings

if TYPE_CHECKING:
    from webstrata.collection import Collection
    from webstrata.collection.progress import Progress
    from webstrata.temporal.union import StoredUnion


def _build(collection: Collection, settings: TemporalSettings, *, workers: int, progress: Progress) -> None:
    from webstrata.temporal.align import choose_snapshots
    from webstrata.temporal.build import build_union

    chosen = choose_snapshots(collection, ",".join(settings.snapshots))
    build_union(collection, chosen, settings, workers=workers, progress=progress)


def _open(collection: Collection) -> StoredUnion:
    from webstrata.temporal.union import StoredUnion

    return StoredUnion(collection)


TEMPORAL = CollectionPart(
    "temporal",
    "Unite the graphs of all snapshots, with a label for every node and arc.",
    inputs=("graph", "urls"),
    optional=("pages",),
    settings=TemporalSettings,
    build=_build,
    open=_open,
    rename="files",
    min_snapshots=2,
)
