r"""Where main content stands in the visible text of a page, whatever found it.

A snapshot keeps main content as places in its text, so that no sentence is stored twice. `slope.find_main`
finds sections of the text itself. `dom` chooses blocks of the page by its elements, and these are looked for
in the text, one behind the other: white space may differ (a no-break space is a blank to one of the two), and
what is not there, since the other does not count it as visible, is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webstrata.store.main_content.dom import extract_filtered
from webstrata.store.main_content.slope import find_main
from webstrata.store.main_content.tokens import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_REACH = 1 << 16
"""Characters of the text in which a line is looked for: those that are there stand near to one another."""
_MISSES = 100
"""Lines that are not there, after which no more are looked for; or the time were not linear in the page."""


def locate(lines: Iterable[str], text: str) -> list[int]:
    r"""Where lines stand in a text, in bytes, in turn: begin, end, begin, end.

    Lines that follow each other in the text too are one piece.

    Examples
    --------
    >>> locate(["A tale.", "Its end."], "Menü\nA\u00a0tale.\nIts end.\nLegal")
    [6, 23]
    >>> locate(["not there", "Legal"], "Menü\nLegal")
    [6, 11]
    """
    spans: list[tuple[int, int]] = []
    misses, at = 0, 0
    for line in lines:
        words = line.split()
        if not words or misses > _MISSES:
            continue
        begin = text.find(line, at, at + _REACH)
        end = begin + len(line)
        if begin < 0:
            found = re.compile(r"\s*".join(map(re.escape, words))).search(text, at, at + _REACH)
            if found is None:
                misses += 1
                continue
            begin, end = found.span()
        if spans and not text[at:begin].strip():
            begin = spans.pop()[0]
        spans.append((begin, end))
        at = end
    places, before, size = [], 0, 0
    for place in (place for span in spans for place in span):
        size += len(text[before:place].encode("utf-8", "replace"))
        places.append(size)
        before = place
    return places


def find_places(
    method: str, text: str, tags: Sequence[int], body: bytes, *, charset: str | None = None
) -> list[int]:
    r"""Where the main content of a page stands in its text, found as `StoreSettings.main` says.

    Parameters
    ----------
    method
        ``low-slope`` or ``dom``.
    text, tags
        As `webstrata.web.html.scan` finds them.
    body, charset
        The page, and the label of its header.

    Examples
    --------
    >>> from webstrata.web.html import scan
    >>> body = b"<ul><li><a href=/>Home</a></ul><p>" + b"A longer sentence, and another one. " * 3
    >>> page = scan(body, text=True)
    >>> find_places("dom", page.text, page.tags, body), page.text[:5]
    ([5, 112], 'Home\n')
    >>> find_places("low-slope", page.text, page.tags, body)
    []
    """
    if method == "dom":
        return locate(extract_filtered(decode(body, charset=charset)).split("\n"), text)
    return find_main(text, tags)
