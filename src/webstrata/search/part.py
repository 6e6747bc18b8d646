"""The text index of all snapshots, and its partitions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from webstrata.collection.declarations import CollectionPart
from webstrata.search.settings import PARTITIONS, SearchSettings

if TYPE_CHECKING:
    from webstrata.collection import Collection
    from webstrata.collection.progress import Progress
    from webstrata.search.index import TextIndex

FORMAT = 3
"""Of the files of the text index."""


def _build(collection: Collection, settings: SearchSettings, *, workers: int, progress: Progress) -> None:
    from webstrata.search.build import build_text_index, choose_snapshots

    chosen = choose_snapshots(collection, ",".join(settings.snapshots) or "all")
    build_text_index(collection, chosen, settings, workers=workers, progress=progress)


def _open(collection: Collection) -> TextIndex:
    from webstrata.search.index import TextIndex

    return TextIndex.open(collection)


def _divide(
    kind: str,
    collection: Collection,
    settings: SearchSettings,
    *,
    workers: int,
    progress: Progress,
) -> None:
    from webstrata.search.distributed.partitions import build_partition

    build_partition(collection, kind, settings.servers, progress=progress)


TEXT_INDEX = CollectionPart(
    "text_index",
    "Index the words of all snapshots.",
    inputs=("text", "urls"),
    optional=("anchors",),
    settings=SearchSettings,
    uses=("stemmer", "snapshots"),
    build=_build,
    open=_open,
    stage="search",
    format=("index.json", FORMAT),
    rename="files",
)
PARTITIONED = tuple(
    CollectionPart(
        f"text_index-{kind}",
        f"Divide the text index by {kind}, for several servers.",
        inputs=("/text_index",),
        settings=SearchSettings,
        uses=("servers",),
        build=partial(_divide, kind),
        stage="search",
        on_demand=True,
    )
    for kind in PARTITIONS
)
