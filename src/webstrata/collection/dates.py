"""Dates that users type, and the snapshot that a date stands for.

One rule holds for every `--at`, `--from` and `--to`, and for `at`, `start` and `end` in Python. A date is
2026, 2026-06, 2026-06-12, 2026-06-12T18, 2026-06-12T1830 or 20260612183000, with or without its separators,
in UTC. It stands for the whole period: *at* a date means until the end of it, *from* its beginning, *to* its
end. A question about a date is answered by the last snapshot that begins at or before that moment; a date
after the last snapshot means the last one, and a date before the first is refused.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from webstrata.collection.snapshot_dates import parse_snapshot_date
from webstrata.errors import DateError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORMS = {4: "%Y", 6: "%Y%m", 8: "%Y%m%d", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
_SECONDS = {8: 86_400, 10: 3_600, 12: 60, 14: 1}
FORMS = "2026, 2026-06, 2026-06-12, 2026-06-12T1830 or 20260612183000"


def parse_period(text: str) -> tuple[dt.datetime, dt.datetime]:
    """The first moment of a date, and the first moment after it, or `UsageError`.

    Examples
    --------
    >>> [moment.isoformat() for moment in parse_period("2026-06")]
    ['2026-06-01T00:00:00+00:00', '2026-07-01T00:00:00+00:00']
    >>> parse_period("2026-13")
    Traceback (most recent call last):
    webstrata.errors.UsageError: '2026-13' is not a date; write it as 2026, 2026-06, 2026-06-12,
    2026-06-12T1830 or 20260612183000
    """
    digits = to_digits(text)
    start = dt.datetime.strptime(digits, _FORMS[len(digits)]).replace(tzinfo=dt.UTC)
    try:
        if len(digits) in _SECONDS:
            return start, start + dt.timedelta(seconds=_SECONDS[len(digits)])
        if len(digits) == 6 and start.month < 12:
            return start, start.replace(month=start.month + 1)
        return start, start.replace(year=start.year + 1, month=1)
    except (ValueError, OverflowError):
        raise _refuse(text) from None


def to_digits(text: str) -> str:
    """A date as a prefix of a timestamp of 14 digits, or `UsageError`.

    Examples
    --------
    >>> to_digits("2026-06-12T1830")
    '202606121830'
    """
    digits = re.sub(r"[-:TZ ]", "", text)
    try:
        if re.fullmatch(r"\d{4,14}", digits, re.ASCII):
            dt.datetime.strptime(digits, _FORMS[len(digits)]).replace(tzinfo=dt.UTC)
            return digits
    except (KeyError, ValueError):
        pass
    raise _refuse(text)


def find_last(labels: Sequence[str], at: str) -> str:
    """The last snapshot of a sorted list at or before a date, or `DateError`.

    Examples
    --------
    >>> find_last(["2026-01", "2026-03"], "2026-02-10"), find_last(["2026-01", "2026-03"], "2030")
    ('2026-01', '2026-03')
    >>> find_last(["2026-01", "2026-03"], "2025")
    Traceback (most recent call last):
    webstrata.errors.DateError: 2025 is before the first snapshot, 2026-01; give that date or a later one
    """
    end = parse_period(at)[1]
    if at in labels:
        return at
    found = [label for label in labels if parse_snapshot_date(label) < end]
    if not found:
        first = f", {labels[0]}; give that date or a later one" if labels else ""
        raise DateError(f"{at} is before the first snapshot{first}")
    return found[-1]


def find_range(labels: Sequence[str], start: str | None = None, end: str | None = None) -> list[str]:
    """The snapshots of a sorted list between two dates, both included, or `DateError` where there is none.

    Examples
    --------
    >>> find_range(["2026-01", "2026-02", "2026-03"], "2026-02")
    ['2026-02', '2026-03']
    >>> find_range(["2026-01", "2026-02"], end="2026-01-31")
    ['2026-01']
    """
    first = parse_period(start)[0] if start else None
    last = parse_period(end)[1] if end else None
    if first and last and first >= last:
        raise DateError(f"the range begins with {start}, after its end, {end}; write the earlier date first")
    found = [
        label
        for label in labels
        if (first is None or parse_snapshot_date(label) >= first or label == start)
        and (last is None or parse_snapshot_date(label) < last)
    ]
    if not found:
        words = " ".join(
            f"{name} {date}" for name, date in (("from", start), ("to", end)) if date is not None
        )
        known = ", ".join(labels) or "none"
        raise DateError(f"no snapshot is in the range {words}; there are {known}")
    return found


def _refuse(text: str) -> UsageError:
    return UsageError(f"{text!r} is not a date; write it as {FORMS}")
