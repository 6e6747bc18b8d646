"""What a reader of archives met: records it gave, records it left out and why, places that are damaged.

Every reader takes a `Tally` and never raises for what is in a file: it tells, and goes on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from webstrata.archive.warc import Problem

MAX_SHOWN = 1000
"""Damaged places that are kept; more are only counted."""


class Damage(NamedTuple):
    """A place of a file that could not be read."""

    file: str
    offset: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}, byte {self.offset}: {self.what}"


@dataclass
class Tally:
    """Counts of what was read.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.damaged("a.warc.gz", 17, "the record has 3 bytes of 40")
    >>> tally.leave_out("not HTTP")
    >>> str(tally.damage[0]), tally.num_damaged, dict(tally.left_out)
    ('a.warc.gz, byte 17: the record has 3 bytes of 40', 1, {'not HTTP': 1})
    """

    records: int = 0
    damage: list[Damage] = field(default_factory=list)
    """The first `MAX_SHOWN` of them."""
    num_damaged: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Records that are sound and no captures of pages, by reason."""
    kept: Counter[str] = field(default_factory=Counter)
    """The same, of records that are stored nevertheless."""
    keeps: bool = False
    """Whether records are stored whatever they are."""

    def damaged(self, file: str, offset: int, what: str) -> None:
        """Count a damaged place."""
        self.num_damaged += 1
        if len(self.damage) < MAX_SHOWN:
            self.damage.append(Damage(file, offset, what))

    def report(self, file: str, problem: Problem) -> None:
        """Count a problem of a WARC file."""
        about = f" ({problem.url})" if problem.url else ""
        self.damaged(file, problem.offset, problem.what + about)

    def leave_out(self, reason: str) -> None:
        """Count a record that is no capture of a page."""
        (self.kept if self.keeps else self.left_out)[reason] += 1
