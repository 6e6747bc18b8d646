"""Feeds as pages: RSS 0.9x, 1.0 and 2.0, and Atom (RFC 4287).

The title of the feed is the title of the page. Each item is a heading that links to the item, with its title
as anchor text, followed by its summary or content, whose markup counts. The feed's own link is a link too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import XMLParser, fromstring, tostring

from webstrata.errors import FormatError
from webstrata.store.parsers.registry import ParsedBlock, ParsedDocument, Parser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

ITEMS = ("item", "entry")
TEXTS = ("encoded", "content", "description", "summary")
"""Elements with the text of an item, the most complete first."""


def parse_feed(body: bytes, url: str, content_type: str) -> ParsedDocument:
    """The items of a feed as blocks.

    Examples
    --------
    >>> feed = b'''<rss><channel><title>News</title><item><title>Storm</title><link>/storm</link>
    ... <description>&lt;b&gt;Wind&lt;/b&gt; again</description></item></channel></rss>'''
    >>> document = parse_feed(feed, "http://a.org/feed", "application/rss+xml")
    >>> document.title, [block.to_html() for block in document.blocks]
    ('News', ['<h2><a href="/storm">Storm</a></h2>', '<p><b>Wind</b> again</p>'])
    """
    if b"<!ENTITY" in body:
        raise FormatError(f"{url}: the feed defines entities, which are not read")
    root = fromstring(body, XMLParser())  # entities are refused above, and expat reads no external ones
    head = next((child for child in root if _name(child) == "channel"), root)
    blocks = [ParsedBlock(_link(head), link=_link(head))] if _link(head) else []
    # RSS 1.0 has its items next to the channel
    for item in (one for holder in dict.fromkeys((head, root)) for one in holder if _name(one) in ITEMS):
        link = _link(item)
        title = _text(item, "title")
        if title or link:
            blocks.append(ParsedBlock(title or link, level=2, link=link))
        markup = next((text for name in TEXTS if (text := _markup(item, name))), "")
        if markup:
            blocks.append(ParsedBlock(html=markup))
    language = _text(head, "language") or root.get("{http://www.w3.org/XML/1998/namespace}lang", "")
    return ParsedDocument(_text(head, "title"), blocks, language)


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if _name(child) == name)


def _text(element: Element, name: str) -> str:
    found = next(_children(element, name), None)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def _markup(element: Element, name: str) -> str:
    """The content of a child: escaped markup, or elements (Atom's type xhtml)."""
    found = next(_children(element, name), None)
    if found is None:
        return ""
    if not len(found):
        return (found.text or "").strip()
    for inner in found.iter():
        inner.tag = _name(inner)
    return "".join(tostring(child, "unicode", method="html") for child in found).strip()


def _link(element: Element) -> str:
    """Where an item or feed leads: RSS has it as text, Atom as ``href`` of the alternate link."""
    for found in _children(element, "link"):
        if found.get("rel", "alternate") == "alternate" and (
            to := found.get("href") or (found.text or "").strip()
        ):
            return to
    guid = next(_children(element, "guid"), None)
    if guid is not None and guid.get("isPermaLink", "true") == "true":
        text = (guid.text or "").strip()
        return text if "://" in text else ""
    return ""


FEED = Parser("feed", ("application/rss+xml", "application/atom+xml"), parse_feed)
