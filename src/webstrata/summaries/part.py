"""The summaries of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.declarations import SnapshotPart
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.collection import Collection
    from webstrata.collection.progress import Progress
    from webstrata.summaries.archive import Archive


def _build(snapshot: Any, settings: SummariesSettings, *, workers: int, progress: Progress) -> None:  # noqa: ANN401
    from webstrata.summaries.build import build_summaries

    build_summaries(snapshot, settings, workers=workers, progress=progress)


def _open(snapshot: Any) -> Archive:  # noqa: ANN401 (that of `webstrata.api`)
    from webstrata.summaries.archive import Archive

    part = snapshot.open_part("summaries")
    return Archive(part.path, part, num_nodes=len(snapshot.urls) if "urls" in snapshot.parts else None)


def _fit(collection: Collection) -> Mapping[str, object]:
    """All terms are kept where even the largest snapshot has fewer pages than a term must be in."""
    sizes = [
        snapshot.parts.record("pages").counts.get("nodes", 0)
        for snapshot in collection
        if "pages" in snapshot.parts
    ]
    return {"min_df": 1} if sizes and max(sizes) < SummariesSettings().min_df else {}


SUMMARIES = SnapshotPart(
    "summaries",
    "Count the terms of pages, and compress the counts.",
    inputs=("text",),
    settings=SummariesSettings,
    build=_build,
    open=_open,
    fit=_fit,
)
