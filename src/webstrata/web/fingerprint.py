"""Fingerprints of pages: 64 bits that stay when only volatile parts change (BUBING, section 4.5).

The fingerprint is XXH3 (64 bits, seed 0) of this text:

- each tag in turn, as ``<name`` or ``</name`` in lower case and a line feed, without its attributes; behind a
  ``frame`` or ``iframe`` its ``src`` as written and a line feed, for a frameset has nothing else of its own;
- between them the text as written, in which each run of ASCII digits and white space is one blank, and none
  next to a tag. The number of a character reference (``&#228;``) is no run of digits: it is a letter.

Left out are comments, declarations, and the content of ``script``, ``style``, ``iframe``, ``noembed`` and
``noframes``. So pages with the same fingerprint differ in dates, counters, white space, comments, scripts,
addresses (session identifiers) and other attributes; any other word or tag gives another one. The host does
not go in: mirrors have the fingerprints of what they mirror. The same text in two charsets has two
fingerprints, UTF-16 aside, and a number that gains a separator (``999``, ``1,000``) has gained a comma.
"""

from __future__ import annotations

from webstrata._core import web as _core


def fingerprint(body: bytes, *, charset: str | None = None) -> int:
    r"""The fingerprint of a page.

    Parameters
    ----------
    body
        The page as it came.
    charset
        The label of its Content-Type header; it matters only for UTF-16 and ISO-2022-JP.

    Examples
    --------
    >>> one = fingerprint(b"<p class=a>Visitor 17 of 2026-06-01</p><!-- cached -->")
    >>> one == fingerprint(b"<P>Visitor 1904\n of 2026-07-13</P>")
    True
    >>> one == fingerprint(b"<p>Reader 17 of 2026-06-01</p>")
    False
    """
    return _core.fingerprint_page(body, charset)
