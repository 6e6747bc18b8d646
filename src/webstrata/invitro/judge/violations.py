"""Violations of a rule, made of the rows of a log when asked for, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from webstrata.collection.settings import to_text
from webstrata.collection.tables import SHOWN, Rows, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from webstrata.invitro.judge.log import Log

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Violation:
    """One violation: the line of the log, the line it collides with, and by how much."""

    rule: str
    line: int
    other_line: int | None
    host: str | None
    ip: str
    url: str | None
    seconds: float | None
    """From the end of the other to the start of this; below 0 they overlap. None where time is no matter."""
    required: float | None
    """What `seconds` had to be."""

    def tell(self) -> str:
        """What happened, as a phrase.

        Examples
        --------
        >>> Violation("host_gap", 3, 2, "a.uk", "127.0.0.1", "http://a.uk/", 1.5, 4.0).tell()
        'http://a.uk/, 1.500000 s after the end of line 2, not 4s'
        """
        what = self.url or self.ip
        if self.rule.startswith("ip_") and self.url:
            what = f"{self.ip} for {self.url}"
        other = "" if self.other_line is None else f"line {self.other_line}"
        if self.seconds is None:
            return f"{what}, after {other}" if other else what
        if self.seconds < 0:
            return f"{what}, {-self.seconds:.6f} s before the end of {other}"
        gap = f"{what}, {self.seconds:.6f} s after the end of {other}"
        return gap if self.required is None else f"{gap}, not {to_text(self.required, 'seconds')}"


@dataclass(frozen=True)
class Violations(Sequence[Violation]):
    """All violations of a rule in the order of their lines, made when asked for."""

    rule: str
    log: Log
    lines: Numbers
    others: Numbers
    rows: Numbers
    """Of the log's requests, or of its connections."""
    microseconds: Numbers | None = None
    required: Numbers | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, place: int) -> Violation: ...
    @overload
    def __getitem__(self, place: slice) -> list[Violation]: ...
    def __getitem__(self, place: int | slice) -> Violation | list[Violation]:
        if isinstance(place, slice):
            return [self[index] for index in range(*place.indices(len(self)))]
        log, row = self.log, int(self.rows[place])
        if self.rule == "ip_connections":
            host, url, ip = None, None, log.ips[int(log.connections[row, 2])]
        else:
            host, ip = log.hosts[int(log.host[row])], log.ips[int(log.ip[row])]
            url = f"http://{host}{log.urls[int(log.url[row])][1]}"
        other = int(self.others[place])
        return Violation(
            rule=self.rule,
            line=int(self.lines[place]),
            other_line=other if other > 0 else None,
            host=host,
            ip=ip,
            url=url,
            seconds=None if self.microseconds is None else int(self.microseconds[place]) / 1e6,
            required=None if self.required is None else int(self.required[place]) / 1e6,
        )

    def __iter__(self) -> Iterator[Violation]:
        return (self[place] for place in range(len(self)))


class ViolationTable(Table):
    """The violations of a rule as a table, made when asked for."""

    shown = 3

    def __init__(self, violations: Violations) -> None:
        self.name, self._violations = "violations", violations

    def to_rows(self) -> Iterator[dict[str, Any]]:
        """One row per violation."""
        return ({"line": each.line, "violation": each.tell()} for each in self._violations)

    def preview(self, number: int = SHOWN) -> tuple[pa.Table, int]:
        """The first violations, and how many there are."""
        rows = [{"line": each.line, "violation": each.tell()} for each in self._violations[:number]]
        return Rows(self.name, rows).to_arrow(), len(self._violations)
