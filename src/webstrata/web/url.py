"""URLs in normal form: absolute, http or https, one spelling for each.

Parsing and resolution are those of the WHATWG URL standard: scheme and host in lower case, names by IDNA, no
default port, no dot segments, ``/`` for an empty path, illegal characters escaped. Beyond it

- the fragment is dropped;
- percent escapes are written in upper case (none is decoded: ``%7E`` stays);
- in path and query every byte that RFC 3986 does not admit is escaped, so ``[``, ``]``, ``|``, ``^``, ``{``,
  and a ``%`` that begins no escape;
- what cannot be repaired is rejected with a reason, a `Reject`.

The normal form of a normal form is itself. Differences by choice are listed in ``docs/decisions/urls.md``.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING

from webstrata._core import web as core
from webstrata.errors import UrlError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LENGTH = core.MAX_URL_LENGTH
"""Bytes of the longest normal form, unless told otherwise (as in BUbiNG)."""


class Reject(enum.StrEnum):
    """Why something is no URL of a page."""

    SCHEME = "scheme"
    RELATIVE = "relative"
    NO_HOST = "no host"
    HOST = "host"
    PORT = "port"
    CREDENTIALS = "credentials"
    TOO_LONG = "too long"


_EXPLANATIONS = {
    Reject.SCHEME: "the scheme is neither http nor https; only pages of the web have a normal form",
    Reject.RELATIVE: "not an absolute URL; write it with scheme and host, as https://example.org/page",
    Reject.NO_HOST: "there is no host; write one behind `//`",
    Reject.HOST: "no host has this name; expected letters, digits, `-`, `_` and dots, or an address",
    Reject.PORT: "the port is no number from 0 to 65535; correct it, or leave it out",
    Reject.CREDENTIALS: "it holds a user name or a password; take them out",
    Reject.TOO_LONG: "it is longer than {max_length} bytes; raise `max_length` if it is meant",
}


def normalize(url: str, base: str | None = None, *, max_length: int = MAX_LENGTH) -> str:
    """The normal form of a URL, or of a reference on the page `base`.

    Raises
    ------
    UrlError
        If there is none; its `reason` is a `Reject`.

    Examples
    --------
    >>> normalize("HTTP://Bücher.Example:80/a/../b[1]?q=%c3%bc#top")
    'http://xn--bcher-kva.example/b%5B1%5D?q=%C3%BC'
    >>> normalize("../c", base="https://example.org/a/b?x")
    'https://example.org/c'
    """
    found, rejects = normalize_many([url], base, max_length=max_length)
    if found[0] is None:
        shown = hide_credentials(url)
        shown = shown if len(shown) <= 100 else f"{shown[:99]}…"
        explanation = _EXPLANATIONS[rejects[0]].format(max_length=max_length)
        raise UrlError(f"{shown!r}: {explanation}", rejects[0])
    return found[0]


def normalize_any(url: str, base: str | None = None) -> str:
    """The normal form of a URL of any scheme with an authority: that of http, with its own scheme.

    Pages of the web are http and https; documents of other schemes come by fetchers of a crawl.

    Examples
    --------
    >>> normalize_any("FTP://Example.org/a/../b"), normalize_any("https://example.org")
    ('ftp://example.org/b', 'https://example.org/')
    """
    scheme, colon, rest = url.strip().partition("://")
    if (
        not colon
        or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme)
        or scheme.lower() in ("http", "https")
    ):
        return normalize(url, base)
    return f"{scheme.lower()}://{normalize(f'http://{rest}').partition('://')[2]}"


_CREDENTIALS = (
    # up to the last @, since a password may have @ and / in it, where a parser takes the authority to end
    re.compile(
        r"^(\s*[a-z][a-z0-9+.-]*:)?([/\\]{2})[^/?#@]*:(?!\d*(?:[/?#]|$)).*@", re.IGNORECASE | re.DOTALL
    ),
    re.compile(r"^(?!\s*mailto:)(\s*[a-z][a-z0-9+.-]*:)?([/\\]*)[^/?#]*@", re.IGNORECASE),
)


def hide_credentials(text: str) -> str:
    """A URL, or what was meant as one, with ``…`` for user name and password, to be shown or logged.

    Examples
    --------
    >>> hide_credentials("http://user:secret@example.org/a"), hide_credentials("http://example.org/a@b")
    ('http://…@example.org/a', 'http://example.org/a@b')
    >>> hide_credentials("http://user:sec/ret@example.org/"), hide_credentials("user:secret@example.org")
    ('http://…@example.org/', 'user:…@example.org')
    """
    for pattern in _CREDENTIALS:
        text, number = pattern.subn(lambda match: f"{match[1] or ''}{match[2]}…@", text)
        if number:
            break
    return text


def normalize_many(
    urls: Iterable[str], base: str | None = None, *, max_length: int = MAX_LENGTH
) -> tuple[list[str | None], dict[int, Reject]]:
    """The normal forms of references on one page, None for a reject, and why, by its place.

    Examples
    --------
    >>> found, rejects = normalize_many(["a", "mailto:me", "/b?"], base="http://example.org/c/")
    >>> found
    ['http://example.org/c/a', None, 'http://example.org/b?']
    >>> rejects
    {1: <Reject.SCHEME: 'scheme'>}
    """
    urls = list(urls)
    try:
        found, rejects = core.normalize_urls(urls, base, max_length)
    except UnicodeEncodeError:  # half a surrogate pair, which the standard replaces by U+FFFD
        whole = None if base is None else _replace_surrogates(base)
        found, rejects = core.normalize_urls([_replace_surrogates(url) for url in urls], whole, max_length)
    return found, {place: Reject(reason) for place, reason in rejects}


def split(url: str) -> tuple[str, str]:
    """Scheme and authority, and path and query, of a URL in normal form.

    A crawl keeps one queue of the latter for each of the former (BUBING, visit states).

    Examples
    --------
    >>> split("http://example.org:8080/a?b")
    ('http://example.org:8080', '/a?b')
    """
    scheme, _, rest = url.partition("://")
    authority, slash, target = rest.partition("/")
    return f"{scheme}://{authority}", slash + target


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
