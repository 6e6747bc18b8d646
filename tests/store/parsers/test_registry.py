"""Parsers by content type, from the response to text, links and anchors."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.crawls import Answer, write_crawl
from tests.store.parsers.documents import ATOM, make_pdf
from webstrata.errors import MissingExtraError, SettingError
from webstrata.store.build import build_store
from webstrata.store.parsers import registry
from webstrata.store.parsers.registry import (
    ParsedBlock,
    ParsedDocument,
    Parser,
    find_parsers,
    register_parser,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.api import Snapshot

CSV = "text/csv"


def parse_csv(body: bytes, url: str, content_type: str) -> ParsedDocument:
    assert (url, content_type) == ("http://a.example/t.csv", CSV)
    rows = [line.split(",") for line in body.decode().splitlines()]
    return ParsedDocument("A table", [ParsedBlock(name, link=link) for name, link in rows])


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    registry.unregister_parser("csv")


def answer(body: bytes, mime: str) -> Answer:
    return Answer(body, mime, b"Content-Type: " + mime.encode() + b"\r\n")


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    """A crawl of a page, a feed, a PDF document, a damaged one and a table, stored without parsers."""
    folder = write_crawl(
        tmp_path / "crawl",
        {
            "http://a.example/": b"<a href=/a.pdf>A paper</a>",
            "http://a.example/a.pdf": answer(make_pdf("Corals grow", "http://a.example/"), "application/pdf"),
            "http://a.example/broken.pdf": answer(b"not a document", "application/pdf"),
            "http://a.example/feed": answer(ATOM, "application/atom+xml"),
            "http://a.example/t.csv": answer(b"Home,/\nPaper,/a.pdf\n", CSV),
        },
    )
    made = ws.create(tmp_path / "uk").add("2026-06")
    build_store(made, folder)
    return made


def list_names(snapshot: Snapshot) -> list[str]:
    """The last segments of the URLs of all nodes, as who opens the collection now finds them."""
    urls = ws.open(snapshot.collection.path)[snapshot.date].urls
    return [url.rpartition("/")[2] for url in urls]


def test_documents_are_pages_only_where_a_parser_is_named(snapshot: Snapshot) -> None:
    assert list_names(snapshot) == [""]
    built = snapshot.store(parsers=("pdf", "feed"))
    assert set(built) == {"text", "links", "anchors"}
    assert list_names(snapshot) == ["", "a.pdf", "broken.pdf", "feed"]
    # the setting is remembered, so nothing is stale now
    assert snapshot.store() == {}
    snapshot.store(parsers=())
    assert list_names(snapshot) == [""]


def test_text_links_and_anchors_of_a_pdf_document_are_those_of_a_page(snapshot: Snapshot) -> None:
    pytest.importorskip("pypdf")
    snapshot.store(parsers=("pdf",))
    node = snapshot.urls.node("http://a.example/a.pdf")
    assert snapshot.text[node].text == "Corals grow"
    assert [link.url for link in snapshot.links[node]] == ["http://a.example/"]
    assert [anchor.text for anchor in snapshot.anchors[node]] == ["A paper"]
    snapshot.build("graph")
    assert list(snapshot.graph.successors(node)) == [snapshot.urls.node("http://a.example/")]


def test_a_document_that_cannot_be_parsed_is_a_page_without_text(snapshot: Snapshot) -> None:
    pytest.importorskip("pypdf")
    built = snapshot.store(parsers=("pdf",))
    assert built["text"].counts["unreadable"] == 1
    assert snapshot.text[snapshot.urls.node("http://a.example/broken.pdf")].text == ""


def test_a_parser_of_the_users_gives_text_and_links(snapshot: Snapshot) -> None:
    register_parser("csv", [CSV], parse_csv)
    snapshot.store(parsers=("csv",))
    node = snapshot.urls.node("http://a.example/t.csv")
    assert (snapshot.text[node].title, snapshot.text[node].text) == ("A table", "Home\nPaper")
    assert [(link.url, link.anchor) for link in snapshot.links[node]] == [
        ("http://a.example/", "Home"),
        ("http://a.example/a.pdf", "Paper"),
    ]


PARSER = Parser("csv", (CSV,), parse_csv)


def test_installed_packages_bring_parsers_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("csv", "tests.store.parsers.test_registry:PARSER", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == registry.GROUP else [])
    assert find_parsers(["csv"])[CSV].name == "csv"


def test_unknown_parsers_and_missing_packages_are_refused_before_anything_is_built(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SettingError, match="there is no parser word; known are feed, json-ld, pdf"):
        snapshot.store(parsers=("word",))
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install webstrata\[pdf\]"):
        snapshot.store(parsers=("pdf",))
    assert len(snapshot.urls) == 1


def test_types_that_the_core_parses_are_not_for_parsers() -> None:
    for kind in ("text/html", "text/plain", "Application/PDF", "pdf"):
        with pytest.raises(ValueError, match="expected content types such as application/pdf"):
            register_parser("csv", [kind], parse_csv)
