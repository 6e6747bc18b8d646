"""The methods of a collection that change its snapshots, for `webstrata.api.Collection`.

Each is one call of a function of this room, imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from webstrata.collection.progress import Progress
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from webstrata.api import Collection
    from webstrata.pipeline.copying import MergeResult
    from webstrata.pipeline.life import Removal
    from webstrata.store.takedowns import Takedown, TakedownLog


class LifeMethods:
    """Remove, rename, take down, merge and split."""

    def remove(self, snapshot: str | None = None, *, progress: Progress | None = None) -> Removal:
        """Remove a snapshot, or the whole collection; payloads that other snapshots refer to are kept.

        Examples
        --------
        >>> from webstrata import testing
        >>> uk = testing.collection()
        >>> uk.remove("2026-04").stale
        ('temporal', 'text_index')
        >>> uk.dates
        ['2026-05', '2026-06']
        """
        from webstrata.pipeline.life import remove_collection, remove_snapshot

        if snapshot is None:
            return remove_collection(cast("Collection", self), progress=progress)
        return remove_snapshot(cast("Collection", self), snapshot, progress=progress)

    def rename(self, snapshot: str, new: str, *, progress: Progress | None = None) -> None:
        """Give a snapshot another date; its parts stay fresh.

        Examples
        --------
        >>> from webstrata import testing
        >>> uk = testing.collection()
        >>> uk.rename("2026-04", "2026-04-01")
        >>> uk.dates
        ['2026-04-01', '2026-05', '2026-06']
        """
        from webstrata.pipeline.life import rename_snapshot

        rename_snapshot(cast("Collection", self), snapshot, new, progress=progress)

    def takedown(
        self,
        what: str,
        *,
        reason: str = "",
        lift: bool = False,
        erase: bool = False,
        progress: Progress | None = None,
    ) -> Takedown:
        """Hide a URL, a host or a prefix from all readers, show it again, or erase it for good.

        With `erase`, WARC files are rewritten without it and all parts are built again.

        Examples
        --------
        >>> from webstrata import testing
        >>> uk = testing.collection()
        >>> _ = uk.takedown("http://news.example/storm", reason="request of the owner")
        >>> [hit.url for hit in uk.search("storm", at="2026-06")][:2]
        ['http://reef.example/storm', 'http://news.example/']
        >>> uk.takedown("http://news.example/storm", lift=True).what
        'http://news.example/storm'
        """
        from webstrata.store import takedowns

        collection = cast("Collection", self)
        if lift and erase:
            raise UsageError("lift and erase contradict each other; choose one")
        if erase:
            from webstrata.pipeline.erasing import erase as erase_urls

            erase_urls(collection, what, reason=reason, progress=progress)
            return takedowns.find_rule(collection, what)
        if lift:
            return takedowns.lift(collection, what, reason=reason)
        from webstrata.pipeline.reporting import withdraw_report

        made = takedowns.block(collection, what, reason=reason)
        if withdraw_report(collection):
            (progress or Progress()).note(
                f"{collection.path}: removed reports/report.html, which may show it; write the report again"
            )
        return made

    @property
    def takedowns(self) -> TakedownLog:
        """Every takedown that was ever made, the oldest first."""
        from webstrata.store.takedowns import TakedownLog, find_takedowns

        return TakedownLog(find_takedowns(cast("Collection", self)).log)

    def merge(
        self, other: Collection, snapshots: Iterable[str] = (), *, progress: Progress | None = None
    ) -> MergeResult:
        """Copy snapshots of another collection into this one, all or some.

        Examples
        --------
        >>> from webstrata import testing
        >>> uk = testing.empty()
        >>> uk.merge(testing.collection(), ["2026-06"])["2026-06"]["captures"]
        16
        """
        from webstrata.pipeline.copying import merge

        return merge(cast("Collection", self), other, snapshots, progress=progress)

    def split(
        self,
        path: str | PathLike[str],
        snapshots: Iterable[str] = (),
        *,
        hosts: Iterable[str] = (),
        title: str = "",
        progress: Progress | None = None,
    ) -> Collection:
        """Create a new collection with some snapshots of this one, or with some hosts.

        Examples
        --------
        >>> from webstrata import testing
        >>> testing.collection().split(testing.scratch() / "new", ["2026-05"]).dates
        ['2026-05']
        """
        from webstrata.pipeline.copying import split

        collection = cast("Collection", self)
        return split(collection, path, snapshots, hosts=hosts, title=title, progress=progress)
