"""What changed between two captures of a page: lines with context, words inside them, and links."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

from webstrata.errors import UsageError, WebstrataError
from webstrata.store.differences import LineChange, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.store.captures import StoredCapture

MAX_LINES = 2000
"""Lines of a difference that are shown."""
MAX_TEXT = 2_000_000
"""Characters of both captures together that are compared."""
MAX_LINKS = 200
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


def compare_captures(before: StoredCapture, after: StoredCapture, *, source: bool = False) -> dict[str, Any]:
    """The lines that differ, with the words that differ in them, the counts, and the links.

    Examples
    --------
    >>> from webstrata import testing
    >>> url = "http://garden.example/tomatoes"
    >>> april, may, june = (snapshot.capture(url) for snapshot in testing.collection())
    >>> found = compare_captures(april, may)
    >>> found["lines_added"], found["lines_removed"], found["links_added"]
    (1, 1, [])
    >>> [line["mark"] for line in found["lines"]]
    ['@', ' ', '-', '+', ' ', ' ']
    """
    size = sum(len(one.payload) for one in (before, after))
    if size > MAX_TEXT:
        raise UsageError(f"{after.url}: both captures together have {size:,} bytes, too many to compare here")
    found = compare(before, after, source=source)
    lines = mark_words(found.changes)
    links = [_find_links(one) for one in (before, after)]
    words = [
        sum(len(re.findall(r"\w+", piece)) for line in lines if line["mark"] == mark
            for piece, is_marked in line["pieces"] if is_marked)
        for mark in "+-"
    ]  # fmt: skip
    return {
        "lines": lines[:MAX_LINES],
        "is_cut": len(lines) > MAX_LINES,
        "is_same_payload": found.is_same_payload,
        "lines_added": found.added,
        "lines_removed": found.removed,
        "words_added": words[0],
        "words_removed": words[1],
        "links_added": sorted(links[1] - links[0])[:MAX_LINKS],
        "links_removed": sorted(links[0] - links[1])[:MAX_LINKS],
    }


def _find_links(capture: StoredCapture) -> set[str]:
    try:
        return {link.url for link in capture.page.links if link.url}
    except (WebstrataError, ValueError):
        return set()


def mark_words(changes: Sequence[LineChange]) -> list[dict[str, Any]]:
    """Changed lines as pieces, each with whether it differs from the line it replaces.

    Examples
    --------
    >>> lines = mark_words([LineChange("-", "old fish soup"), LineChange("+", "new fish soup")])
    >>> [(line["mark"], [piece for piece, is_marked in line["pieces"] if is_marked]) for line in lines]
    [('-', ['old']), ('+', ['new'])]
    """
    rows: list[dict[str, Any]] = []
    place = 0
    while place < len(changes):
        if changes[place].mark not in "-+":
            rows.append({"mark": changes[place].mark, "pieces": [(changes[place].text, False)]})
            place += 1
            continue
        end = place
        while end < len(changes) and changes[end].mark in "-+":
            end += 1
        block = changes[place:end]
        gone, came = ([one.text for one in block if one.mark == mark] for mark in "-+")
        for mark, lines, others in (("-", gone, came), ("+", came, gone)):
            for number, line in enumerate(lines):
                other = others[number] if number < len(others) else ""
                rows.append({"mark": mark, "pieces": _differ(line, other)})
        place = end
    return rows


def _differ(line: str, other: str) -> list[tuple[str, bool]]:
    if not other or len(line) + len(other) > 20_000:
        return [(line, True)]
    mine, theirs = _WORD.findall(line), _WORD.findall(other)
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    if matcher.quick_ratio() < 0.3:
        return [(line, True)]
    pieces: list[tuple[str, bool]] = []
    end = 0
    for block in matcher.get_matching_blocks():
        if block.a > end:
            pieces.append(("".join(mine[end : block.a]), True))
        if block.size:
            pieces.append(("".join(mine[block.a : block.a + block.size]), False))
        end = block.a + block.size
    return pieces
