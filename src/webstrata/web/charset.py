"""Which charset a page is written in.

As in the HTML standard: a mark of byte order decides, then the label of the Content-Type header, then a
declaration in the first 16 KiB (``<meta charset>``, ``<meta http-equiv>``, ``<?xml encoding>``). Where
none is known, what is UTF-8 is taken for it, and the rest is guessed from letters (chardetng, as in Firefox)
and the top-level domain. A page of ASCII alone has the standard's default, windows-1252. Labels mean what the
Encoding standard says (``latin1`` is windows-1252); names are those of that standard.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webstrata._core import web as _core


class CharsetSource(enum.StrEnum):
    """What told the charset."""

    BOM = "bom"
    HEADER = "header"
    META = "meta"
    GUESS = "guess"
    DEFAULT = "default"


@dataclass(frozen=True)
class Charset:
    """The name of a charset in the Encoding standard, and how it was found."""

    name: str
    source: CharsetSource


def detect(body: bytes, *, label: str | None = None, tld: str = "") -> Charset:
    """The charset of a page.

    Parameters
    ----------
    body
        The page as it came.
    label
        What the Content-Type header says; one that nobody knows is as good as none.
    tld
        The last label of the host's name, as ``jp``: a hint for the guess.

    Examples
    --------
    >>> detect(b"<meta charset=latin1>")
    Charset(name='windows-1252', source=<CharsetSource.META: 'meta'>)
    >>> detect(b"<meta charset=latin1>", label="Shift-JIS").name
    'Shift_JIS'
    >>> detect("Привет, как дела?".encode("koi8-r"), tld="ru").name
    'KOI8-U'
    """
    name, source = _core.detect_charset(body, label, tld)
    return Charset(name, CharsetSource(source))
