"""The vocabularies of the in-vitro web: real function words, and syllables for invented ones.

A text draws 45% of its words from the function words of its language, by Zipf's law, so that language
detectors, stop lists and stemmers find what they look for. All other words (common ones, words of a topic,
names) are put together from syllables: nobody has written about them, and no text means anything.

The order of the languages, of the words and of the syllables is part of what a preset serves.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WebVocabulary:
    """What the words of a language are made from."""

    code: str
    function_words: tuple[str, ...]
    """The words that every text has, the most frequent first."""
    syllables: tuple[str, ...]
    """What invented words are put together from, two to four at a time."""


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ENGLISH = WebVocabulary(
    code="en",
    function_words=_split(
        """
        the of and to a in is that for it was on are as with his they be at one have this from or had by
        not but what all were when we there can an your which their said if do will each about how up
        out them then she many some so these would other into has more her two like him see time could
        no make than first been its who now people my made over did down only way find use may long
        little very after words called just where most know
        """
    ),
    syllables=_split(
        """
        ba con der er fal ing ket lo man ner or pre qui ral ster ton un ver wick ly ment sho tra ble
        """
    ),
)

GERMAN = WebVocabulary(
    code="de",
    function_words=_split(
        """
        der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an
        werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war
        haben nur oder aber vor zur bis mehr durch man sein wurde sei hatte kann gegen vom können schon
        wenn habe seine ihre dann unter wir soll ich eines jahr zwei diese dieser wieder keine uhr
        seiner worden will zwischen immer was sagte
        """
    ),
    syllables=_split(
        """
        ab be der ein für ge heit keit lich mög nis ung per rück sch stü tag über ver wer zu haus größ
        land
        """
    ),
)

FRENCH = WebVocabulary(
    code="fr",
    function_words=_split(
        """
        de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont
        avec aux elle cette ont ses mais comme on tout nous sa fait été aussi leur bien peut ces y deux
        ou même où si autres entre sans après être encore dont sous années très alors lui était tous
        avant non depuis faire temps moins ainsi années faut leurs toujours rien contre quand moi
        """
    ),
    syllables=_split(
        """
        ain bé che dé eur fran gé ier jou lai mon né oire pré que ran sion tou uir ville ça ment tra ble
        """
    ),
)

RUSSIAN = WebVocabulary(
    code="ru",
    function_words=_split(
        """
        и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой ещё от так
        о для ты же все тот мочь вы человек такой его сказать только или бы себя один как уже до время
        если сам когда другой вот говорить наш мой знать стать при чтобы дело жизнь кто первый очень два
        день её новый рука даже во со раз где там под можно ну какой после их работа без самый потом
        надо хотеть ли слово идти большой должен место иметь ничто
        """
    ),
    syllables=_split(
        """
        ба во го да е жи за ин ко ли мо на о про ра ст тор ус фа ход цен чис ше ян
        """
    ),
)

VOCABULARIES = (ENGLISH, GERMAN, FRENCH, RUSSIAN)
"""The languages of the in-vitro web, in the order in which the core numbers them."""
