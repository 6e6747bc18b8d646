"""Folders of HTML files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from webstrata.archive.html_folder import is_html, read_tree
from webstrata.archive.tally import Tally
from webstrata.errors import UrlError, UsageError


def make(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<html><p>{name}")
    return folder


def test_pages_have_the_urls_a_static_server_would_give_them(tmp_path: Path) -> None:
    folder = make(tmp_path, "index.html", "a/index.htm", "a/b c.html", "a/q?x.html", "ü.XHTML", "style.css")
    tally = Tally()
    records = list(read_tree(folder, tally, base_url="https://example.org"))
    assert [(record.url or "").removeprefix("https://example.org/") for record in records] == [
        "", "%C3%BC.XHTML", "a/b%20c.html", "a/", "a/q%3Fx.html",
    ]  # fmt: skip
    assert tally.left_out == {"not HTML": 1}
    assert records[1].get("Content-Type") == "application/xhtml+xml"


def test_folders_named_by_hosts_need_no_base(tmp_path: Path) -> None:
    folder = make(tmp_path, "www.example.org/a.html", "example.co.uk:8080/index.html")
    found = [record.url for record in read_tree(folder, Tally())]
    assert found == ["http://example.co.uk:8080/", "http://www.example.org/a.html"]


def test_a_folder_without_a_url_is_refused_with_what_to_do(tmp_path: Path) -> None:
    folder = make(tmp_path, "a.html", "www.example.org/a.html")
    with pytest.raises(UsageError, match="--base-url"):
        list(read_tree(folder, Tally()))
    with pytest.raises(UrlError):
        list(read_tree(folder, Tally(), base_url="ftp://example.org/"))


def test_a_page_was_captured_when_its_file_was_changed(tmp_path: Path) -> None:
    folder = make(tmp_path, "a.html")
    os.utime(folder / "a.html", (10**9, 10**9))
    record = next(read_tree(folder, Tally(), base_url="http://a.uk/"))
    assert record.get("WARC-Date") == "2001-09-09T01:46:40Z"


def test_links_are_not_followed_and_names_without_an_ending_are_looked_at(tmp_path: Path) -> None:
    folder = make(tmp_path, "page")
    (folder / "data").write_text("just text")
    (folder / "secret.html").symlink_to("/etc/passwd")
    tally = Tally()
    assert [r.url for r in read_tree(folder, tally, base_url="http://a.uk/")] == ["http://a.uk/page"]
    assert tally.left_out == {"not HTML": 1, "a symbolic link": 1}


def test_a_name_that_is_no_utf8_becomes_escapes(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.html"))
    path.write_text("<p>")
    assert [r.url for r in read_tree(tmp_path, Tally(), base_url="http://a.uk/")] == ["http://a.uk/%FF.html"]


def test_html_is_told_by_how_it_begins() -> None:
    assert is_html(b"<!-- saved --> <HTML lang=en>")
    assert not is_html(b"<htmlish>")
    assert not is_html(b"%PDF-1.4")
