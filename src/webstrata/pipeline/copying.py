"""Merges snapshots of another collection into one, and splits some off into a new one.

Both copy captures (`store.copying`), build pages, text and links of the copies, and leave the source as it
is; other parts are built by the next run. Payloads of revisit records that would be missing go to the oldest
copied capture that refers to them. Takedowns in force at the source are copied too, so nothing is
shown that was hidden before. A killed merge is completed by the same command.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webstrata.collection.collection import MAX_SNAPSHOTS
from webstrata.collection.files import replace_file
from webstrata.collection.tables import TableDict
from webstrata.errors import DateError, ExistsError, UsageError
from webstrata.pipeline.life import refuse_unfinished
from webstrata.store.copying import copy_snapshots
from webstrata.store.editing import FOLDER
from webstrata.store.moves import has_captures
from webstrata.store.takedowns import FILE, find_takedowns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress


class MergeResult(TableDict[dict[str, int]]):
    """What was copied, by snapshot."""

    headings: Mapping[str, str] = {"name": "snapshot", "captures": "captures", "moved": "payloads moved"}


def merge(
    collection: Collection,
    other: Collection,
    snapshots: Iterable[str] = (),
    *,
    progress: Progress | None = None,
) -> MergeResult:
    """Copy snapshots of another collection into this one; what was copied, by label.

    Parameters
    ----------
    collection, other
        Where they go, and where they are.
    snapshots
        Dates or ranges of dates; all where none is given. A date that `collection` has already is refused.
    progress
        Where the work reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection_of({"2026-07": {"http://a.example/": "A"}})
    >>> sorted(merge(uk, testing.collection(), ["2026-05.."]))
    ['2026-05', '2026-06']
    >>> uk.dates
    ['2026-05', '2026-06', '2026-07']
    """
    labels = _choose(other, snapshots)
    taken = [label for label in labels if label in collection and _is_complete(collection[label])]
    if taken:
        raise ExistsError(
            f"{collection.path}: it has a snapshot {taken[0]} already; rename one of the two first, or leave "
            f"it out"
        )
    if len({*collection.dates, *labels}) > MAX_SNAPSHOTS:
        raise DateError(f"{collection.path}: it would have more than {MAX_SNAPSHOTS} snapshots; merge fewer")
    with collection.parts.writing(progress):
        _copy_takedowns(other, collection)
        copied = copy_snapshots([other[label] for label in labels], collection, progress=progress)
    return MergeResult(copied)


def split(
    collection: Collection,
    path: str | PathLike[str],
    snapshots: Iterable[str] = (),
    *,
    hosts: Iterable[str] = (),
    title: str = "",
    progress: Progress | None = None,
) -> Collection:
    """A new collection with some snapshots of this one, or with some hosts; this one stays as it is.

    Parameters
    ----------
    collection
        The source.
    path
        Where the new collection is created.
    snapshots
        Dates or ranges of dates; all where none is given.
    hosts
        Keep captures of these hosts, and of those below them, only.
    title
        Of the new collection.
    progress
        Where the work reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> reef = split(testing.collection(), testing.scratch() / "reef", ["2026-06"], hosts=["reef.example"])
    >>> reef.dates, list(reef["2026-06"].urls)[0]
    (['2026-06'], 'http://reef.example/')
    """
    labels = _choose(collection, snapshots)
    drop = _make_drop([host.strip().lower().rstrip(".") for host in hosts])
    made = type(collection).create(path, title=title or collection.title)
    _copy_takedowns(collection, made)
    copy_snapshots([collection[label] for label in labels], made, drop=drop, progress=progress)
    return made


def _choose(collection: Collection, snapshots: Iterable[str]) -> list[str]:
    labels = collection.choose(snapshots)
    if not labels:
        raise DateError(f"{collection.path}: no snapshots; crawl or ingest one first")
    refuse_unfinished([collection[label] for label in labels])
    for label in labels:
        if not has_captures(collection[label]):
            raise UsageError(
                f"{collection[label].path}: this snapshot has no captures to copy; leave it out, or export "
                f"it as a bundle and ingest that"
            )
    return labels


def _is_complete(snapshot: Snapshot) -> bool:
    """Whether a snapshot is there, and is not what a killed copy left."""
    return bool(list(snapshot.parts)) and not snapshot.working_folder(FOLDER).exists()


def _make_drop(hosts: list[str]) -> Callable[[str], bool] | None:
    if not hosts:
        return None

    def drop(url: str) -> bool:
        name = urlsplit(url).hostname or ""
        return bool(name) and not any(name == host or name.endswith(f".{host}") for host in hosts)

    return drop


def _copy_takedowns(source: Collection, target: Collection) -> None:
    """Add the takedowns in force at the source to the log of the target."""
    known = {each.rule for each in find_takedowns(target).log if not each.lifted}
    events = [
        {
            "event": "block",
            "kind": each.rule.kind,
            **(
                {"digest": each.rule.digest}
                if each.rule.digest
                else {"what": each.what, "key": each.rule.key}
            ),
            "reason": each.reason,
            "date": each.date,
            "by": each.by,
            "erased": each.erased,
        }
        for each in find_takedowns(source).log
        if not each.lifted and each.rule not in known
    ]
    if events:
        path = target.path / FILE
        before = path.read_bytes() if path.exists() else b""
        lines = [json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in events]
        replace_file(path, before + b"".join(lines))
