"""The document slope curve: main content is where tags are rare (STORE, Removing noise; Pinto et al. 2002).

A page is a sequence of N bits, b_n = 1 where the nth token is a tag and 0 where it is a word. The curve is
the cumulative sum of the bits, and main content is its plateau:

    maximize over i ≤ j   Σ_{n<i} b_n + Σ_{i≤n≤j} (1 − b_n) + Σ_{n>j} b_n

The sum is that of all tags plus Σ_{i≤n≤j} (1 − 2 b_n), so with S_n = Σ_{m<n} (1 − 2 b_m) what is wanted is
the largest S_{j+1} − S_i: for each j the smallest S_i before it, in one pass.

It finds one plateau, and only where tags outnumber words outside of it. The better way is to look for
*sections* of low slope: the slope at a token is the share of tags among the tokens around it, and content is
where it is less than a share of the slope of the whole page, over some length.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from webstrata.store.main_content.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

WINDOW = 50
"""Tokens around a token over which its slope is taken."""
LOW = 0.75
"""A slope is low that is less than this share of the page's."""
MIN_WORDS = 50
"""Words of the shortest section that is kept."""


def find_plateau(bits: Sequence[int] | npt.NDArray[np.int8]) -> tuple[int, int]:
    """The first and the last token of the plateau; the shortest of the best, the first of those.

    Examples
    --------
    >>> find_plateau([1, 1, 0, 0, 1, 0, 0, 0, 1, 1])
    (2, 7)
    >>> find_plateau([])
    (0, -1)
    """
    if not len(bits):
        return 0, -1
    sums = np.concatenate(([0], np.cumsum(1 - 2 * np.asarray(bits, np.int64))))
    lowest = np.minimum.accumulate(sums[:-1])
    j = int(np.argmax(sums[1:] - lowest))
    i = j - int(np.argmin(sums[j::-1]))
    return i, j


def find_low_slopes(
    bits: Sequence[int] | npt.NDArray[np.int8], *, window: int = WINDOW, low: float = LOW
) -> npt.NDArray[np.bool_]:
    """Which tokens lie in a section of low slope, by sums over `window` tokens.

    Examples
    --------
    >>> find_low_slopes([1, 1, 1, 0, 0, 0, 1, 1], window=3).nonzero()[0].tolist()
    [3, 4, 5]
    """
    size = len(bits)
    if not size:
        return np.zeros(0, bool)
    sums = np.concatenate(([0], np.cumsum(np.asarray(bits, np.int64))))
    places = np.arange(size)
    first = np.maximum(places - window // 2, 0)
    after = np.minimum(places + (window - window // 2), size)
    slopes = (sums[after] - sums[first]) / (after - first)
    found: npt.NDArray[np.bool_] = slopes < low * sums[-1] / size
    return found


def extract_plateau(page: str) -> str:
    """The words of the plateau of a page.

    Examples
    --------
    >>> extract_plateau("<nav><a>One</a><a>Two</a></nav><p>A tale of six longer words.<p><a>End</a>")
    'A tale of six longer words.'
    """
    words, bits = _read(page)
    first, last = find_plateau(bits)
    return " ".join(word for word in words[first : last + 1] if word)


def extract_low_slopes(
    page: str, *, window: int = WINDOW, low: float = LOW, min_words: int = MIN_WORDS
) -> str:
    """The words in sections of low slope, a line for each section.

    Examples
    --------
    >>> page = "<a>x</a>" * 40 + " word" * 80 + "<a>y</a>" * 40
    >>> extract_low_slopes(page).split().count("word")
    80
    """
    words, bits = _read(page)
    is_low = find_low_slopes(bits, window=window, low=low).tolist()
    lines = []
    for is_kept, run in groupby(zip(is_low, words, strict=True), key=lambda pair: pair[0]):
        line = [word for _, word in run if word]
        if is_kept and len(line) >= min_words:
            lines.append(" ".join(line))
    return "\n".join(lines)


def find_sections(text: str, tags: Sequence[int]) -> list[int]:
    """Where sections of low slope begin and end in a text, in bytes, as the store keeps them.

    The text and its tags are those of `webstrata.web.html.scan`. They are not quite the tokens of the page:
    what no reader sees has no words there, but tags.

    Examples
    --------
    >>> from webstrata.web.html import scan
    >>> page = scan(b"<p>x</p>" * 40 + b"<p>" + b" word" * 80 + b"<p>y</p>" * 40, text=True)
    >>> [begin, end] = find_sections(page.text, page.tags)
    >>> page.text[begin:end].split().count("word")
    80
    """
    tokens: list[tuple[int, int]] = []
    waiting = iter([*tags, 1 << 32])
    tag = next(waiting)
    for word in re.finditer(rb"[^ \n]+", text.encode()):
        while tag <= word.start():
            tokens.append((tag, tag))
            tag = next(waiting)
        tokens.append(word.span())
    tokens += [(place, place) for place in (tag, *waiting) if place < 1 << 32]
    is_low = find_low_slopes([int(begin == end) for begin, end in tokens]).tolist()
    places = []
    for is_kept, run in groupby(zip(is_low, tokens, strict=True), key=lambda pair: pair[0]):
        words = [span for _, span in run if span[0] < span[1]]
        if is_kept and len(words) >= MIN_WORDS:
            places += [words[0][0], words[-1][1]]
    return places


def _read(page: str) -> tuple[list[str], npt.NDArray[np.int8]]:
    """The tokens of a page, an empty word for a tag, and their bits."""
    words: list[str] = []
    for name, text in tokenize(page):
        if name:
            words.append("")
        else:
            words += text.split()
    return words, np.fromiter((not word for word in words), np.int8, len(words))
