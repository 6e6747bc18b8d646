"""Two hashes of a page: the fingerprint tells duplicates, the shape tells pages that a machine makes.

**The fingerprint** (rule 2) is XXH3 (64 bits, seed 0) of this text, after BUBING, section 3.4:

- each tag in order, as ``<name`` or ``</name`` in lower case and a line feed, without its attributes; after
  a ``frame`` or ``iframe`` its ``src`` as written and a line feed, since a frameset has nothing else of its
  own;
- between tags the text as written, digits included, with each run of ASCII white space as one blank, and
  none next to a tag.

Left out are comments, declarations, the content of ``style``, ``iframe``, ``noembed`` and ``noframes``, and
that of ``script``, unless its ``type`` is a media type without ``script`` and ``json`` in it: such a script
is a template (``text/template``, ``text/html``, ``math/tex``), and its text counts, as that of ``template``
and ``noscript`` does. So pages with the same fingerprint differ in white space, comments, programs,
addresses (session identifiers) and other attributes at most; any other word, number or tag gives another
one.

A page with fewer than `LEAST_TEXT` bytes of text, tags not counted, has **no fingerprint** (None; null in
``pages``; no field in the index): what tells such pages apart is in their attributes, such as the target of
"this page has moved". The host does not go in: mirrors have the fingerprints of what they mirror. The same
text in two charsets has two fingerprints, UTF-16 aside.

**The shape** is XXH3 of the same text in which each run of digits and blanks that has a digit is one blank,
or none at the beginning or end of the text, after a line feed and before ``<``. Digits of a tag name
(``<h1``), of a character reference (``&#228;``) and of a ``src`` stay. Every page has a shape: months of a
calendar without end share it. The crawl uses it for traps, soft 404s and parameters without meaning; it is
not stored.

**Rules.** Webstrata 0.1.0 had one hash for both purposes (rule 1): the shape without the text of templates.
It is the field ``fingerprint`` of its indexes and the column ``fingerprint`` of its ``pages``. Fingerprints
of rule 2 are the field ``fingerprint-2``, and the Parquet metadata of ``pages`` have the key
``fingerprint`` with the value 2. The two are never compared: where a page has none of rule 2, its digest
decides.
"""

from __future__ import annotations

from webstrata._core import web as _core

RULE = 2
"""The definition above."""
FIELD = "fingerprint-2"
"""Its name in an index."""
LEAST_TEXT = 256
"""Bytes of text that a page with a fingerprint has at least."""


def fingerprint(body: bytes, *, charset: str | None = None) -> int | None:
    r"""The fingerprint of a page, or None if it has little text.

    Parameters
    ----------
    body
        The page as received.
    charset
        The label of its Content-Type header; it matters only for UTF-16 and ISO-2022-JP.

    Examples
    --------
    >>> text = b"All that is written on this page stays as it is. " * 6
    >>> one = fingerprint(b"<p class=a>Version 2.1. " + text + b"</p><!-- cached -->")
    >>> one == fingerprint(b"<P>Version\n 2.1. " + text + b"</P>")
    True
    >>> one == fingerprint(b"<p>Version 1.11. " + text + b"</p>")
    False
    >>> fingerprint(b"<p>This page has <a href=/new>moved</a>.</p>") is None
    True
    """
    return _core.fingerprint_page(body, charset)[0]


def shape(body: bytes, *, charset: str | None = None) -> int:
    """The shape of a page: the same for pages that differ in digits, white space and attributes alone.

    Parameters
    ----------
    body
        The page as received.
    charset
        The label of its Content-Type header; it matters only for UTF-16 and ISO-2022-JP.

    Examples
    --------
    >>> shape(b"<h1>June 2026</h1>") == shape(b"<h1>June 1999</h1>")
    True
    >>> shape(b"<h1>June 2026</h1>") == shape(b"<h2>June 2026</h2>")
    False
    """
    return _core.fingerprint_page(body, charset)[1]
