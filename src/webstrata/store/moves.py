"""Which revisit records lose their payloads when captures go, and where the payloads move.

When captures are removed, a ``revisit`` record of a capture that stays may refer to one of them (see
`revisits`). Of all revisits of one removed capture, the oldest becomes a full record with the payload, and
the others refer to it from then on:

1. Snapshots are taken oldest first, and the revisits of each in the order of time.
2. A revisit that has an original among the captures that stay is left alone.
3. The first revisit of a removed original gets the payload (`Move` with ``source``).
4. Every later one is rewritten to refer to the first (`Move` with ``refers_to``).

A revisit whose original was not in the collection before stays as it is.
"""

from __future__ import annotations

import gzip
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from webstrata.archive.cdxj import Entry, Index
from webstrata.archive.revisits import MIME, find_original
from webstrata.archive.warc import read_record
from webstrata.collection.files import explained
from webstrata.errors import UrlError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from webstrata.archive.record import Record
    from webstrata.collection import Snapshot

    IsGone = Callable[[str, Entry], bool]

Place = tuple[str, int]
"""The name of a WARC file and the offset of a record in it."""


class MoveSource(NamedTuple):
    """The record that holds a payload: its snapshot, and its line in the index."""

    label: str
    entry: Entry


@dataclass(frozen=True)
class Move:
    """What becomes of a revisit record."""

    source: MoveSource | None = None
    """The record whose payload it gets."""
    refers_to: tuple[str, str] = ("", "")
    """URL and ``WARC-Date`` of the record that has its payload now."""


class StoredRecords:
    """Index and WARC files of a snapshot, held open; takedowns are not applied.

    Examples
    --------
    >>> from webstrata import testing
    >>> with StoredRecords(testing.snapshot()) as stored:
    ...     [entry] = stored.index.captures("http://news.example/storm")
    ...     stored.read(entry).kind
    'response'
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.date = snapshot.date
        self._held = ExitStack()
        with ExitStack() as stack:
            index = stack.enter_context(snapshot.open_part("captures"))
            self.folder: Path = stack.enter_context(snapshot.open_part("warc")).path
            self.lines: Path = index.path / "index.cdxj.gz"
            self.index = Index(index.path)
            self._held = stack.pop_all()

    def read(self, entry: Entry) -> Record:
        """The record of a capture."""
        path = self.folder / entry.fields["filename"]
        return read_record(path, int(entry.fields["offset"]), int(entry.fields["length"]))

    def scan(self) -> Iterator[Entry]:
        """Every line of the index."""
        with explained(self.lines, "read"), gzip.open(self.lines) as lines:
            yield from map(Entry.parse, lines)

    def close(self) -> None:
        """Let the files go."""
        self._held.close()

    def __enter__(self) -> StoredRecords:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def has_captures(snapshot: Snapshot) -> bool:
    """Whether a snapshot has WARC files and their index.

    Examples
    --------
    >>> from webstrata import testing
    >>> has_captures(testing.snapshot()), has_captures(testing.empty().add("2026-06"))
    (True, False)
    """
    return {"captures", "warc"} <= set(snapshot.parts.names)


def place_of(entry: Entry) -> Place:
    """Where the record of a line is.

    Examples
    --------
    >>> place_of(Entry("uk,a)/", "20260601000000", {"filename": "a.warc.gz", "offset": "7"}))
    ('a.warc.gz', 7)
    """
    return entry.fields["filename"], int(entry.fields["offset"])


def plan_moves(
    snapshots: Iterable[Snapshot], staying: Iterable[str], is_gone: IsGone
) -> dict[str, dict[Place, Move]]:
    """What becomes of revisit records, by snapshot and place, when captures go.

    Parameters
    ----------
    snapshots
        All snapshots among whose captures originals are looked for.
    staying
        Labels of those whose revisits are kept.
    is_gone
        ``is_gone(label, entry)``: whether a capture goes.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection()
    >>> plan_moves(uk, uk.dates[1:], lambda label, entry: label == "2026-04")
    {'2026-05': {}, '2026-06': {}}
    """
    moved: dict[tuple[str, Place], tuple[str, str]] = {}
    with ExitStack() as stack:
        held = {
            each.date: stack.enter_context(StoredRecords(each)) for each in snapshots if has_captures(each)
        }
        labels = sorted(held)
        plan: dict[str, dict[Place, Move]] = {}
        for label in sorted(set(staying) & set(held)):
            own = held[label]
            moves = plan.setdefault(label, {})
            revisits = [
                entry for entry in own.scan() if entry.fields["mime"] == MIME and not is_gone(label, entry)
            ]
            # most revisits refer to their own snapshot, then to an earlier one
            near = [label, *(each for each in reversed(labels) if each < label)]
            near += [each for each in labels if each > label]
            for entry in sorted(revisits, key=lambda each: (each.timestamp, each.url)):
                record = own.read(entry)
                urls = _name_originals(entry, record)
                if _find(entry, record, urls, near, held, lambda *found: not is_gone(*found)):
                    continue
                found = _find(entry, record, urls, near, held, is_gone)
                if found is None:
                    continue
                key = (found.label, place_of(found.entry))
                if key in moved:
                    moves[place_of(entry)] = Move(refers_to=moved[key])
                else:
                    moves[place_of(entry)] = Move(source=found)
                    moved[key] = (entry.url, record.get("WARC-Date") or "")
        return plan


def _name_originals(entry: Entry, record: Record) -> list[str]:
    named = [record.get("WARC-Refers-To-Target-URI"), entry.fields.get("duplicate-of"), entry.url]
    return list(dict.fromkeys(_normalize(url.strip("<>")) for url in named if url))


def _find(
    entry: Entry,
    record: Record,
    urls: list[str],
    near: list[str],
    held: dict[str, StoredRecords],
    is_wanted: IsGone,
) -> MoveSource | None:
    """The original of a revisit among wanted captures."""
    for label in near:
        captures = [
            each for url in urls for each in held[label].index.captures(url) if is_wanted(label, each)
        ]
        original = find_original(entry, record, captures)
        if original is not None:
            return MoveSource(label, original)
    return None


def _normalize(url: str) -> str:
    """A URL as the index has it; what is none stays as it is."""
    try:
        return normalize(url)
    except UrlError:
        return url
