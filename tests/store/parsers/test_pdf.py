"""PDF documents as pages."""

from __future__ import annotations

import pytest

from tests.store.parsers.documents import make_pdf
from webstrata.store.parsers import pdf

pytest.importorskip("pypdf")


def test_text_title_and_links_of_a_document_are_found() -> None:
    found = pdf.parse_pdf(make_pdf("Corals grow", "http://reef.example/", "The reef"), "", "application/pdf")
    assert found.title == "The reef"
    assert [(block.text, block.link) for block in found.blocks] == [
        ("Corals grow", ""),
        ("", "http://reef.example/"),
    ]


def test_no_more_text_is_read_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_TEXT", 6)
    found = pdf.parse_pdf(make_pdf("Corals grow"), "", "application/pdf")
    assert [block.text for block in found.blocks] == ["Corals"]
