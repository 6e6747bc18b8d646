"""The language of a text, told from its letters and their neighbours (whatlang: trigrams, 69 languages).

Answers are codes of ISO 639-1 (``en``), as in settings, tables and ``lang`` attributes. A text must be some
sentences long: of a line, nothing sure can be said.
"""

from __future__ import annotations

from webstrata._core import web as _core

# ISO 639-3, as the core says it, to ISO 639-1; Mandarin, Persian and Bokmål are there by their own codes
# fmt: off
_CODES = {
    "afr": "af", "aka": "ak", "amh": "am", "ara": "ar", "aze": "az", "bel": "be", "ben": "bn",
    "bul": "bg", "cat": "ca", "ces": "cs", "cmn": "zh", "dan": "da", "deu": "de", "ell": "el",
    "eng": "en", "epo": "eo", "est": "et", "fin": "fi", "fra": "fr", "guj": "gu", "heb": "he",
    "hin": "hi", "hrv": "hr", "hun": "hu", "hye": "hy", "ind": "id", "ita": "it", "jav": "jv",
    "jpn": "ja", "kan": "kn", "kat": "ka", "khm": "km", "kor": "ko", "lat": "la", "lav": "lv",
    "lit": "lt", "mal": "ml", "mar": "mr", "mkd": "mk", "mya": "my", "nep": "ne", "nld": "nl",
    "nob": "nb", "ori": "or", "pan": "pa", "pes": "fa", "pol": "pl", "por": "pt", "ron": "ro",
    "rus": "ru", "sin": "si", "slk": "sk", "slv": "sl", "sna": "sn", "spa": "es", "srp": "sr",
    "swe": "sv", "tam": "ta", "tel": "te", "tgl": "tl", "tha": "th", "tuk": "tk", "tur": "tr",
    "ukr": "uk", "urd": "ur", "uzb": "uz", "vie": "vi", "yid": "yi", "zul": "zu",
}

# ISO 639-1 and the code of ISO 639-3 for the same language, or for the group that it names (zho, not cmn)
_LONG = """
aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bibis bmbam bnben
bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe elell
eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv
hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl itita
iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor kykir
lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa mtmlt
mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs papan
pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag shhbs sisin skslk
slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl
tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid
yoyor zazha zhzho zuzul
"""
# fmt: on
_TO_LONG = {pair[:2]: pair[2:] for pair in _LONG.split()}


def long_code(code: str | None) -> str | None:
    """The code of ISO 639-3 for one of ISO 639-1, as Common Crawl writes languages; None where there is none.

    Examples
    --------
    >>> long_code("en"), long_code("zh"), long_code("xx"), long_code(None)
    ('eng', 'zho', None, None)
    """
    return _TO_LONG.get(code or "")


def to_short_code(code: str) -> str | None:
    """The code of ISO 639-1 of a language that the core names by three letters.

    Examples
    --------
    >>> to_short_code("deu"), to_short_code("xyz") is None
    ('de', True)
    """
    return _CODES.get(code)


def detect(text: str, *, guess: bool = False) -> str | None:
    """The language of a text as a code of ISO 639-1, None where it cannot be told.

    Parameters
    ----------
    text
        Plain text, some words at least.
    guess
        Whether to say the likeliest language also where it is not sure.

    Examples
    --------
    >>> detect("Dies ist ein Satz, der lang genug ist, um seine Sprache zu erkennen.")
    'de'
    >>> detect("Это предложение написано по-русски, и оно достаточно длинное, чтобы узнать язык.")
    'ru'
    >>> detect("12345") is None
    True
    """
    found = _core.detect_language(text)
    if found is None or not (found[1] or guess):
        return None
    return to_short_code(found[0])
