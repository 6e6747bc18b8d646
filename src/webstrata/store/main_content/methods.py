"""Every way to find main content, behind one function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.errors import MissingExtraError, UsageError
from webstrata.store.main_content.dom import extract_filtered
from webstrata.store.main_content.places import find_places
from webstrata.store.main_content.slope import extract_low_slopes, extract_plateau
from webstrata.store.main_content.tokens import decode
from webstrata.web.html import scan

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT = "dom"


def extract(body: bytes, *, url: str | None = None, charset: str | None = None, method: str = DEFAULT) -> str:
    """The main content of a page as text, a line a paragraph; empty where none was found.

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
    'A paragraph of running text that is long enough to count as one.'
    >>> extract(page, method="guess")
    Traceback (most recent call last):
    webstrata.errors.UsageError: method 'guess' is not known; choose one of dom, low-slope, slope, stored,
    stored-dom, trafilatura
    """
    if method not in METHODS:
        raise UsageError(f"method {method!r} is not known; choose one of {', '.join(sorted(METHODS))}")
    return METHODS[method](decode(body, charset=charset), url)


def _extract_trafilatura(page: str, url: str | None) -> str:
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtraError(
            "the method trafilatura needs the package of that name, which is not installed; install it with "
            "`pip install 'webstrata[content]'`, or choose the method dom"
        ) from error
    if not page.strip():
        return ""
    # the fast mode leaves out its fallbacks: it is as good without them
    return trafilatura.extract(page, url=url, include_comments=False, fast=True) or ""


def _extract_stored(page: str, url: str | None) -> str:
    from webstrata.store.contents import extract_stored  # which is made from modules of this folder

    return extract_stored(page, url)


def _extract_stored_filtered(page: str, _url: str | None) -> str:
    from webstrata.store.text import cut_main

    body = page.encode("utf-8", "replace")
    found = scan(body, charset="utf-8", anchors=False, text=True)
    return cut_main(found.text, find_places("dom", found.text, found.tags, body, charset="utf-8"))


METHODS: dict[str, Callable[[str, str | None], str]] = {
    "dom": lambda page, _url: extract_filtered(page),
    "trafilatura": _extract_trafilatura,
    "slope": lambda page, _url: extract_plateau(page),
    "low-slope": lambda page, _url: extract_low_slopes(page),
    "stored": _extract_stored,
    "stored-dom": _extract_stored_filtered,
}
"""From the characters of a page and its URL to its main content."""
