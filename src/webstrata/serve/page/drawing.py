"""Numbers and charts as templates write them: grouped digits, sizes, points of lines, places of nodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

THIN = "\u202f"
"""A narrow blank that does not break, between groups of digits."""


def show_number(value: float | None) -> str:
    """A number for people: grouped digits, three significant ones of a fraction, a dash for none.

    Examples
    --------
    >>> show_number(1234567).replace(THIN, "_"), show_number(0.00123), show_number(None)
    ('1_234_567', '0.00123', '–')
    """
    if value is None or value != value:
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", THIN)
    return f"{value:.3g}"


def show_bytes(value: float) -> str:
    """A size in bytes for people.

    Examples
    --------
    >>> show_bytes(517).replace(THIN, " "), show_bytes(10_672_403).replace(THIN, " ")
    ('517 B', '10.7 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.3g}{THIN}{unit}" if unit != "B" else f"{int(value)}{THIN}B"
        value /= 1000
    return f"{value:.3g}{THIN}TB"


def show_seconds(value: float) -> str:
    """A duration for people.

    Examples
    --------
    >>> show_seconds(0.02).replace(THIN, " "), show_seconds(95).replace(THIN, " "), show_seconds(7300)
    ('20 ms', '1 min 35 s', '2 h 1 min')
    """
    if value < 1:
        return f"{value * 1000:.0f}{THIN}ms"
    if value < 60:
        return f"{value:.3g}{THIN}s"
    minutes, seconds = divmod(int(value), 60)
    hours, minutes = divmod(minutes, 60)
    blank = THIN if not hours else " "
    return f"{hours} h {minutes} min" if hours else f"{minutes}{blank}min {seconds}{blank}s"


def scale_bars(counts: Sequence[int], height: int = 40) -> list[int]:
    """The height of each bar of a histogram from zero; what is not zero is at least visible.

    Examples
    --------
    >>> scale_bars([0, 1, 50, 100])
    [0, 2, 20, 40]
    """
    most = max(counts, default=0)
    return [0 if not count else max(2, round(height * count / most)) for count in counts]


def choose_labels(number: int, most: int = 12) -> set[int]:
    """Which of many marks get a label: the first, the last, and some evenly between them.

    Examples
    --------
    >>> sorted(choose_labels(5)), sorted(choose_labels(100, 4))
    ([0, 1, 2, 3, 4], [0, 33, 66, 99])
    """
    if number <= most:
        return set(range(number))
    return {round(place * (number - 1) / (most - 1)) for place in range(most)}


def trace_ranks(
    ranks: Sequence[int | None],
    width: float = 96,
    height: float = 24,
    *,
    least: int = 1,
    most: int | None = None,
) -> dict[str, Any]:
    """Ranks through time as points of lines, rank 1 at the top, on a logarithmic scale.

    Lines break where there is no rank. `lines` are texts for ``points`` of SVG, `dots` are places.

    Examples
    --------
    >>> found = trace_ranks([1, 10, None, 100], 90, 20)
    >>> found["lines"], found["dots"][-1]
    (['3,3 31,10'], {'x': 87.0, 'y': 17.0, 'rank': 100})
    """
    known = [rank for rank in ranks if rank]
    if not known:
        return {"lines": [], "dots": [], "width": width, "height": height}
    low, high = math.log(least), math.log(max(most or max(known), least + 1))
    step = (width - 6) / max(len(ranks) - 1, 1)
    dots: list[dict[str, Any] | None] = [
        {
            "x": round(3 + place * step if len(ranks) > 1 else width / 2, 1),
            "y": round(3 + (height - 6) * (math.log(rank) - low) / (high - low), 1),
            "rank": rank,
        }
        if rank
        else None
        for place, rank in enumerate(ranks)
    ]
    lines, points = [], []
    for dot in [*dots, None]:
        if dot is not None:
            points.append(f"{dot['x']:g},{dot['y']:g}")
            continue
        if len(points) > 1:
            lines.append(" ".join(points))
        points = []
    return {"lines": lines, "dots": [dot for dot in dots if dot], "width": width, "height": height}


def place_ring(
    number: int, width: float, height: float, *, aside: float = 160, above: float = 32
) -> list[tuple[float, float]]:
    """Places of nodes on an ellipse, from the top clockwise, with room for labels around it.

    Examples
    --------
    >>> place_ring(2, 400, 200)
    [(200.0, 32.0), (200.0, 168.0)]
    """
    angles = [2 * math.pi * place / max(number, 1) - math.pi / 2 for place in range(number)]
    return [
        (
            round(width / 2 + math.cos(angle) * (width / 2 - aside), 1),
            round(height / 2 + math.sin(angle) * (height / 2 - above), 1),
        )
        for angle in angles
    ]


def shorten(text: str, most: int) -> str:
    """A text with its middle left out where it is too long.

    Examples
    --------
    >>> shorten("what-is-flink/community/", 15)
    'what-i…mmunity/'
    """
    return text if len(text) <= most else f"{text[: most // 2 - 1]}…{text[-(most - most // 2) :]}"


def drop_prefix(names: Sequence[str]) -> str:
    """The longest beginning that names have in common, up to a slash or dot; empty if it is short.

    Examples
    --------
    >>> drop_prefix(["http://a.org/docs/x", "http://a.org/docs/y"]), drop_prefix(["http://a.org/", "http://b.org/"])
    ('http://a.org/docs/', 'http://')
    """
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    equal = next((place for place, (one, other) in pairs if one != other), len(first))
    return first[: first.rfind("/", 0, equal) + 1]
