"""Words of a text, by the rules of Unicode for word boundaries (UAX #29).

A word is a piece between two boundaries that has a letter, a digit, an ideograph or a kana in it. In short:
letters and digits stay together, with the marks that sit on them; an apostrophe, a full stop or a colon
between two letters, and a comma or a full stop between two digits, do not part them; ``_`` and its like join
what they touch; Katakana forms runs. Where no blanks are written and the standard leaves the rest to
dictionaries (Han, Hiragana, Thai, Lao, Khmer, Burmese) each character is a word by itself; so is ``²``.

The classes of characters come from Python's own tables (`unicodedata`), so a later Python knows more letters.
``tests/web/test_words.py`` compares with another implementation of the standard. `load_core` hands the same
tables to the core, which finds the same words, many times faster.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from webstrata._core.web import Words

# what the general category does not tell, from WordBreakProperty.txt
_ALSO_LETTERS = (
    (0xB8, 0xB8), (0x2C2, 0x2C5), (0x2D2, 0x2D7), (0x2DE, 0x2DF), (0x2E5, 0x2EB), (0x2ED, 0x2ED),
    (0x2EF, 0x2FF), (0x55A, 0x55C), (0x55E, 0x55E), (0x58A, 0x58A), (0x5F3, 0x5F3), (0x70F, 0x70F),
    (0x24B6, 0x24E9), (0xA708, 0xA716), (0xA720, 0xA721), (0xA789, 0xA78A), (0xAB5B, 0xAB5B),
    (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189),
)  # fmt: skip
_KATAKANA = (
    (0x3031, 0x3035), (0x309B, 0x309C), (0x30A0, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF),
    (0x32D0, 0x32FE), (0x3300, 0x3357), (0xFF66, 0xFF9D), (0x1AFF0, 0x1AFFE), (0x1B000, 0x1B000),
    (0x1B120, 0x1B122), (0x1B164, 0x1B167),
)  # fmt: skip
_SINGLE = (  # Han and other ideographs, Hiragana, and the scripts that are parted by dictionaries
    (0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF),
    (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303C), (0x3041, 0x309F), (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xAA80, 0xAADF), (0xF900, 0xFAFF),
    (0x11700, 0x1174F), (0x16FE4, 0x16FE4), (0x17000, 0x18CFF), (0x18D00, 0x18D8F), (0x1B001, 0x1B11F),
    (0x1B132, 0x1B132), (0x1B150, 0x1B152), (0x1B170, 0x1B2FF), (0x20000, 0x323AF),
)  # fmt: skip
_ALSO_EXTEND = (
    (0x200C, 0x200D),
    (0xFF9E, 0xFF9F),
    (0x1F3FB, 0x1F3FF),
    (0xE0001, 0xE007F),
    (0xE0100, 0xE01EF),
)
_MID = "'.\u2018\u2019\u2024\ufe52\uff07\uff0e"
_MID_LETTER = _MID + ":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a"
_MID_NUMBER = _MID + ",;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b"
_JOIN = "_\u202f\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f\uff3f"
_HEBREW = "\u05d0-\u05ea\u05ef-\u05f2\ufb1d\ufb1f-\ufb28\ufb2a-\ufb4f"
_RARE = re.compile("[\U00010000-\U0010ffff]")
_LETTERS = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl")


def words(text: str) -> list[str]:
    """The words of a text as they are written, in their order.

    Examples
    --------
    >>> words("The quick (“brown”) fox can’t jump 32.3 feet, right?")
    ['The', 'quick', 'brown', 'fox', 'can’t', 'jump', '32.3', 'feet', 'right']
    >>> words("ユニコード 2026年に_init_")
    ['ユニコード', '2026', '年', 'に', '_init_']
    """
    found: list[str] = _pattern(rare=_RARE.search(text) is not None).findall(text)
    # a run of joining characters alone is matched so that no text is gone through twice, and is no word
    return [word for word in found if word[0] not in _JOIN or any(map(str.isalnum, word))]


@cache
def load_core() -> Words:
    """The same rules in the core: words of a text, their hashes, and what is made of them.

    Examples
    --------
    >>> load_core().split("can’t jump 32.3 feet")
    ['can’t', 'jump', '32.3', 'feet']
    """
    classes = bytearray(0x110000)
    for kind, codes in enumerate(_code_classes(0x110000), start=1):
        for code in codes:
            classes[code] = kind
    for place, kind in ((_JOIN, 6), (_MID_LETTER, 8), (_MID_NUMBER, 16)):
        for letter in place:
            classes[ord(letter)] |= kind
    for code in range(0x5D0, 0xFB50):
        if re.match(f"[{_HEBREW}]", chr(code)):
            classes[code] |= 32
    folds = []
    for code in range(0x20000):
        letter = chr(code)
        if letter.isalnum():
            classes[code] |= 64
        if (folded := letter.casefold()) != letter:
            folds.append((letter, folded))
    return Words(bytes(classes), folds)


@cache
def _pattern(*, rare: bool) -> re.Pattern[str]:
    """The rules; a class with characters above U+FFFF is no table any more, and five times as slow."""
    letters, numbers, katakana, single, extend = _classes(0x110000 if rare else 0x10000)
    more = f"[{extend}]*+"
    hebrew = f"(?<=[{_HEBREW}])(?:'{more}|\"{more}(?=[{_HEBREW}]))"
    letter = f"[{letters}][{letters}{extend}]*+(?:[{_MID_LETTER}]{more}(?=[{letters}])|{hebrew})?"
    number = f"[{numbers}][{numbers}{extend}]*+(?:[{_MID_NUMBER}]{more}(?=[{numbers}]))?"
    run = f"(?:(?:{letter}|{number})+|[{katakana}][{katakana}{extend}]*+)"
    join = f"(?:[{_JOIN}]{more})++"
    return re.compile(f"{run}(?:{join}(?:{run})?)*|{join}(?:{run}(?:{join}(?:{run})?)*)?|[{single}]{more}")


@cache
def _classes(limit: int) -> tuple[str, str, str, str, str]:
    """Letters, numbers, Katakana, characters that are words alone, marks: as classes of a pattern."""
    letters, numbers, kana, alone, extend = map(_to_class, _code_classes(limit))
    return letters, numbers, kana, alone, extend


def _code_classes(limit: int) -> list[set[int]]:
    katakana, single = _expand(_KATAKANA), _expand(_SINGLE)
    found: dict[str, set[int]] = {name: set() for name in ("letter", "number", "single", "extend")}
    found["letter"] |= _expand(_ALSO_LETTERS)
    found["extend"] |= _expand(_ALSO_EXTEND)
    found["number"] |= {0x66B}
    for code in range(min(limit, 0x20000)):
        category = unicodedata.category(chr(code))
        if category == "Nd":
            found["number"].add(code)
        elif category in ("Mn", "Mc", "Me") or (category == "Cf" and code not in (0x70F, 0x200B)):
            found["extend"].add(code)
        elif category == "No":
            found["single"].add(code)
        elif category in _LETTERS and code not in katakana and code not in found["extend"]:
            found["single" if code in single else "letter"].add(code)
    found["single"] |= {code for code in single if code >= 0x20000}
    order = (found["letter"], found["number"], katakana, found["single"], found["extend"])
    return [{code for code in codes if code < limit} for codes in order]


def _expand(ranges: tuple[tuple[int, int], ...]) -> set[int]:
    return {code for first, last in ranges for code in range(first, last + 1)}


def _to_class(codes: set[int]) -> str:
    """Ranges of characters as a pattern writes them between brackets; none of them needs an escape."""
    ordered = sorted(codes)
    starts = [code for place, code in enumerate(ordered) if place == 0 or ordered[place - 1] != code - 1]
    ends = [code for place, code in enumerate(ordered) if code + 1 not in codes]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(starts, ends, strict=True))
