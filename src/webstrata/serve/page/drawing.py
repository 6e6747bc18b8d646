"""Numbers, URLs and charts as templates write them: digits in groups, points of lines, places of nodes."""

from __future__ import annotations

import math
import re
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from webstrata.collection.cells import UNKNOWN, show_time, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.serve.page.view import TimeMark

_ESCAPES = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
"""Escaped bytes of other letters than those of ASCII."""


def show_number(value: float | None) -> str:
    """A number for people, as tables of the command line and the report have it; a dash for none.

    Examples
    --------
    >>> show_number(1234567), show_number(0.00123), show_number(12.0), show_number(None)
    ('1,234,567', '0.00123', '12', '–')
    """
    if value is None or value != value:
        return UNKNOWN
    if float(value).is_integer() and abs(value) < 1e15:
        return write(int(value))
    return write(float(value))


def show_rate(value: float | None) -> str:
    """Something per second: a digit after the point, none from a hundred on.

    Examples
    --------
    >>> show_rate(12.34), show_rate(1842.4), show_rate(0)
    ('12.3', '1,842', '0')
    """
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value >= 100 or float(value).is_integer() else f"{value:,.1f}"


def show_seconds(value: float) -> str:
    """A duration for people, as the command line writes it; below ten seconds with a fraction.

    Examples
    --------
    >>> show_seconds(0.02), show_seconds(3.25), show_seconds(95), show_seconds(7300)
    ('20 ms', '3.2 s', '1:35', '2:01:40')
    """
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 10 else show_time(value)


def show_url(url: str) -> str:
    """A URL for people: without ``http://``, its letters in their own script where they are plain ones.

    Examples
    --------
    >>> show_url("https://xn--bcher-kva.example/%E9%AD%9A?q=a%20b")
    'bücher.example/魚?q=a%20b'
    >>> show_url("http://a.example/%E2%80%AEgnp.exe")  # would turn the text round
    'a.example/%E2%80%AEgnp.exe'
    """
    text = url.removeprefix("https://").removeprefix("http://")
    host, slash, rest = text.partition("/")
    if "xn--" in host:
        with suppress(UnicodeError):
            host = host.encode("ascii").decode("idna")
    return f"{host}{slash}{_ESCAPES.sub(_unescape, rest)}"


def _unescape(found: re.Match[str]) -> str:
    try:
        text = unquote_to_bytes(found[0]).decode("utf-8")
    except UnicodeDecodeError:
        return found[0]
    return text if all(unicodedata.category(one)[0] in "LMN" for one in text) else found[0]


def split_url(url: str, most: int = 6) -> list[str]:
    """The host of a URL and the steps of its path, as a line of crumbs.

    Examples
    --------
    >>> split_url("https://example.org/fish/tropical/?q=1"), split_url("http://example.org/")
    (['example.org', 'fish', 'tropical', '?q=1'], ['example.org'])
    """
    path, mark, query = show_url(url).partition("?")
    steps = [*filter(None, path.split("/")), *([mark + query] if mark else [])]
    return steps if len(steps) <= most else [*steps[:2], "…", *steps[3 - most :]]


def scale_bars(counts: Sequence[int], height: int = 40) -> list[int]:
    """The height of each bar of a histogram from zero; what is not zero is at least visible.

    Examples
    --------
    >>> scale_bars([0, 1, 50, 100])
    [0, 2, 20, 40]
    """
    most = max(counts, default=0)
    return [0 if not count else max(2, round(height * count / most)) for count in counts]


def stack_bars(marks: Sequence[TimeMark], height: int = 64) -> list[list[dict[str, Any]]]:
    """The pieces of each bar of the time strip, from the bottom: same, changed, new pages, and those gone.

    Examples
    --------
    >>> from webstrata.serve.page.view import TimeMark
    >>> stack_bars([TimeMark("2026-06", 100, new=10, changed=20, gone=28)])[0][1:3]
    [{'kind': 'changed', 'y': 19, 'height': 10}, {'kind': 'new', 'y': 14, 'height': 5}]
    """
    most = max((mark.count + (mark.gone or 0) for mark in marks), default=0) or 1
    found = []
    for mark in marks:
        new, changed = mark.new or 0, mark.changed or 0
        numbers = {"same": mark.count - new - changed, "changed": changed, "new": new, "gone": mark.gone or 0}
        y, pieces = height, []
        for kind, number in numbers.items():
            size = max(1, round(height * number / most)) if number > 0 else 0
            y -= size
            if size:
                pieces.append({"kind": kind, "y": y, "height": size})
        found.append(pieces)
    return found


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


def shorten_line(one: dict[str, Any], other: dict[str, Any], gap: float = 2) -> dict[str, float]:
    """The ends of a line from one circle to another, outside of both.

    Examples
    --------
    >>> shorten_line({"x": 0, "y": 0, "r": 5}, {"x": 100, "y": 0, "r": 10}, 0)
    {'x1': 5.0, 'y1': 0.0, 'x2': 90.0, 'y2': 0.0}
    """
    dx, dy = other["x"] - one["x"], other["y"] - one["y"]
    far = math.hypot(dx, dy) or 1.0
    first, last = (one["r"] + gap) / far, 1 - (other["r"] + gap) / far
    return {
        "x1": round(one["x"] + dx * first, 1),
        "y1": round(one["y"] + dy * first, 1),
        "x2": round(one["x"] + dx * last, 1),
        "y2": round(one["y"] + dy * last, 1),
    }


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
