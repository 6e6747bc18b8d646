"""Pages as tokens: tags, and the text between them.

The scanner follows the HTML standard where that decides what is text: comments, declarations, raw text
(scripts, styles), quotes after ``=``. What no reader sees as text of the page is passed over whole:
``script``, ``style``, ``noscript``, ``template``, ``svg``, controls of forms, the title. It goes forward
only, so that any bytes take linear time.
"""

from __future__ import annotations

import codecs
import html
import re
from typing import TYPE_CHECKING

from webstrata.web.charset import detect

if TYPE_CHECKING:
    from collections.abc import Iterator

RAW = frozenset({"script", "style", "title", "textarea", "xmp", "noembed", "iframe", "noframes"})
"""Elements whose content is no markup; one without an end reaches to the end of the page."""
HIDDEN = frozenset({"noscript", "template", "svg", "math", "select", "object", "audio", "video", "canvas"})
"""Elements whose content is no text of the page."""
VOID = frozenset({
    "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link", "meta", "param",
    "source", "track", "wbr",
})  # fmt: skip
"""Elements without content."""

_ATTRIBUTES = r"""(?: [^>=]++ | =\s*+(?: "[^"]*+" | '[^']*+' )?+ )*+"""
# possessive throughout: a piece that was read is never read again, and what has no end reaches to the page's
_MARKUP = re.compile(
    rf"""< (?: !-- (?: -?> | (?: [^-]++ | -(?!-!?>) )*+ (?: --!?> )?+ )
         | [!?][^>]*+>?+
         | (?P<raw>{"|".join(sorted(RAW))})(?=[\s/>]) {_ATTRIBUTES} >
               (?: [^<]++ | <(?!/(?P=raw)[\s/>]) )*+ (?: </[^>]*+>?+ )?+
         | (/?+)([a-z][^\s/>]*+) ({_ATTRIBUTES}) (?: > | \Z ) )""",
    re.VERBOSE | re.IGNORECASE,
)


Token = tuple[str, str]
"""The name of a tag in lower case (``/p`` ends a ``p``) and its attributes as written; or "" and a text."""


def decode(body: bytes, *, charset: str | None = None) -> str:
    """The characters of a page; what cannot be decoded becomes U+FFFD.

    Examples
    --------
    >>> decode("Grüße".encode("latin-1"), charset="latin1")
    'Grüße'
    """
    name = detect(body, label=charset).name
    try:
        codecs.lookup(name)
    except LookupError:  # a few names of the Encoding standard are not known to Python
        name = {"ISO-8859-8-I": "iso-8859-8", "x-mac-cyrillic": "mac-cyrillic"}.get(name, "utf-8")
    return body.decode(name, "replace").removeprefix("\ufeff")


def tokenize(page: str) -> Iterator[Token]:
    """The tokens of a page in their order, texts of nothing but white space left out.

    Examples
    --------
    >>> list(tokenize("<p class=a>A &amp; B<!-- - --><script>x</script></p> <br>"))
    [('p', ' class=a'), ('', 'A & B'), ('/p', ''), ('br', '')]
    """
    pieces = _MARKUP.split(page)  # a text, then the four groups of a markup and a text, again and again
    slashes, names = pieces[2::5], [name.lower() if name else "" for name in pieces[3::5]]
    last_ends = {name: place for place, name in enumerate(names) if name in HIDDEN and slashes[place]}
    hidden = ""
    if text := _clean(pieces[0]):
        yield "", text
    for place, (slash, name) in enumerate(zip(slashes, names, strict=True)):
        if hidden:
            if not (slash and name == hidden):
                continue
            hidden = ""
        elif name in HIDDEN and not slash and last_ends.get(name, -1) > place:
            hidden = name
            continue
        elif name:
            yield f"/{name}" if slash else name, pieces[5 * place + 4]
        if text := _clean(pieces[5 * place + 5]):
            yield "", text


def _clean(text: str) -> str:
    if not text or text.isspace():
        return ""
    return html.unescape(text) if "&" in text else text
