"""Curves of a crawl over time: rates and sizes of the last hour, as points of lines from zero."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from webstrata.errors import WebstrataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOUR = 3600.0
POINTS = 180
"""Points of a curve at most."""
WIDTH, HEIGHT = 300, 72
CURVES = (
    ("pages", "pages/s", True),
    ("front", "hosts ready", False),
    ("waiting", "URLs queued", False),
    ("failed", "failed requests/s", True),
)
"""Of each curve the counter, what it shows, and whether that is its growth per second."""


def read_curves(path: Path, seconds: float | None = HOUR) -> list[dict[str, Any]]:
    """The curves of a series of a crawl, of its last seconds or of all; none where there is no series.

    Examples
    --------
    >>> from webstrata import testing
    >>> read_curves(testing.scratch() / "series.jsonl")
    []
    """
    from webstrata.crawl.series import read_series

    if not path.exists():
        return []
    try:
        rows = read_series(path)
    except WebstrataError:
        return []
    for row in rows:
        row["failed"] = sum(int(row[name]) for name in row if name.startswith("failed_"))
    if seconds is not None and rows:
        rows = [row for row in rows if row["seconds"] >= rows[-1]["seconds"] - seconds]
    return draw_curves(rows)


def draw_curves(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each curve with its last and its largest value, and the points of its line.

    Examples
    --------
    >>> rows = [{"seconds": second, "pages": 7 * second, "front": 3} for second in range(4)]
    >>> pages, front = draw_curves(rows)
    >>> pages["name"], pages["last"], pages["most"], pages["points"]
    ('pages/s', 7.0, 7.0, '100,4 200,4 300,4')
    >>> front["last"]
    3.0
    """
    if len(rows) < 2:
        return []
    step = max(1, -(-len(rows) // POINTS))
    kept = [*rows[::step], *([rows[-1]] if (len(rows) - 1) % step else [])]
    start, span = kept[0]["seconds"], max(kept[-1]["seconds"] - kept[0]["seconds"], 1e-9)
    found = []
    for counter, name, is_rate in CURVES:
        values = [(row["seconds"], float(row[counter])) for row in kept if counter in row]
        if is_rate:
            values = [
                (later, max(high - low, 0.0) / (later - sooner))
                for (sooner, low), (later, high) in pairwise(values)
                if later > sooner
            ]
        if not values:
            continue
        most = max(value for _, value in values)
        points = [
            f"{WIDTH * (second - start) / span:.4g},{HEIGHT - (HEIGHT - 4) * value / (most or 1):.4g}"
            for second, value in values
        ]
        found.append(
            {
                "name": name,
                "last": values[-1][1],
                "most": most,
                "seconds": span,
                "points": " ".join(points),
                "width": WIDTH,
                "height": HEIGHT,
            }
        )
    return found
