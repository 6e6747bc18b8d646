"""BM25 in plain Python, over lists of words."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING

from webstrata._core.search import LENGTHS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

K1, B = 1.2, 0.75


def lucene_length(length: int) -> int:
    """What is left of a length in one byte, as Lucene keeps it (SmallFloat.intToByte4, with 24 exact before).

    A number from 24 on is kept, less 24, with four significant bits.
    """
    if length < 24:
        return length
    rest = length - 24
    shift = max(rest.bit_length() - 4, 0)
    return 24 + (rest >> shift << shift)


def bm25(
    term: str, document: int, field: Sequence[Sequence[str]], *, length: Mapping[int, int] | None = None
) -> float:
    """The score of a term in a document, given the words of a field of every document."""
    words = field[document]
    df = sum(term in other for other in field)
    tf = words.count(term)
    if not tf:
        return 0.0
    mean = sum(map(len, field)) / len(field)
    kept = LENGTHS[bisect_right(LENGTHS, len(words)) - 1]
    idf = math.log(1 + (len(field) - df + 0.5) / (df + 0.5))
    return idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * kept / mean))


def score(query: Sequence[str], document: int, fields: Mapping[str, list[list[str]]],
          weights: Mapping[str, float]) -> float:  # fmt: skip
    """The score of a query of words: the sum over words and fields of weight × BM25."""
    return sum(
        weights[name] * bm25(term, document, field) for term in query for name, field in fields.items()
    )
