"""Words as UAX #29 has them, beside another implementation of it."""

from __future__ import annotations

import html
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata._core import store as core
from webstrata.store.simhash import simhash
from webstrata.web.words import word_table, words

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
    assert words(text) == expected


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


@given(
    st.text(
        alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aB9_'\".:,ßא゛ﾞアᅠⒶ²年"))
    )
)
def test_the_core_finds_the_same_words(text: str) -> None:
    assert word_table().words(text) == words(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_the_core_computes_the_same_simhash(text: str) -> None:
    kernel = core.Contents(word_table(), 1, 2048)
    kernel.parse(0, f"<p>{html.escape(text)}".encode(), "http://a/", "utf-8", "")
    found = kernel.finish()
    shown = bytes(found["text"][1]).decode()
    assert (found["words"][0], found["simhash"][0]) == (len(words(shown)), simhash(words(shown)))


def test_hostile_text_takes_linear_time() -> None:
    pieces = ("_", "a'", "_\u0301", "\u0301", "1.", "א'", "\u202f\u00ad")
    texts = [piece * 100_000 for piece in pieces] + ["a'" + "\u0301" * 200_000]
    begun = time.perf_counter()
    for text in texts:
        words(text)
    assert time.perf_counter() - begun < 20  # some milliseconds each; what is quadratic takes minutes
