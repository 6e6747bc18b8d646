"""When snapshots of a continuous crawl begin and end, and the dates that name them; all in UTC."""

from __future__ import annotations

import datetime as dt

CUTS = ("daily", "weekly", "monthly", "yearly")
"""How often a snapshot can end."""


def begin_of(moment: float, cut: str) -> dt.datetime:
    """When the snapshot began that a moment belongs to.

    Examples
    --------
    >>> begin_of(dt.datetime(2026, 6, 12, tzinfo=dt.UTC).timestamp(), "weekly").isoformat()
    '2026-06-08T00:00:00+00:00'
    """
    now = dt.datetime.fromtimestamp(moment, dt.UTC)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if cut == "weekly":
        return day - dt.timedelta(days=day.weekday())
    if cut == "monthly":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if cut == "yearly" else day


def end_of(moment: float, cut: str) -> dt.datetime:
    """When that snapshot is cut.

    Examples
    --------
    >>> end_of(dt.datetime(2026, 12, 12, tzinfo=dt.UTC).timestamp(), "monthly").isoformat()
    '2027-01-01T00:00:00+00:00'
    """
    begin = begin_of(moment, cut)
    if cut in ("daily", "weekly"):
        return begin + dt.timedelta(days=1 if cut == "daily" else 7)
    # any day of the next month or year
    return begin_of((begin + dt.timedelta(days=32 if cut == "monthly" else 370)).timestamp(), cut)


def label_of(moment: float, cut: str) -> str:
    """The date that names the snapshot.

    Examples
    --------
    >>> label_of(dt.datetime(2026, 12, 12, tzinfo=dt.UTC).timestamp(), "monthly")
    '2026-12'
    """
    form = {"monthly": "%Y-%m", "yearly": "%Y"}.get(cut, "%Y-%m-%d")
    return begin_of(moment, cut).strftime(form)
