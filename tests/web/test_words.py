"""Words as UAX #29 has them, beside another implementation of it."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.web.words import load_core, words

# letters, digits and what stands between them, of several scripts; no apostrophes and no marks, for which the
# other implementation has rules of its own (French elision; marks behind a colon)
CHARACTERS = 'ab1.,:;_ éß٣אבдアイーのに年月กข-“\n"7×€'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("... --- ___ “”", []),
        ("can't stop", ["can't", "stop"]),
        ("'quoted'", ["quoted"]),
        ("3.14 1,000,000 1.", ["3.14", "1,000,000", "1"]),
        ("www.example.org", ["www.example.org"]),
        ("a,b 1:2", ["a", "b", "1", "2"]),
        ("snake_case __init__", ["snake_case", "__init__"]),
        ("e\u0301te\u0301 naïve", ["e\u0301te\u0301", "naïve"]),
        ("co\u00adoperate a:\u00adb \u00ada", ["co\u00adoperate", "a:\u00adb", "a"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("カタカナ漢字ひら", ["カタカナ", "漢", "字", "ひ", "ら"]),
        ("צה\"ל", ["צה\"ל"]),
        ("H₂O x²", ["H", "₂", "O", "x", "²"]),
        ("𝒜𝒷 😀 𠀀𠀁", ["𝒜𝒷", "𠀀", "𠀁"]),
    ],
)  # fmt: skip
def test_words_are_parted_as_the_standard_says(text: str, expected: list[str]) -> None:
    assert words(text) == load_core().split(text) == expected


@given(st.one_of(st.text(CHARACTERS + "'’\u0301\u200d\uff9e\u202f¸ª𠀀😀"), st.text()))
def test_the_core_finds_the_same_words(text: str) -> None:
    assert load_core().split(text) == words(text)


@given(st.text(CHARACTERS))
def test_another_implementation_finds_the_same_words(text: str) -> None:
    regex = pytest.importorskip("regex")
    pieces = regex.split(r"\b", text, flags=regex.WORD | regex.V1)
    assert words(text) == [piece for piece in pieces if any(map(str.isalnum, piece))]


@given(st.text())
def test_words_follow_each_other_in_the_text_and_hold_a_letter_or_number(text: str) -> None:
    start = 0
    for word in words(text):
        start = text.index(word, start) + len(word)
        assert any(unicodedata.category(character)[0] in "LNSC" for character in word)


def test_hostile_text_takes_linear_time() -> None:
    pieces = ("_", "a'", "_\u0301", "\u0301", "1.", "א'", "\u202f\u00ad")
    texts = [piece * 100_000 for piece in pieces] + ["a'" + "\u0301" * 200_000]
    begun = time.process_time()
    for text in texts:
        words(text)
    assert time.process_time() - begun < 20  # some milliseconds each; what is quadratic takes minutes
