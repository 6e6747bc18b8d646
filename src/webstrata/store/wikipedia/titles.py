"""Titles of a wiki, and the URLs and row keys of their pages.

A page is named by the number of a namespace and a title, UTF-8 with ``_`` for blanks. Its URL is the base of
the wiki (``https://en.wikipedia.org/wiki/``), the name of the namespace and a colon unless that is 0, and the
title, in which every byte is escaped but letters, digits and ``-_.~;@$!*(),/:``, as MediaWiki itself writes
it. Tables of a dump have titles in normal form; wikitext has not, and `Wiki.find` brings them there.

The names of namespaces are those that the dump tells; where it tells none they are the English ones, which
every MediaWiki understands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.errors import UsageError
from webstrata.web.row_key import row_key
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

SAFE = "-_.~;@$!*(),/:"
"""What is not escaped beside letters and digits."""
NAMESPACES = {
    -2: "Media", -1: "Special", 0: "", 1: "Talk", 2: "User", 3: "User_talk", 4: "Project", 5: "Project_talk",
    6: "File", 7: "File_talk", 8: "MediaWiki", 9: "MediaWiki_talk", 10: "Template", 11: "Template_talk",
    12: "Help", 13: "Help_talk", 14: "Category", 15: "Category_talk", 828: "Module", 829: "Module_talk",
}  # fmt: skip
"""Names that every wiki understands."""
_ALIASES = {"image": 6, "image_talk": 7}
_PROJECTS = {
    "wiki": "wikipedia", "wiktionary": "wiktionary", "wikibooks": "wikibooks", "wikinews": "wikinews",
    "wikiquote": "wikiquote", "wikisource": "wikisource", "wikiversity": "wikiversity",
    "wikivoyage": "wikivoyage",
}  # fmt: skip
_OWN_HOSTS = {
    "commonswiki": "commons.wikimedia.org", "metawiki": "meta.wikimedia.org",
    "specieswiki": "species.wikimedia.org", "wikidatawiki": "www.wikidata.org",
    "mediawikiwiki": "www.mediawiki.org",
}  # fmt: skip
_ILLEGAL = re.compile(r"[#<>\[\]|{}\x00-\x1f\x7f\ufffd]|(^|/)\.{1,2}(/|$)|~~~")
_BLANKS = re.compile(r"[ _\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_MARKS = re.compile(r"[\u200e\u200f\u202a-\u202e]")
_LONGEST = 255
"""Bytes of a title."""


def find_base(database: str) -> str | None:
    """The base of a wiki of Wikimedia, by the name of its database; None if that is none.

    Examples
    --------
    >>> find_base("enwiki"), find_base("zh_min_nanwiktionary"), find_base("commonswiki"), find_base("mine")
    ('https://en.wikipedia.org/wiki/', 'https://zh-min-nan.wiktionary.org/wiki/',
     'https://commons.wikimedia.org/wiki/', None)
    """
    if database in _OWN_HOSTS:
        return f"https://{_OWN_HOSTS[database]}/wiki/"
    for ending, project in _PROJECTS.items():
        language = database.removesuffix(ending)
        if language != database and re.fullmatch(r"[a-z]{2,12}(_[a-z]+)*", language):
            return f"https://{language.replace('_', '-')}.{project}.org/wiki/"
    return None


def escape_titles(titles: pa.Array) -> pa.Array:
    """Titles as they stand in URLs, all at once: three bytes in place of each that is escaped.

    Examples
    --------
    >>> escape_titles(pa.array(["O'Brien".encode(), "Ä_(b/c)".encode()])).to_pylist()
    ['O%27Brien', '%C3%84_(b/c)']
    """
    titles = titles.cast(pa.large_binary())
    ends = np.frombuffer(titles.buffers()[1], np.int64)[titles.offset : titles.offset + len(titles) + 1]
    start, stop = (int(ends[0]), int(ends[-1])) if len(titles) else (0, 0)
    data = titles.buffers()[2]
    bytes_ = np.frombuffer(data, np.uint8)[start:stop] if data else np.empty(0, np.uint8)
    is_escaped = _IS_ESCAPED[bytes_]
    places = np.zeros(len(bytes_) + 1, np.int64)
    np.cumsum(1 + 2 * is_escaped.astype(np.int64), out=places[1:])
    out = np.empty(int(places[-1]), np.uint8)
    out[places[:-1]] = np.where(is_escaped, ord("%"), bytes_)
    chosen = places[:-1][is_escaped]
    out[chosen + 1], out[chosen + 2] = _HEX[bytes_[is_escaped] >> 4], _HEX[bytes_[is_escaped] & 15]
    offsets = places[ends - start] if len(titles) else np.zeros(1, np.int64)
    return pa.LargeStringArray.from_buffers(len(titles), pa.py_buffer(offsets), pa.py_buffer(out))


_HEX = np.frombuffer(b"0123456789ABCDEF", np.uint8)
_IS_ESCAPED = np.ones(256, np.bool_)
_IS_ESCAPED[[byte for byte in range(128) if chr(byte).isalnum() or chr(byte) in SAFE]] = False


@dataclass(frozen=True)
class Wiki:
    """A wiki as titles need it.

    Examples
    --------
    >>> wiki = Wiki("https://en.wikipedia.org/wiki/")
    >>> wiki.url(14, "Fish"), wiki.find("category:tropical  fish#Top"), wiki.find(":iPod")
    ('https://en.wikipedia.org/wiki/Category:Fish', (14, 'Tropical_fish'), (0, 'IPod'))
    >>> wiki.row_keys(np.array([0, 14]), pa.array([b"Fish", b"Fish"])).to_pylist()
    ['org,wikipedia,en)/wiki/Fish https', 'org,wikipedia,en)/wiki/Category:Fish https']
    """

    base: str
    """What stands before the title in a URL."""
    namespaces: Mapping[int, str] = field(default_factory=lambda: NAMESPACES)
    """Their names."""
    keeps_case: bool = False
    """Whether titles may begin with a small letter, as in Wiktionary."""

    def check(self, namespaces: Iterable[int]) -> None:
        """Raise `UsageError` if a namespace has no name."""
        for number in namespaces:
            if number not in self.namespaces:
                known = ", ".join(str(number) for number in sorted(self.namespaces) if number >= 0)
                raise UsageError(
                    f"nobody knows what namespace {number} of {self.base} is called, so its pages have no "
                    f"URL (known are {known}); leave it out, or put the wiki's siteinfo-namespaces.json.gz "
                    f"beside the tables"
                )

    @cached_property
    def _around(self) -> tuple[str, str]:
        """What stands before and behind a title in a row key."""
        before, blank, behind = row_key(normalize(self.base)).partition(" ")
        return before, blank + behind

    @cached_property
    def _numbers(self) -> dict[str, int]:
        numbers = {name.lower(): number for number, name in NAMESPACES.items()} | _ALIASES
        return numbers | {name.lower(): number for number, name in self.namespaces.items()}

    def prefix(self, namespace: int) -> str:
        """What a title of a namespace begins with."""
        name = self.namespaces[namespace]
        return f"{name.replace(' ', '_')}:" if name else ""

    def full_titles(self, namespaces: npt.NDArray[np.int64], titles: pa.Array) -> pa.Array:
        """Titles with the names of their namespaces, which all have one."""
        titles = titles.cast(pa.large_binary())
        if not namespaces.any():
            return titles
        numbers, inverse = np.unique(namespaces, return_inverse=True)
        names = pa.array([self.prefix(int(number)).encode() for number in numbers], pa.large_binary())
        separator = pa.scalar(b"", pa.large_binary())
        return pc.binary_join_element_wise(names.take(pa.array(inverse.reshape(-1))), titles, separator)

    def keys(self, full_titles: pa.Array) -> pa.Array:
        """The row keys of titles that have the names of their namespaces."""
        escaped = escape_titles(full_titles)
        before, behind = (pa.scalar(text, pa.large_string()) for text in self._around)
        return pc.binary_join_element_wise(before, escaped, behind, pa.scalar("", pa.large_string()))

    def row_keys(self, namespaces: npt.NDArray[np.int64], titles: pa.Array) -> pa.Array:
        """The row keys of pages."""
        return self.keys(self.full_titles(namespaces, titles))

    def url(self, namespace: int, title: str) -> str:
        """The URL of a page."""
        return self.escape(self.prefix(namespace) + title)

    def escape(self, full_title: str) -> str:
        """The URL of a page by its title with the name of its namespace."""
        return self.base + quote(full_title.replace(" ", "_").encode("utf-8", "replace"), safe=SAFE)

    def link(self, text: str) -> str:
        """The URL that a link in wikitext leads to; nothing if it leads to no page."""
        found = self.find(text)
        return self.url(*found) if found is not None else ""

    def find(self, text: str) -> tuple[int, str] | None:
        """The page that a link in wikitext names; None if no page can be called so."""
        if "%" in text:
            text = unquote(text)
        if "&" in text:
            text = unescape(text)
        text = _BLANKS.sub("_", _MARKS.sub("", text.partition("#")[0])).strip("_")
        if text.startswith(":"):
            text = text[1:].lstrip("_")
        namespace = 0
        name, colon, rest = text.partition(":")
        if colon and (number := self._numbers.get(name.rstrip("_").lower(), 0)):
            namespace, text = number, rest.lstrip("_")
        if not text or namespace < 0 or _ILLEGAL.search(text) or namespace not in self.namespaces:
            return None
        if not self.keeps_case and (large := text[0].upper()) != text[0] and len(large) == 1:
            text = large + text[1:]
        return (namespace, text) if len(text.encode("utf-8", "replace")) <= _LONGEST else None
