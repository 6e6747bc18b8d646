"""PDF documents as pages, read by pypdf (the extra ``[pdf]``).

The title is that of the document's information, the text that of its pages in order, one paragraph per page;
annotations with a URI are links. Of at most `MAX_PAGES` pages `MAX_TEXT` characters are read, since a small
file can describe much more than it is worth.
"""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Any

from webstrata.store.parsers.registry import ParsedBlock, ParsedDocument, Parser

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_PAGES = 1_000
MAX_TEXT = 4 << 20
_log = logging.getLogger("pypdf")


def parse_pdf(body: bytes, url: str, content_type: str) -> ParsedDocument:
    """The pages of a PDF document as blocks, and its links.

    Examples
    --------
    >>> data = b'''%PDF-1.4
    ... 1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
    ... 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
    ... 3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[<</A<</URI(http://reef.example/)>>>>]
    ... /Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
    ... 4 0 obj<</Length 35>>stream
    ... BT /F 12 Tf (The coral reef) Tj ET
    ... endstream endobj
    ... trailer<</Root 1 0 R>>
    ... startxref
    ... 0
    ... %%EOF'''
    >>> document = parse_pdf(data, "http://reef.example/a.pdf", "application/pdf")
    >>> [(block.text, block.link) for block in document.blocks]
    [('The coral reef', ''), ('', 'http://reef.example/')]
    """
    from pypdf import PdfReader

    _log.setLevel(logging.ERROR)  # what is wrong with a file is of no use to who reads a million of them
    reader = PdfReader(io.BytesIO(body))
    blocks: list[ParsedBlock] = []
    left = MAX_TEXT
    for page in reader.pages[:MAX_PAGES]:
        text = page.extract_text()[:left].strip()
        left -= len(text)
        if text:
            blocks.append(ParsedBlock(text))
        blocks += [ParsedBlock(link=link) for link in _links(page)]
        if left <= 0:
            break
    found = reader.metadata
    return ParsedDocument((found.title or "").strip() if found else "", blocks)


def _links(page: Any) -> Iterator[str]:  # noqa: ANN401 (of pypdf)
    for held in page.get("/Annots") or ():
        action = held.get_object().get("/A")
        target = action.get_object().get("/URI") if action is not None else None
        if target:
            yield str(target)


PDF = Parser("pdf", ("application/pdf",), parse_pdf, module="pypdf")
