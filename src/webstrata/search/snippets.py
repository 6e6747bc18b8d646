"""Snippets: the piece of a text that has most of the words that were asked for, with these marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata._core.search import Analyzer

WIDTH = 160
"""Bytes of a snippet, roughly."""
MAX_TEXT = 1 << 18
"""Bytes of a text that are looked at."""
MARKS = ("", "")


def make_snippet(
    analyzer: Analyzer,
    text: str,
    terms: Sequence[str],
    *,
    width: int = WIDTH,
    marks: tuple[str, str] = MARKS,
) -> str:
    """The window of a text with most different terms, then with most words of them, then the first one.

    Examples
    --------
    >>> from webstrata._core.search import Analyzer
    >>> from webstrata.web.words import load_core
    >>> analyzer = Analyzer(load_core(), "porter")
    >>> make_snippet(analyzer, "No such thing. " * 9 + "A fish is fishing for fishes.", ["fish"], width=40)
    '… A fish is fishing for fishes.'
    >>> make_snippet(analyzer, "Nothing here", ["fish"])
    'Nothing here'
    """
    text = text[:MAX_TEXT]
    data = text.encode()
    places = analyzer.places(text, list(terms))
    begin, end = _choose_window(data, places, width)
    pieces, last = [], begin
    for start, stop, _ in places:
        if begin <= start and stop <= end:
            pieces += [data[last:start].decode(errors="ignore"), marks[0]]
            pieces += [data[start:stop].decode(errors="ignore"), marks[1]]
            last = stop
    pieces.append(data[last:end].decode(errors="ignore"))
    shown = " ".join("".join(pieces).split())
    return f"{'… ' if begin else ''}{shown}{' …' if end < len(data.rstrip()) else ''}"


def _choose_window(data: bytes, places: Sequence[tuple[int, int, int]], width: int) -> tuple[int, int]:
    """Where the best window begins and ends, at blanks."""
    best, chosen = (0, 0), (0, 0)
    for number, (first, _, _) in enumerate(places):
        inside = []
        for start, stop, term in places[number:]:
            if stop - first > width:
                break
            inside.append((start, stop, term))
        worth = (len({term for _, _, term in inside}), len(inside))
        if inside and worth > best:
            best, chosen = worth, (first, inside[-1][1])
    spare = max(width - (chosen[1] - chosen[0]), 0)
    begin = max(chosen[0] - spare // 3, 0)
    end = min(begin + max(width, chosen[1] - chosen[0]), len(data))
    if begin and (blank := _find_blank(data, begin, chosen[0])) >= 0:
        begin = blank + 1
    if end < len(data):
        blanks = [place for place in range(chosen[1], end) if data[place : place + 1].isspace()]
        end = blanks[-1] if blanks else max(chosen[1], end)
    return begin, end


def _find_blank(data: bytes, begin: int, end: int) -> int:
    return next((place for place in range(begin, end) if data[place : place + 1].isspace()), -1)
