"""JSON-LD documents as pages: names, descriptions and the URLs of their nodes.

The title is the first ``name``, ``headline`` or ``title``. Every object with an identifier that is a URL
(``@id``, ``url``, ``sameAs``) is a link with its name as anchor text; longer texts (``description``,
``articleBody``, ``text``, ``abstract``) are paragraphs. Contexts are not fetched, so names that a context
redefines are not known.
"""

from __future__ import annotations

import json
from typing import Any

from webstrata.store.parsers.registry import ParsedBlock, ParsedDocument, Parser

NAMES = ("name", "headline", "title")
TEXTS = ("description", "abstract", "articleBody", "text")
LINKS = ("@id", "url", "sameAs")


def parse_json_ld(body: bytes, url: str, content_type: str) -> ParsedDocument:
    """The objects of a JSON-LD document as blocks, in their order.

    Examples
    --------
    >>> data = b'{"@id": "http://a.org/#me", "name": "Ada", "knows": {"name": "Bob", "url": "/bob"}}'
    >>> document = parse_json_ld(data, "http://a.org/", "application/ld+json")
    >>> document.title, [(block.text, block.link) for block in document.blocks]
    ('Ada', [('Ada', 'http://a.org/#me'), ('Bob', '/bob')])
    """
    blocks: list[ParsedBlock] = []
    title = language = ""
    waiting: list[Any] = [json.loads(body)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            name = next((text for key in NAMES if (text := _string(value.get(key)))), "")
            title = title or name
            language = language or _string(value.get("inLanguage")) or _string(value.get("@language"))
            links = [link for key in LINKS for link in _strings(value.get(key)) if _is_url(link)]
            blocks += [ParsedBlock(name or link, link=link) for link in dict.fromkeys(links)]
            if name and not links:
                blocks.append(ParsedBlock(name))
            blocks += [ParsedBlock(text) for key in TEXTS if (text := _string(value.get(key)))]
            waiting += reversed([part for key, part in value.items() if key != "@context"])
    return ParsedDocument(title, blocks, language)


def _strings(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in map(_string, values) if text]


def _string(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("@value")
    return value.strip() if isinstance(value, str) else ""


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://", "/"))


JSON_LD = Parser("json-ld", ("application/ld+json",), parse_json_ld)
