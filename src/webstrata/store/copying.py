"""Copies a snapshot into another collection, whole or in part, with the payloads that its revisits need."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from webstrata.collection.collection import Collection
from webstrata.collection.files import make_directory, remove_tree
from webstrata.store.editing import prepare_edit, publish_edit
from webstrata.store.moves import StoredRecords, plan_moves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webstrata.archive.cdxj import Entry
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

    Drop = Callable[[str], bool]


def copy_snapshots(
    sources: Iterable[Snapshot],
    target: Collection,
    *,
    drop: Drop | None = None,
    progress: Progress | None = None,
) -> dict[str, dict[str, int]]:
    """Copy the captures of snapshots of one collection, and build their pages, text and links; the counts.

    Payloads in snapshots that are not copied, or of URLs that are left out, move to the oldest copied capture
    that refers to them.

    Parameters
    ----------
    sources
        Snapshots of one collection.
    target
        Where they go, under the same labels.
    drop
        ``drop(url)``: whether a URL is left out.
    progress
        Where the work reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk, copy = testing.collection(), testing.empty()
    >>> copy_snapshots([uk["2026-06"]], copy, drop=lambda url: "pills" in url)
    {'2026-06': {'captures': 13, 'dropped': 3, 'moved': 0, 'files': 1}}
    >>> len(copy["2026-06"].urls)
    12
    """
    chosen = {snapshot.date: snapshot for snapshot in sources}
    if not chosen:
        return {}

    def is_gone(label: str, entry: Entry) -> bool:
        return label not in chosen or (drop is not None and drop(entry.url))

    collection = next(iter(chosen.values())).collection
    plan = plan_moves(collection, chosen, is_gone)
    counts = {}
    for label in sorted(plan):
        copy = target.add(label)
        counts[label] = prepare_edit(chosen[label], plan[label], drop=drop, target=copy, progress=progress)
        publish_edit(copy, progress=progress)
    return counts


@contextmanager
def without_urls(snapshot: Snapshot, drop: Drop, *, progress: Progress | None = None) -> Iterator[Snapshot]:
    """A temporary copy of a snapshot without some URLs, or the snapshot itself if it has none of them.

    Examples
    --------
    >>> from webstrata import testing
    >>> with without_urls(testing.snapshot(), lambda url: "pills" in url) as copy:
    ...     with copy.open_part("pages") as part:
    ...         part.counts["nodes"]
    12
    """
    with StoredRecords(snapshot) as stored:
        if not any(drop(entry.url) for entry in stored.scan()):
            yield snapshot
            return
    folder = snapshot.working_folder("copy")
    with snapshot.parts.writing(progress):
        remove_tree(folder)  # of a command that was killed
        try:
            path = make_directory(folder) / snapshot.collection.path.name
            copy = Collection.create(path, title=snapshot.collection.title)
            copy_snapshots([snapshot], copy, drop=drop, progress=progress)
            yield copy[snapshot.date]
        finally:
            remove_tree(folder)
