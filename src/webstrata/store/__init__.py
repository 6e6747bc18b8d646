"""The parts of a snapshot: captures, pages, URLs, text, links and anchors, and the table of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.store.anchors import Anchors as Anchors
    from webstrata.store.captures import Captures as Captures
    from webstrata.store.captures import StoredCapture as StoredCapture
    from webstrata.store.duplicates.report import Duplicates as Duplicates
    from webstrata.store.links import Links as Links
    from webstrata.store.links import StoredLink as StoredLink
    from webstrata.store.pages import Pages as Pages
    from webstrata.store.parsers.registry import ParsedBlock as ParsedBlock
    from webstrata.store.parsers.registry import ParsedDocument as ParsedDocument
    from webstrata.store.parsers.registry import register_parser as register_parser
    from webstrata.store.settings import StoreSettings as StoreSettings
    from webstrata.store.table.rows import Row as Row
    from webstrata.store.table.rows import RowTable as RowTable
    from webstrata.store.text import PageText as PageText
    from webstrata.store.text import Text as Text
    from webstrata.store.urls import Urls as Urls

export(
    __name__,
    {
        "anchors": ("Anchors",),
        "captures": ("Captures", "StoredCapture"),
        "duplicates.report": ("Duplicates",),
        "links": ("Links", "StoredLink"),
        "pages": ("Pages",),
        "parsers.registry": ("ParsedBlock", "ParsedDocument", "register_parser"),
        "settings": ("StoreSettings",),
        "table.rows": ("Row", "RowTable"),
        "text": ("PageText", "Text"),
        "urls": ("Urls",),
    },
)
