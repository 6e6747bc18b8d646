"""Dumps as snapshots: text and tables of one wiki agree, and what tables lack is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.wikipedia.dumps import make_wiki, write_export, write_tables
from tests.store.wikipedia.test_tables import to_networkx
from webstrata.errors import ExistsError, FormatError, MissingError, UsageError
from webstrata.store.ingest.run import IngestResult
from webstrata.store.wikipedia.dump import find_dump
from webstrata.store.wikipedia.ingest import check_dump, ingest_dump
from webstrata.store.wikipedia.settings import WikipediaSettings
from webstrata.store.wikipedia.tables import read_heads

if TYPE_CHECKING:
    from pathlib import Path

BASE = "https://simple.wikipedia.org/wiki/"


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with the tables of a wiki and its text, by the names of their months."""
    folder = tmp_path_factory.mktemp("wiki")
    # a redirect to another wiki has no link, and cannot be told from one to this by its wikitext alone
    pages = [page for page in make_wiki(5, 30) if not page.interwiki]
    write_tables(folder / "tables", pages)
    (folder / "text").mkdir()
    write_export(folder / "text" / "simplewiki-20090810-pages-articles.xml.bz2", pages)
    collection = ws.create(folder / "wiki")
    ingest_dump(collection.add("2009-08"), folder / "tables")
    result = ingest_dump(collection.add("2009-09"), folder / "text")
    assert isinstance(result, IngestResult)
    articles = [page for page in pages if page.namespace == 0]
    assert result.pages == sum(page.redirect is None for page in articles)
    assert (result.captures, result.duplicates, result.damaged) == (len(articles), 0, 0)
    return folder


def test_the_text_and_the_tables_of_a_wiki_give_one_graph(wiki: Path) -> None:
    collection = ws.open(wiki / "wiki")
    tables, text = (to_networkx(collection[label]) for label in collection.dates)
    assert list(collection["2009-08"].urls) == list(collection["2009-09"].urls)
    assert set(tables.edges) == set(text.edges)
    assert len(tables.edges) > 60


def test_pages_of_the_text_are_pages_like_any_other(wiki: Path) -> None:
    collection = ws.open(wiki / "wiki")
    text = collection.capture(BASE + "1987").text
    assert text.startswith("1987\n1987 is a page.\nLinks\n")
    snapshot = collection["2009-09"]
    node = snapshot.urls.node(BASE + "1987")
    assert node is not None
    assert snapshot.text[node].title == "1987"
    assert snapshot.text[node].language == "en"


@pytest.mark.parametrize("part", ["text", "warc", "captures", "anchors", "summaries"])
def test_a_snapshot_of_tables_says_what_it_lacks(wiki: Path, part: str) -> None:
    with pytest.raises(MissingError, match=f"no part {part} .*have links and no text: ingest pages-articles"):
        ws.open(wiki / "wiki")["2009-08"].open_part(part)
    with pytest.raises(MissingError, match=r"call `snapshot.build\('graph'\)`"):
        ws.open(wiki / "wiki")["2009-08"].open_part("graph")


def test_captures_of_a_collection_of_tables_are_told_to_be_missing(wiki: Path, tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "wiki")
    ingest_dump(collection.add("2009-08"), wiki / "tables")
    with pytest.raises(MissingError, match="have links and no text"):
        collection.capture(BASE + "1987")


def test_a_snapshot_that_has_pages_is_replaced_only_when_told(wiki: Path, tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "wiki").add("2009-08")
    ingest_dump(snapshot, wiki / "text")
    for source in ("tables", "text"):
        with pytest.raises(ExistsError, match=r"has (pages|captures) already"):
            ingest_dump(snapshot, wiki / source)
    with pytest.raises(UsageError, match="a dump is a whole wiki"):
        ingest_dump(snapshot, wiki / "tables", mode="add")
    urls = list(snapshot.urls)
    ingest_dump(snapshot, wiki / "tables", mode="again")
    assert [record.name for record in snapshot.parts] == ["links", "pages", "urls"]
    ingest_dump(snapshot, wiki / "text", mode="again")
    assert {"text", "warc"} <= {record.name for record in snapshot.parts}
    assert not any(record.lacks for record in snapshot.parts)
    assert list(ws.open(tmp_path / "wiki")["2009-08"].urls) == urls


@pytest.mark.parametrize("source", ["tables", "text"])
def test_a_dump_that_is_cut_off_leaves_the_snapshot_as_it_was(
    wiki: Path, tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cut"
    folder.mkdir()
    for path in (wiki / source).iterdir():
        cut = -30 if "pagelinks" in path.name or "xml" in path.name else None
        (folder / path.name).write_bytes(path.read_bytes()[:cut])
    snapshot = ws.create(tmp_path / "wiki").add("2009-08")
    with pytest.raises(FormatError, match="the file is cut off or damaged"):
        check_dump(folder)  # of a longer one the beginning would be in order
    heads = read_heads(find_dump(wiki / source).tables)
    monkeypatch.setattr("webstrata.store.wikipedia.ingest.check_dump", lambda path, **_: find_dump(path))
    monkeypatch.setattr("webstrata.store.wikipedia.tables.read_heads", lambda _: heads)
    with pytest.raises(FormatError, match="the file is cut off or damaged"):
        ingest_dump(snapshot, folder)
    assert list(snapshot.parts) == []
    assert not (snapshot.path / "ingest").exists()


def test_a_single_file_of_text_is_a_dump_too(wiki: Path, tmp_path: Path) -> None:
    [path] = (wiki / "text").iterdir()
    (tmp_path / "any.name").write_bytes(path.read_bytes())
    snapshot = ws.create(tmp_path / "wiki").add("2009-08")
    result = ingest_dump(snapshot, tmp_path / "any.name", settings=WikipediaSettings(redirects="eliminate"))
    assert isinstance(result, IngestResult)
    assert result.undated == result.captures
    reasons = snapshot.urls.others.to_pylist()
    assert {(row["node"], row["reason"]) for row in reasons} == {(None, "redirect")}
