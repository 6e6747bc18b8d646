"""What a page shows, as plain data: the HTML template and the JSON document have the same content.

The JSON document of every page::

    {"rows": [...], "next": cursor or null, "made_by": "webstrata …", "python": "collection.…",
     "missing": [{"what": …, "command": …}], …facts of the page}
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.collection.action import Action


@dataclass(frozen=True)
class MissingPart:
    """Something that cannot be shown because it was not built, and the command that builds it."""

    what: str
    command: str


@dataclass(frozen=True)
class TimeMark:
    """One snapshot on the time strip: its date, a count, and whether the page is about it."""

    date: str
    count: int
    is_chosen: bool = True
    new: int | None = None
    changed: int | None = None
    gone: int | None = None
    """Pages that came, changed and went since the snapshot before; none where that is not known."""


@dataclass
class PageView:
    """The content of one page."""

    name: str
    """Of the page and of its template."""
    title: str
    action: Action
    """What gives the same on the command line and in Python."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    next: str | None = None
    """The cursor of the next rows; none where these are the last."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Everything else that the page shows, by name."""
    also: Action | None = None
    """What gives the rest, where no single command gives all."""
    missing: list[MissingPart] = field(default_factory=list)
    marks: list[TimeMark] = field(default_factory=list)
    """The time strip; empty for the one of the collection."""
    unit: str = "pages"
    """What the strip counts."""
    is_live: bool = False
    """Whether it may change without a build, so that no cache may keep it."""

    @property
    def python(self) -> str:
        """The expression that gives the same after ``import webstrata``."""
        calls = []
        for action in filter(None, (self.action, self.also)):
            snapshot = f"[{action.snapshot!r}]" if action.snapshot else ""
            calls.append(f"webstrata.open({action.collection!r}){snapshot}.{action.method}")
        return ", ".join(calls)

    @property
    def command(self) -> str:
        """The command that gives the same."""
        return " && ".join(action.command for action in filter(None, (self.action, self.also)))

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "rows": self.rows,
            "next": self.next,
            "made_by": self.command,
            "python": self.python,
            "missing": [{"what": one.what, "command": one.command} for one in self.missing],
            "time": {
                "unit": self.unit,
                "snapshots": [{"date": one.date, "count": one.count} for one in self.marks],
            },
            **self.facts,
        }


def write_cursor(offset: int) -> str:
    """The cursor for the rows from `offset` on.

    Examples
    --------
    >>> read_cursor(write_cursor(40))
    40
    """
    return base64.urlsafe_b64encode(str(offset).encode()).decode().rstrip("=")


def read_cursor(cursor: str | None, most: int = 1_000_000) -> int:
    """The offset that a cursor stands for, 0 for none, or `UsageError`.

    Examples
    --------
    >>> read_cursor(None), read_cursor("MjA")
    (0, 20)
    >>> read_cursor("what")
    Traceback (most recent call last):
    webstrata.errors.UsageError: cursor: 'what' is not a cursor; use the value of `next` ...
    """
    if not cursor:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        if text.isdecimal() and len(text) < 10 and int(text) <= most:
            return int(text)
    except (binascii.Error, ValueError):
        pass
    raise UsageError(f"cursor: {cursor[:40]!r} is not a cursor; use the value of `next` of an earlier page")


def paginate(
    rows: list[dict[str, Any]], cursor: str | None, size: int
) -> tuple[list[dict[str, Any]], str | None]:
    """A page of rows, and the cursor of the next one.

    Examples
    --------
    >>> rows = [{"n": number} for number in range(3)]
    >>> shown, cursor = paginate(rows, None, 2)
    >>> shown, paginate(rows, cursor, 2)
    ([{'n': 0}, {'n': 1}], ([{'n': 2}], None))
    """
    start = read_cursor(cursor)
    more = write_cursor(start + size) if start + size < len(rows) else None
    return rows[start : start + size], more


def to_json(value: object) -> bytes:
    """A document as JSON; times as ISO 8601, numbers of NumPy as numbers.

    Examples
    --------
    >>> to_json({"time": dt.datetime(2026, 6, 1, tzinfo=dt.UTC), "share": float("nan")})
    b'{"time": "2026-06-01T00:00:00Z", "share": null}'
    """
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False).encode()


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if value is None or isinstance(value, str | int):
        # a lone surrogate is no text that can be sent
        return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
    if isinstance(value, dt.datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)
