"""What changed between two captures of a page, line by line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata.collection.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.store.captures import StoredCapture


class LineChange(NamedTuple):
    """A line of a difference: its mark is ``-``, ``+`` or a blank, or ``@`` where lines were left out."""

    mark: str
    text: str


@dataclass(frozen=True, repr=False)
class Difference(Table):
    """What changed."""

    changes: list[LineChange]
    is_same_payload: bool
    """Whether the bytes are the same; the text may be, although they are not."""

    empty_columns = ("mark", "text")

    def to_rows(self) -> list[dict[str, str]]:
        """One row per line: its mark and its text."""
        return [change._asdict() for change in self.changes]

    def to_dict(self) -> dict[str, Any]:
        """As plain data: the counts, then the lines."""
        return {
            "is_same_payload": self.is_same_payload,
            "added": self.added,
            "removed": self.removed,
            "changes": self.to_rows(),
        }

    @property
    def added(self) -> int:
        """How many lines are new."""
        return sum(change.mark == "+" for change in self.changes)

    @property
    def removed(self) -> int:
        """How many lines are gone."""
        return sum(change.mark == "-" for change in self.changes)


def find_captures(collection: Collection, url: str, *dates: str) -> list[StoredCapture]:
    """For each date the capture of a URL in the snapshot of this name, or the last one until this time.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = find_captures(testing.collection(), "http://garden.example/pond", "2026-05", "20260602")
    >>> [capture.entry.timestamp[:8] for capture in found]
    ['20260501', '20260601']
    """
    return [
        collection[date].capture(url) if date in collection else collection.capture(url, date)
        for date in dates
    ]


def compare_lines(before: Sequence[str], after: Sequence[str], *, context: int = 3) -> list[LineChange]:
    """The changes from some lines to others, with the unchanged lines around them.

    Examples
    --------
    >>> [change.mark + change.text for change in compare_lines(["a", "b"], ["a", "c"])]
    ['@-1,2 +1,2', ' a', '-b', '+c']
    """
    changes = []
    for line in list(difflib.unified_diff(before, after, lineterm="", n=context))[2:]:
        if line.startswith("@@"):
            changes.append(LineChange("@", line.strip("@ ")))
        else:
            changes.append(LineChange(line[0], line[1:]))
    return changes


def compare(
    before: StoredCapture, after: StoredCapture, *, source: bool = False, context: int = 3
) -> Difference:
    """What changed from one capture to another: in their text, or in their source.

    Examples
    --------
    >>> from webstrata import testing
    >>> url = "http://garden.example/tomatoes"
    >>> april, may, june = (snapshot.capture(url) for snapshot in testing.collection())
    >>> [change.mark + change.text[:20] for change in compare(april, may).changes]
    ['@-1,4 +1,4', ' Tomatoes', '-April: the seeds are', '+May: the young plant', ' the garden', ' soup']
    """
    texts = [(one.decoded if source else one.text).splitlines() for one in (before, after)]
    return Difference(compare_lines(*texts, context=context), before.payload == after.payload)
