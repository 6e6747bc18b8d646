"""The counts that change search compares: degrees and words of every page in every snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.declarations import CollectionPart

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.search.change.counts import WordCounts


def _build(collection: Any, _settings: None, *, workers: int, progress: Progress) -> None:  # noqa: ANN401
    from webstrata.search.change.counts import open_counts
    from webstrata.temporal.union import StoredUnion

    open_counts(StoredUnion(collection), progress=progress)


def _open(collection: Any) -> WordCounts:  # noqa: ANN401
    from webstrata.search.change.counts import open_counts

    return open_counts(collection.temporal)


CHANGES = CollectionPart(
    "changes",
    "Count links and words of pages in every snapshot, for change search.",
    inputs=("/temporal", "summaries"),
    build=_build,
    open=_open,
    stage="search",
    rename="inputs",
    min_snapshots=2,
)
