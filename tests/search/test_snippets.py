"""Pieces of texts with words marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata._core.search import Analyzer
from webstrata.search.snippets import make_snippet
from webstrata.web.words import load_core

ANALYZER = Analyzer(load_core(), "porter")


def test_the_window_with_most_different_words_is_shown() -> None:
    text = "fish fish fish " + "nothing " * 40 + "a tropical fish swims " + "nothing " * 40
    shown = make_snippet(ANALYZER, text, ["fish", "tropic"], width=60, marks=("<", ">"))
    assert "<tropical> <fish> swims" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")


@given(st.text(max_size=300), st.integers(10, 100))
def test_marks_and_dots_are_all_that_a_snippet_adds(text: str, width: int) -> None:
    terms = ANALYZER.terms(text)[:3]
    shown = make_snippet(ANALYZER, text, terms, width=width, marks=("", ""))
    assert shown.removeprefix("… ").removesuffix(" …") in " ".join(text.split())
    assert bool(terms) <= bool(shown)
