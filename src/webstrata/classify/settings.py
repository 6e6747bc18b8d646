"""What the features of hosts are made of."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, setting

_ngram = ("between 2 and 8", lambda value: 2 <= value <= 8)
_power = ("a power of 2 from 16 to 4096", lambda value: 16 <= value <= 4096 and value & (value - 1) == 0)


@dataclass(frozen=True, kw_only=True)
class ClassifySettings(Settings):
    """What the features of hosts are made of."""

    sets: tuple[str, ...] = setting(
        (), "Feature sets that are made, as A,B,link; without any, all that can be made."
    )
    query_words: str = setting(
        "",
        "File with a query a line, the most popular words of which sets A and Aa count; a list of words too.",
    )
    trusted: str = setting("", "File with a host or URL a line from which TrustRank starts.")
    stop_words: str = setting(
        "en",
        "Words that lists of popular words leave out: en for English ones, none, or a file with a word "
        "a line.",
    )
    corpus_pages: int = setting(
        100_000,
        "Pages, spread evenly, that the most frequent words of the corpus are found in; 0 means all.",
        check=not_negative,
    )
    ngram: int = setting(3, "Words that make an n-gram.", check=_ngram)
    registers: int = setting(
        64, "Registers of a counter of supporters; 64 are right to 13%, four times as many to half of it.",
        check=_power,
    )  # fmt: skip
