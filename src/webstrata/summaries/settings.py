"""What the summaries of a snapshot are made of, and how they are coded."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, one_of, positive, setting
from webstrata.summaries.code_names import is_code

MAX_WINDOW = 15
"""That of the core, which would have to be loaded to ask it: help and new collections need this alone."""
CODINGS = ("contexts", "codes")
"""``contexts`` is ours, ``codes`` that of SUM."""

_code = ("the name of a code, as gamma, delta, zeta2, pi2, golomb3, rice1", is_code)
_stemmer = (
    "porter, snowball:LANGUAGE or none",
    lambda value: value in ("porter", "none") or value.startswith("snowball:"),
)
_window = (f"between 0 and {MAX_WINDOW}", lambda value: 0 <= value <= MAX_WINDOW)
_chain = ("between 0 and 100", lambda value: 0 <= value <= 100)
_memory = ("at least 16MiB", lambda value: value >= 16 << 20)


@dataclass(frozen=True, kw_only=True)
class SummariesSettings(Settings):
    """What the summaries of a snapshot are made of, and how they are coded: words as in SUM, coding ours."""

    stemmer: str = setting(
        "porter", "What words are stemmed by: porter, snowball:LANGUAGE or none.", check=_stemmer
    )
    stop_words: str = setting(
        "en", "Words that are left out: en for English ones, none, or a file with a word a line."
    )
    min_df: int = setting(20, "Pages that must have a term, or it is left out.", check=positive)
    coding: str = setting(
        "contexts",
        "How summaries are coded: contexts, smaller; or codes, as SUM describes it.",
        check=one_of(*CODINGS),
    )
    window: int = setting(8, "How many summaries back one may refer to another; for contexts.", check=_window)
    chain: int = setting(
        1, "How many references may follow one another before a summary is found; for contexts.", check=_chain
    )
    length_code: str = setting("delta", "Code of lengths; this and the following for codes.", check=_code)
    size_code: str = setting("zeta3", "Code of the numbers of terms.", check=_code)
    gap_code: str = setting("zeta2", "Code of the gaps between terms.", check=_code)
    count_code: str = setting("gamma", "Code of counts.", check=_code)
    count_differences: bool = setting(
        True, "Code counts backwards and as differences, as SUM does; otherwise each as it is."
    )
    memory: int = setting(
        1 << 30,
        "Memory in which words are counted and vocabularies merged; what is more goes to files.",
        unit="bytes",
        check=_memory,
        resource=True,
    )

    @property
    def codes(self) -> tuple[str, str, str, str]:
        """The codes of lengths, sizes, gaps and counts."""
        return self.length_code, self.size_code, self.gap_code, self.count_code
