"""Pages and stylesheets as browsers get them: addresses lead to the archive, nothing runs.

The work is done in the core (``rust/src/web/rewriting``). A page keeps its charset, which is declared in its
``Content-Type``; pages in UTF-16 and ISO-2022-JP, and all stylesheets, are sent as UTF-8. SVG and XHTML are
rewritten by the same rules as HTML.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import urlsplit

from webstrata._core import web as core

Kind = Literal["page", "stylesheet"]
PAGES = frozenset({"text/html", "application/xhtml+xml", "image/svg+xml"})
STYLESHEET = "cs_"
"""The modifier with which pages ask for their stylesheets."""
_DOUBTFUL = frozenset({"", "text/plain", "application/octet-stream", "application/x-css"})
"""Types that servers send stylesheets with."""
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)


def find_kind(mime: str, modifier: str) -> Kind | None:
    """How a payload is rewritten; None for one that is not.

    Examples
    --------
    >>> find_kind("text/html", ""), find_kind("text/plain", "cs_"), find_kind("image/png", "")
    ('page', 'stylesheet', None)
    """
    if mime == "text/css" or (modifier == STYLESHEET and mime in _DOUBTFUL):
        return "stylesheet"
    return "page" if mime in PAGES else None


def rewrite(payload: bytes, kind: Kind, url: str, content_type: str, prefix: str) -> tuple[bytes, str]:
    """A payload for replay, and its Content-Type.

    Parameters
    ----------
    payload, kind
        What is rewritten, without codings.
    url
        Its address.
    content_type
        As it was captured.
    prefix
        Path and time of the archive, ``/uk/20260612000000``.

    Examples
    --------
    >>> rewrite(b"<a href=b>", "page", "http://a.uk/", "text/html; charset=utf-8", "/uk/2026")
    (b'<a href="/uk/2026/http://a.uk/b">', 'text/html; charset=UTF-8')
    """
    match = _CHARSET.search(content_type)
    label = match[1] if match else None
    if kind == "stylesheet":
        return core.rewrite_stylesheet(payload, label, url, prefix), "text/css; charset=utf-8"
    mime = content_type.partition(";")[0].strip().lower()
    if mime not in PAGES:
        mime = "text/html"
    if mime != "text/html" and label is None:
        declared = _DECLARED.match(payload.lstrip())
        label = declared[1].decode() if declared else "utf-8"
    tld = (urlsplit(url).hostname or "").rpartition(".")[2]
    body, charset = core.rewrite_page(payload, label, tld, url, prefix)
    return body, f"{mime}; charset={charset}"
