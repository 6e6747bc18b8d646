"""Lists captures of all snapshots, by URL, host, domain or key, and the records of a snapshot."""

from __future__ import annotations

import heapq
from itertools import islice
from typing import TYPE_CHECKING

from webstrata.archive.cdxj import parse_time
from webstrata.collection.tables import Rows
from webstrata.errors import UsageError
from webstrata.store.captures import AllCaptures, describe_entry
from webstrata.store.inventory import list_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webstrata.api import Collection
    from webstrata.archive.cdxj import Entry
    from webstrata.store.captures import Captures, Match


def scan_captures(
    collection: Collection, where: str, *, match: Match = "exact", start: str = "", end: str = ""
) -> Iterator[tuple[str, Entry]]:
    """The captures of a URL, host, domain or key with their snapshots, by key and time.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = scan_captures(testing.collection(), "http://garden.example/tomatoes", start="2026-05")
    >>> [(label, entry.status) for label, entry in found]
    [('2026-05', 200), ('2026-06', 200)]
    """
    first, last = (parse_time(date) if date else "" for date in (start, end))
    if first and last and first > last.ljust(len(first), "9"):
        raise UsageError(f"the start {start} is after the end {end}; swap them")
    merged = heapq.merge(
        *(_scan(captures, where, match) for captures in AllCaptures(collection).list()),
        key=lambda found: (found[1].key, found[1].timestamp, found[0]),
    )
    return (
        (label, entry)
        for label, entry in merged
        if entry.timestamp[: len(first)] >= first and entry.timestamp[: len(last)] <= last
    )


def list_captures(
    collection: Collection,
    where: str,
    *,
    match: Match = "exact",
    start: str = "",
    end: str = "",
    limit: int | None = None,
    records: bool = False,
    kinds: Iterable[str] = (),
) -> Rows:
    """The same as a table; with `records`, the WARC records of the snapshot `where`.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = list_captures(testing.collection(), "garden.example", match="host", limit=2)
    >>> [(row["snapshot"], row["url"]) for row in found.rows]
    [('2026-04', 'http://garden.example/'), ('2026-05', 'http://garden.example/')]
    """
    if records:
        found = islice(list_records(collection[where], kinds=tuple(kinds)), limit)
        return Rows("records", [record._asdict() for record in found])
    rows = scan_captures(collection, where, match=match, start=start, end=end)
    return Rows("captures", [describe_entry(label, entry) for label, entry in islice(rows, limit)])


def _scan(captures: Captures, where: str, match: Match) -> Iterator[tuple[str, Entry]]:
    return ((captures.date, entry) for entry in captures.scan(where, match))
