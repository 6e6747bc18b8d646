"""Sitemaps as lists of files: found, missing, hostile."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.archive.sitemaps import read_sitemap
from webstrata.archive.tally import Tally
from webstrata.store.ingest.readers import find_format
from webstrata.store.ingest.run import ingest, list_sources

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.archive.warc import Record

START = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def write(path: Path, *urls: str, start: str = START) -> Path:
    entries = "".join(f"<url>\n<loc>{url}</loc><priority>1</priority></url>" for url in urls)
    path.write_text(f"{start}{entries}</urlset>")
    return path


def read(path: Path, **more: object) -> tuple[list[Record], Tally]:
    tally = Tally()
    return list(read_sitemap(path, tally, **more)), tally  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("http://a.uk/", "index.html"),
        ("http://a.uk/x/y", "x/y"),
        ("http://a.uk/x/y", "x/y.html"),
        ("http://a.uk/x/y", "x/y/index.html"),
        ("http://a.uk/caf%C3%A9%20b.html?q=1", "a.uk/café b.html"),
        ("http://a.uk:8080/z.xhtml", "a.uk:8080/z.xhtml"),
    ],
)
def test_a_url_finds_its_file(tmp_path: Path, url: str, file: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("<!doctype html><title>A</title>")
    os.utime(tmp_path / file, (10**9, 10**9))
    records, tally = read(write(tmp_path / "sitemap.xml", url))
    assert [record.url for record in records] == [url]
    assert records[0].get("WARC-Date") == "2001-09-09T01:46:40Z"
    assert (records[0].get("Content-Type") or "").endswith(("text/html", "xhtml+xml"))
    assert not tally.left_out


def test_the_sitemaps_of_others_are_told_and_gone_through(test_data: Path) -> None:
    for name in ("sitemap.ns.xml", "sitemap.badns.xml", "sitemap.index.xml"):
        path = test_data / "sitemaps" / name
        assert find_format(path) == "sitemap"
        records, tally = read(path)
        assert records == []
        assert tally.left_out.total() >= 1, name


def test_escapes_prefixes_and_cdata_are_understood(tmp_path: Path) -> None:
    (tmp_path / "a&b.html").write_text("A")
    (tmp_path / "c.html").write_text("C")
    path = tmp_path / "map"
    path.write_text(
        '<s:urlset xmlns:s="x"><s:url><s:loc> http://a.uk/a&amp;b.html </s:loc>'
        "<s:lastmod>2026-06-12T20:30:00+02:00</s:lastmod></s:url>"
        "<s:url><s:loc><![CDATA[http://a.uk/c.html]]></s:loc></s:url></s:urlset>"
    )
    records, _ = read(path)
    assert [record.block for record in records] == [b"A", b"C"]
    assert records[0].get("WARC-Date") == "2026-06-12T18:30:00Z"


def test_a_sitemap_of_sitemaps_stands_for_those_that_are_here(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("A")
    write(tmp_path / "one.xml", "http://a.uk/a.html")
    (tmp_path / "one.xml.gz").write_bytes(gzip.compress((tmp_path / "one.xml").read_bytes()))
    names = ("one.xml.gz", "gone.xml", "all.xml")  # the last is itself
    entries = "".join(f"<sitemap><loc>http://a.uk/{name}</loc></sitemap>" for name in names)
    (tmp_path / "all.xml").write_text(f"<sitemapindex>{entries}</sitemapindex>")
    records, tally = read(tmp_path / "all.xml")
    assert [record.url for record in records] == ["http://a.uk/a.html"]
    assert dict(tally.left_out) == {"a sitemap that another one lists, and that is not here": 1}


def test_no_file_outside_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text("secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.html").symlink_to(tmp_path / "secret.html")
    bomb = '<!DOCTYPE x [<!ENTITY a "http://a.uk/link.html">]><urlset>'
    urls = ["http://a.uk/%2e%2e/secret.html", "http://a.uk/..%2fsecret.html", "http://a.uk/link.html"]
    urls += [
        "file:///etc/passwd",
        f"http://a.uk/{'x' * 5000}",
        "http://../secret.html",
        "&a;",
        "http://a.uk/%00",
    ]
    records, tally = read(write(inside / "sitemap.xml", *urls, start=bomb))
    assert records == []
    assert tally.left_out.total() == len(urls)


def test_what_never_ends_takes_no_longer_than_it_is_long(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(b"<urlset>" + b"<url><loc>" * 200_000)
    records, tally = read(path)
    assert records == []
    assert tally.damage[0].what == "the sitemap lists nothing"


def test_a_folder_and_its_sitemap_become_a_snapshot(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text("<title>A</title>")
    sitemap = tmp_path / "sitemap.xml"
    sitemap.write_text(
        "<urlset><url><loc>http://a.uk/a.html</loc><lastmod>2026-06-12</lastmod></url>"
        "<url><loc>http://a.uk/gone</loc></url></urlset>"
    )
    assert [source.path for source in list_sources([pages, sitemap])] == [sitemap]
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    result = ingest(snapshot, [pages, sitemap])
    assert (result.pages, result.other_time) == (1, 0)
    assert result.left_out == {"listed in a sitemap, and no file of it is here": 1}
    assert list(snapshot.urls) == ["http://a.uk/a.html"]
