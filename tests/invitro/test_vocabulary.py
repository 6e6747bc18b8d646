"""Vocabularies are whole: enough words, in their order, each short enough for the core."""

from __future__ import annotations

import pytest

from webstrata.invitro.vocabulary import VOCABULARIES, WebVocabulary
from webstrata.invitro.web import Web


@pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=lambda vocabulary: vocabulary.code)
def test_a_vocabulary_has_words_and_syllables_enough(vocabulary: WebVocabulary) -> None:
    assert len(vocabulary.function_words) >= 80
    assert len(set(vocabulary.syllables)) == len(vocabulary.syllables) >= 20
    # the core keeps a word in a slot of 32 bytes, with a blank and its length
    longest = 4 * max(len(syllable.encode()) for syllable in vocabulary.syllables)
    assert max(longest, *(len(word.encode()) for word in vocabulary.function_words)) <= 30


def test_the_words_of_a_language_are_those_of_its_texts() -> None:
    web = Web("small", seed=4, foreign_share=0.6, legacy_charset_share=0.0)
    codes = {vocabulary.code: set(vocabulary.function_words) for vocabulary in VOCABULARIES}
    seen = set()
    for url in web.home_pages():
        facts = web.facts(url)
        if facts and facts["text"] and not facts["spam"]:
            words = [word.strip(".").lower() for word in facts["text"].split()]
            shares = {
                code: sum(word in known for word in words) / len(words) for code, known in codes.items()
            }
            assert max(shares, key=lambda code: shares[code]) == facts["language"], (url, shares)
            seen.add(facts["language"])
    assert seen == set(codes)
