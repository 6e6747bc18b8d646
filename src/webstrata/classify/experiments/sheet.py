"""A table of SPAM as it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PaperTable:
    """A table as it is printed, with what it is called in SPAM."""

    key: str
    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""


def three(value: float) -> str:
    """A number with three digits, as the tables have it.

    Examples
    --------
    >>> three(0.8594)
    '0.859'
    """
    return f"{value:.3f}"
