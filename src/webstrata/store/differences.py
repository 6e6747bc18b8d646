"""What changed between two captures of a page, line by line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.store.captures import StoredCapture


class Change(NamedTuple):
    """A line of a difference: its mark is ``-``, ``+`` or a blank, or ``@`` where lines were left out."""

    mark: str
    text: str


@dataclass(frozen=True)
class Difference:
    """What changed."""

    changes: list[Change]
    is_same_payload: bool
    """Whether the bytes are the same; the text may be, although they are not."""

    @property
    def added(self) -> int:
        """How many lines are new."""
        return sum(change.mark == "+" for change in self.changes)

    @property
    def removed(self) -> int:
        """How many lines are gone."""
        return sum(change.mark == "-" for change in self.changes)


def compare_lines(before: Sequence[str], after: Sequence[str], *, context: int = 3) -> list[Change]:
    """The changes from some lines to others, with the unchanged lines around them.

    Examples
    --------
    >>> [change.mark + change.text for change in compare_lines(["a", "b"], ["a", "c"])]
    ['@-1,2 +1,2', ' a', '-b', '+c']
    """
    changes = []
    for line in list(difflib.unified_diff(before, after, lineterm="", n=context))[2:]:
        if line.startswith("@@"):
            changes.append(Change("@", line.strip("@ ")))
        else:
            changes.append(Change(line[0], line[1:]))
    return changes


def compare(
    before: StoredCapture, after: StoredCapture, *, source: bool = False, context: int = 3
) -> Difference:
    """What changed from one capture to another: in their text, or in their source.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.store.ingest import ingest
    >>> folder = getfixture("tmp_path")
    >>> uk = ws.create(folder / "uk")
    >>> for label, text in (("2026-06", "old"), ("2026-07", "new")):
    ...     _ = (folder / "a.html").write_text(f"<p>Same<p>{text}")
    ...     _ = ingest(uk.add(label), [folder / "a.html"], base_url="http://example.org/")
    >>> one, two = (snapshot.capture("http://example.org/a.html") for snapshot in uk)
    >>> [change.mark + change.text for change in compare(one, two).changes]
    ['@-1,2 +1,2', ' Same', '-old', '+new']
    """
    texts = [(one.decoded if source else one.text).splitlines() for one in (before, after)]
    return Difference(compare_lines(*texts, context=context), before.payload == after.payload)
