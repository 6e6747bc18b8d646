"""Exports in XML: schemas, packings, namespaces, redirects, revisions, and files that are none."""

from __future__ import annotations

import bz2
from typing import TYPE_CHECKING

import pytest

from tests.store.wikipedia.dumps import Page, write_export
from webstrata.archive.responses import iter_answers
from webstrata.archive.tally import Tally
from webstrata.errors import FormatError, UsageError
from webstrata.store.ingest.readers import Source, find_format, read_archive
from webstrata.store.wikipedia.export import read_export, read_siteinfo
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.archive.record import Record

BASE = "https://simple.wikipedia.org/wiki/"
PAGES = [
    Page(1, 0, "Fish_1987", [(0, "Sea")]),
    Page(2, 0, "Fish_1988", [(0, "Sea")]),
    Page(3, 0, "Old_fish", redirect=(0, "Fish_1987")),
    Page(4, 14, "Fish"),
]


def read(path: Path, **chosen: object) -> tuple[dict[str, Record], Tally]:
    tally = Tally()
    records = read_export(path, tally, settings=WikipediaSettings(**chosen))  # type: ignore[arg-type]
    return {(record.url or "").removeprefix(BASE): record for record in records}, tally


@pytest.mark.parametrize("name", ["a.xml", "simplewiki-20090810-pages-articles.xml.bz2"])
@pytest.mark.parametrize("schema", ["0.3", "0.10", "0.11"])
def test_every_schema_and_packing_is_read(tmp_path: Path, schema: str, name: str) -> None:
    path = write_export(tmp_path / name, PAGES, schema=schema)
    assert find_format(path) == "MediaWiki export"
    records, tally = read(path)
    assert set(records) == {"Fish_1987", "Fish_1988", "Old_fish"}
    assert dict(tally.left_out) == {"a page of another namespace": 1}
    assert b"Last-Modified: Sat, 01 Aug 2009 00:00:00 GMT" in records["Fish_1987"].head
    assert records["Fish_1987"].get("WARC-Date") == ("2009-08-10T00:00:00Z" if "2009" in name else None)
    assert b"<title>Fish 1987</title>" in records["Fish_1987"].payload
    assert b'<a href="https://simple.wikipedia.org/wiki/Sea">Sea label</a>' in records["Fish_1987"].payload


def test_namespaces_are_chosen_and_have_their_names(tmp_path: Path) -> None:
    path = write_export(tmp_path / "a.xml", PAGES)
    assert "Category:Fish" in read(path, namespaces=(0, 14))[0]
    with pytest.raises(UsageError, match="what namespace 3000 of"):
        read(path, namespaces=(3000,))


@pytest.mark.parametrize(("redirects", "target"), [("resolve", BASE + "Fish_1987"), ("eliminate", None)])
def test_a_redirect_leads_to_its_page_or_nowhere(tmp_path: Path, redirects: str, target: str | None) -> None:
    records, _ = read(write_export(tmp_path / "a.xml", PAGES), redirects=redirects)
    [answer] = iter_answers([records["Old_fish"]], Tally())
    assert (answer.status, answer.redirect) == (301, target)


def test_articles_that_differ_in_numbers_alone_have_other_fingerprints(tmp_path: Path) -> None:
    pages = [Page(number, 0, f"Fish_198{number}", [(0, "Sea")] * 40) for number in (7, 8)]
    path = write_export(tmp_path / "a.xml", pages)
    records = read_archive(Source(path), Tally())
    marks = [answer.fingerprint for answer in iter_answers(records, Tally()) if answer.status == 200]
    assert len(set(marks)) == len(marks) == 2


def test_of_several_revisions_that_of_the_time_is_taken(tmp_path: Path) -> None:
    texts = [
        ("2009-08-31T23:59:59Z", "August"),
        ("2009-09-01T00:00:00Z", "September"),
        ("2010-01-01T00:00:00Z", "#REDIRECT [[Sea]]"),
    ]
    page = Page(1, 0, "Fish", redirect=(0, "Sea"))
    path = write_export(tmp_path / "a.xml", [page], revisions={1: [texts[1], texts[0], texts[2]]})
    for at, expected in (("2009-08", b"August"), ("2009-09-01", b"September"), ("2009", b"September")):
        assert expected in read(path, at=at)[0]["Fish"].payload
    assert read(path)[0]["Fish"].head.startswith(b"HTTP/1.1 301")
    records, tally = read(path, at="2009-07")
    assert (records, dict(tally.left_out)) == ({}, {"a page that was not there at that time": 1})


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda text: text[: len(text) // 2], "the file ends before its last page does"),
        (lambda text: text.replace("<revision>", "<revision", 1), "this is no XML"),
        (
            lambda text: text.replace("export-0.11", "export-0.99"),
            "schema 0.99, and those up to 0.11 are known",
        ),
        (lambda text: "<rss><item/></rss>", "XML that begins with rss, and no export"),
        (lambda text: '<!DOCTYPE a [<!ENTITY b "c">]>' + text, "declares no entities"),
        (lambda text: "no XML at all", "this is no XML"),
        (lambda text: "", "the file ends before"),
    ],
)
def test_what_is_no_export_is_refused(tmp_path: Path, damage: object, sentence: str) -> None:
    path = write_export(tmp_path / "a.xml", PAGES)
    path.write_text(damage(path.read_text()))  # type: ignore[operator]
    with pytest.raises(FormatError, match=sentence):
        read(path)


def test_a_bzip2_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = write_export(tmp_path / "a.xml.bz2", PAGES)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="the file is cut off or damaged"):
        read(path)
    path.write_bytes(bz2.compress(b"something else"))
    with pytest.raises(FormatError, match="this is no XML"):
        read(path)


def test_pages_without_text_and_without_a_wiki_are_told(tmp_path: Path) -> None:
    path = write_export(tmp_path / "a.xml", PAGES[:1])
    text = path.read_text()
    start, end = text.index("<text "), text.index("</text>") + 7
    path.write_text(text[:start] + '<text bytes="99" id="7" />' + text[end:])
    assert dict(read(path)[1].left_out) == {"a page whose text is not in the dump": 1}
    path.write_text(text.replace("<base>", "<nobase>").replace("</base>", "</nobase>"))
    with pytest.raises(UsageError, match="--base-url"):
        read_siteinfo(path)
    assert (
        read_siteinfo(path, base_url="http://w.org/index.php?title=").wiki.base
        == "http://w.org/index.php?title="
    )
