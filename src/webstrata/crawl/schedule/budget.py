"""Budgets of visits, as people write them: ``20/s``, ``5000/day``, ``0.2/page/day``."""

from __future__ import annotations

import re

from webstrata.errors import SettingError

_PER_DAY = {"s": 86_400.0, "min": 1_440.0, "h": 24.0, "day": 1.0}
_FORM = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<page>/page)?(?:/(?P<unit>s|min|h|day))?")


def parse_budget(text: str, num_pages: int = 1) -> float:
    """A budget in visits per day; ``/page`` counts once per page, a number alone is per day.

    Examples
    --------
    >>> parse_budget("20/s"), parse_budget("0.2/page/day", num_pages=1000), parse_budget("500")
    (1728000.0, 200.0, 500.0)
    >>> parse_budget("20 a second")
    Traceback (most recent call last):
    webstrata.errors.SettingError: budget '20 a second': write it as 20/s, 1000/h, 5000/day or 0.2/page/day
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise SettingError(f"budget {text!r}: write it as 20/s, 1000/h, 5000/day or 0.2/page/day")
    budget = float(found["number"]) * _PER_DAY[found["unit"] or "day"] * (num_pages if found["page"] else 1)
    if not budget:
        raise SettingError(f"budget {text!r}: a budget of 0 visits nothing; give a number above 0")
    return budget
