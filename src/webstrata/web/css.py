"""The addresses that stylesheets and web manifests name, which a browser fetches to show a page.

CSS is read token by token as CSS Syntax Level 3 defines it (the crate ``cssparser``). What a rule means is
not looked at, so an image of a rule that never applies is found too. Addresses are relative to the stylesheet
or the manifest that names them.
"""

from __future__ import annotations

from webstrata._core import web as _core


def find_references(body: bytes, *, charset: str | None = None) -> list[str]:
    """The addresses of ``@import``, ``url()`` and ``image-set()`` in a stylesheet, as written and in order.

    Addresses within the document (``#mark``), ``data:`` URLs and namespaces are left out.

    Parameters
    ----------
    body
        The stylesheet as it came; any bytes will do.
    charset
        What its Content-Type says; without it a byte order mark, ``@charset`` or else UTF-8 counts.

    Examples
    --------
    >>> find_references(b'@import "base.css"; body { background: url(../paper.png) }')
    ['base.css', '../paper.png']
    """
    return _core.css_references(body, charset)


def find_pictures(manifest: bytes) -> list[str]:
    """The addresses of icons and screenshots in a web manifest, as written; `start_url` is a page.

    Examples
    --------
    >>> find_pictures(b'{"start_url": "/", "icons": [{"src": "icon.png", "sizes": "48x48"}]}')
    ['icon.png']
    """
    return _core.manifest_pictures(manifest)
