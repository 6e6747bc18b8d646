"""BM25F in plain Python, over lists of words."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING

from webstrata._core.search import LENGTHS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Fields = Mapping[str, list[list[str]]]

K1, B = 0.6, 0.8


def lucene_length(length: int) -> int:
    """What is left of a length in one byte, as Lucene keeps it (SmallFloat.intToByte4, with 24 exact before).

    A number from 24 on is kept, less 24, with four significant bits.
    """
    if length < 24:
        return length
    rest = length - 24
    shift = max(rest.bit_length() - 4, 0)
    return 24 + (rest >> shift << shift)


def kept_length(length: int) -> int:
    """What the index keeps of a length."""
    return LENGTHS[bisect_right(LENGTHS, length) - 1]


def count_phrases(words: Sequence[str], phrase: Sequence[str]) -> int:
    """How often words stand one after the other."""
    size = len(phrase)
    return sum(list(words[start : start + size]) == list(phrase) for start in range(len(words)))


def idf(term: str, fields: Fields, number: int) -> float:
    """By how many documents have a term in any field."""
    df = sum(any(term in field[document] for field in fields.values()) for document in range(number))
    return math.log(1 + (number - df + 0.5) / (df + 0.5))


def bm25f(
    phrase: Sequence[str], document: int, fields: Fields, weights: Mapping[str, tuple[float, float]]
) -> float:
    """The score of a word, or of words one after the other, in a document, given the words of its fields."""
    number = len(next(iter(fields.values())))
    x = sum(weights[name][0] * count_phrases(field[document], phrase) for name, field in fields.items())
    if not x:
        return 0.0
    length = sum(weights[name][1] * kept_length(len(field[document])) for name, field in fields.items())
    mean = sum(weights[name][1] * sum(map(len, field)) for name, field in fields.items()) / number
    rarity = sum(idf(term, fields, number) for term in phrase)
    return rarity * (K1 + 1) * x / (x + K1 * (1 - B + (B * length / mean if mean else 0)))


def score(
    query: Sequence[Sequence[str]],
    document: int,
    fields: Fields,
    weights: Mapping[str, tuple[float, float]],
) -> float:
    """The score of a query of words and phrases: the sum over them."""
    return sum(bm25f(words, document, fields, weights) for words in query)
