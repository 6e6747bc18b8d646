"""Which of the snapshots that a continuous crawl has cut are kept: ``monthly:24,yearly:12``.

A rule keeps the newest snapshot of each of the last so many days, weeks, months or years that have one. What
no rule keeps is removed. Without rules everything is kept.
"""

from __future__ import annotations

import re

from webstrata.collection.snapshot_dates import parse_snapshot_date
from webstrata.crawl.schedule.calendar import CUTS, label_of
from webstrata.errors import SettingError

_RULE = re.compile(rf"\s*({'|'.join(CUTS)}):([1-9]\d{{0,3}})\s*")


def parse_keep(text: str) -> list[tuple[str, int]]:
    """The rules in a text.

    Examples
    --------
    >>> parse_keep("monthly:24, yearly:12")
    [('monthly', 24), ('yearly', 12)]
    >>> parse_keep("hourly:3")
    Traceback (most recent call last):
    webstrata.errors.SettingError: keep 'hourly:3': write it as monthly:24,yearly:12; known are daily, weekly,
    monthly, yearly
    """
    rules = []
    for part in text.split(",") if text.strip() else ():
        found = _RULE.fullmatch(part)
        if found is None:
            known = ", ".join(CUTS)
            raise SettingError(f"keep {text!r}: write it as monthly:24,yearly:12; known are {known}")
        rules.append((found[1], int(found[2])))
    return rules


def find_superfluous(labels: list[str], rules: list[tuple[str, int]]) -> list[str]:
    """The snapshots that no rule keeps, the oldest first.

    Examples
    --------
    >>> find_superfluous(["2025-11", "2025-12", "2026-01", "2026-02"], [("monthly", 2), ("yearly", 2)])
    ['2025-11']
    """
    kept: set[str] = set()
    newest_first = sorted(labels, reverse=True)
    for cut, number in rules:
        newest: dict[str, str] = {}
        for label in newest_first:
            newest.setdefault(label_of(parse_snapshot_date(label).timestamp(), cut), label)
        kept.update(list(newest.values())[:number])
    return [label for label in sorted(labels) if label not in kept] if rules else []
