"""Languages: sentences of one text in many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.web.language import detect

# the first article of the declaration of human rights
ARTICLES = {
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and "
    "conscience and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und "
    "Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison "
    "et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и "
    "совестью и должны поступать в отношении друг друга в духе братства.",
    "zh": "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
}


@pytest.mark.parametrize("code", ARTICLES)
def test_a_text_is_told_by_its_code(code: str) -> None:
    assert detect(ARTICLES[code]) == code


def test_what_is_not_sure_is_said_on_request_alone() -> None:
    assert detect("hotel") is None
    assert detect("hotel", guess=True) is not None
    assert detect("", guess=True) is None


@given(st.text(max_size=60))
def test_any_text_has_a_code_of_two_letters_or_none(text: str) -> None:
    found = detect(text, guess=True)
    assert found is None or len(found) == 2
    assert detect(text) in (found, None)
