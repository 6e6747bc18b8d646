"""Dates of snapshots, and ranges of them."""

from __future__ import annotations

import datetime as dt
import re

from webstrata.errors import DateError

_FORMS = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d", 15: "%Y-%m-%dT%H%M"}


def check_date(label: str) -> str:
    """`label` if it is the date of a snapshot, or `DateError`.

    Examples
    --------
    >>> check_date("2026-06")
    '2026-06'
    >>> check_date("2026-13")
    Traceback (most recent call last):
    webstrata.errors.DateError: snapshot '2026-13': not a date; write it as 2026, 2026-06, 2026-06-12 or
    2026-06-12T1830
    """
    parse_snapshot_date(label)
    return label


def parse_snapshot_date(label: str) -> dt.datetime:
    """The first moment of the time that a label stands for, or `DateError`.

    Examples
    --------
    >>> parse_snapshot_date("2026-06").isoformat()
    '2026-06-01T00:00:00+00:00'
    """
    try:
        if re.fullmatch(r"[\dT-]+", label, re.ASCII):
            return dt.datetime.strptime(label, _FORMS[len(label)]).replace(tzinfo=dt.UTC)
    except (KeyError, ValueError):
        pass
    raise DateError(
        f"snapshot {label!r}: not a date; write it as 2026, 2026-06, 2026-06-12 or 2026-06-12T1830"
    )


def expand_range(word: str, known: list[str]) -> list[str]:
    """The dates of snapshots that one date or one range stands for.

    Examples
    --------
    >>> expand_range("2026-02..", ["2026-01", "2026-02", "2026-03"])
    ['2026-02', '2026-03']
    """
    first, dots, last = (part.strip() for part in word.partition(".."))
    listed = ", ".join(known) or "none yet"
    for label in (first, last):
        if label and label not in known:
            raise DateError(f"snapshots {word}: no snapshot {label}; known are {listed}")
    if not dots:
        if not first:
            raise DateError(f"snapshots: a date is missing between commas; known are {listed}")
        return [first]
    found = [label for label in known if (not first or label >= first) and (not last or label <= last)]
    if not found:
        raise DateError(f"snapshots {word}: the range ends before it begins; write the older date first")
    return found


def is_date(name: str) -> bool:
    """Whether a text is the date of a snapshot.

    Examples
    --------
    >>> is_date("2026-06"), is_date("june")
    (True, False)
    """
    try:
        return bool(check_date(name))
    except DateError:
        return False
