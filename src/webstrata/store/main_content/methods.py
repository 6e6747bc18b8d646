"""Every way to find main content, behind one function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.errors import MissingExtraError, UsageError
from webstrata.store.main_content.dom import find_main
from webstrata.store.main_content.slope import extract_low_slopes, extract_plateau, find_sections
from webstrata.store.main_content.tokens import decode
from webstrata.store.settings import LOW_SLOPE, MAIN, VISUAL
from webstrata.store.text import cut_main

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.web.html import Page

DEFAULT = MAIN


def extract(body: bytes, *, url: str | None = None, charset: str | None = None, method: str = DEFAULT) -> str:
    r"""The main content of a page as text, one line per block.

    Where they find none, ``dom`` and ``visual`` return the visible text, and the other methods nothing.

    Parameters
    ----------
    body
        The page as it came; any bytes will do.
    url
        Its address, where it is known.
    charset
        The label of its Content-Type header.
    method
        One of `METHODS`.

    Examples
    --------
    >>> sentence = b"A paragraph of running text that is long enough to count as one. "
    >>> page = b"<nav><a href=/>Home</a></nav><h1>News</h1><p>" + sentence + b"<footer>Legal</footer>"
    >>> extract(page, method="dom")
    'News\nA paragraph of running text that is long enough to count as one.'
    >>> extract(page, method="guess")
    Traceback (most recent call last):
    webstrata.errors.UsageError: method 'guess' is not known; choose one of dom, low-slope, slope,
    trafilatura, visual
    """
    if method not in METHODS:
        raise UsageError(f"method {method!r} is not known; choose one of {', '.join(sorted(METHODS))}")
    return METHODS[method](body, charset, url)


def check_html(body: bytes, name: str) -> bytes:
    r"""The body of a page, or `UsageError` if it is binary data.

    Examples
    --------
    >>> check_html(b"<p>Hello", "a.html")
    b'<p>Hello'
    >>> check_html(bytes(100), "a.out")
    Traceback (most recent call last):
    webstrata.errors.UsageError: a.out: this is binary data, not a page of HTML; name an HTML file
    """
    start = body[:4096]
    controls = sum(byte < 9 or 13 < byte < 32 for byte in start) - start.count(b"\x1b")
    if controls > len(start) // 50 and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(f"{name}: this is binary data, not a page of HTML; name an HTML file")
    return body


def find_places(method: str, page: Page, body: bytes) -> list[int]:
    r"""Where the main content of a page stands in its text, in bytes: begin, end, begin, end.

    Parameters
    ----------
    method
        A value of `StoreSettings.main`: ``dom``, ``visual`` or ``low-slope``.
    page, body
        What `webstrata.web.html.scan` found with ``text=True``, and where it was found.

    Examples
    --------
    >>> from webstrata.web.html import scan
    >>> body = b"<ul class=menu><li><a href=/>Home</a></ul><p>" + b"A longer sentence, and another one. " * 3
    >>> page = scan(body, text=True)
    >>> find_places("dom", page, body), find_places("low-slope", page, body), page.text[:5]
    ([5, 112], [0, 112], 'Home\n')
    """
    if method == LOW_SLOPE:
        size = len(page.text.encode())
        return find_sections(page.text, page.tags) or [0, size] * (size > 0)
    return find_main(body, charset=page.charset.name, visual=method == VISUAL).places


def _extract_dom(body: bytes, charset: str | None, _url: str | None) -> str:
    found = find_main(body, charset=charset)
    return cut_main(found.text, found.places)


def _extract_visual(body: bytes, charset: str | None, _url: str | None) -> str:
    found = find_main(body, charset=charset, visual=True)
    return cut_main(found.text, found.places)


def _extract_trafilatura(body: bytes, charset: str | None, url: str | None) -> str:
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtraError(
            "the method trafilatura needs the package of that name, which is not installed; install it with "
            "`pip install 'webstrata[content]'`, or choose the method dom"
        ) from error
    page = decode(body, charset=charset)
    if not page.strip():
        return ""
    # the fast mode leaves out its fallbacks: it is as good without them
    return trafilatura.extract(page, url=url, include_comments=False, fast=True) or ""


METHODS: dict[str, Callable[[bytes, str | None, str | None], str]] = {
    "dom": _extract_dom,
    "visual": _extract_visual,
    "trafilatura": _extract_trafilatura,
    "slope": lambda body, charset, _url: extract_plateau(decode(body, charset=charset)),
    "low-slope": lambda body, charset, _url: extract_low_slopes(decode(body, charset=charset)),
}
"""From a page, the label of its charset and its URL to its main content."""
