"""What is known of pages already is taken over, and the files are those that parsing makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.store.crawls import write_crawl
from tests.store.test_contents import build, checksums, make_pages
from webstrata.store import contents
from webstrata.store.build import build_store
from webstrata.store.reuse import find_earlier, open_earlier

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata._core import store as core


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs of the pages that are parsed from now on."""
    urls: list[str] = []
    parse_rows = contents._parse_rows

    def count(
        kernel: core.Contents, path: Path, rows: list[int], chosen: list[dict[str, Any]], *rest: object
    ) -> int:
        urls.extend(page["url"] for page in chosen)
        return parse_rows(kernel, path, rows, chosen, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(contents, "_parse_rows", count)
    return urls


@pytest.mark.parametrize("size", [64, contents.RANGE])
def test_what_an_earlier_snapshot_has_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parsed: list[str], size: int
) -> None:
    monkeypatch.setattr(contents, "RANGE", size)
    pages = make_pages(150)
    build(tmp_path, pages, "2026-05")
    pages["http://a.org/7"] = b"<title>new</title><a href=/0>to 0</a>"
    pages["http://b.org/moved"] = pages.pop("http://a.org/9")
    del pages["http://a.org/100"]
    apart = build(tmp_path / "apart", pages, "2026-06")
    parsed.clear()
    snapshot = build(tmp_path, pages, "2026-06")
    assert sorted(parsed) == ["http://a.org/7", "http://b.org/moved"]
    assert snapshot.parts.record("text").counts["taken"] == 147
    # the files are those that a build without an earlier snapshot makes
    assert checksums(snapshot) == checksums(apart)


def test_a_page_without_links_and_one_of_no_charset_are_taken_as_they_are(
    tmp_path: Path, parsed: list[str]
) -> None:
    pages = {"http://a.org/": b"", "http://a.org/b": b"<p>no link", "http://a.org/c": b"<a href=b>b</a>"}
    before = build(tmp_path, dict(pages), "2026-05")
    parsed.clear()
    after = build(tmp_path, dict(pages), "2026-06")
    assert parsed == []
    assert checksums(before) == checksums(after)


def test_only_what_is_whole_and_found_in_the_same_way_is_taken(tmp_path: Path) -> None:
    bare = build(tmp_path, make_pages(3), "2026-04", parts=())
    assert open_earlier(bare) is None
    full = build(tmp_path, make_pages(3), "2026-05")
    assert open_earlier(full, main="trafilatura") is None
    later = build(tmp_path, make_pages(2), "2026-06")
    found = find_earlier(later)
    assert found is not None
    with found:
        assert found.pages.path.parent.parent == full.path
    # pages that the text was not made from: somebody stopped half-way
    crawl = write_crawl(tmp_path / "more", make_pages(4))
    build_store(full, crawl, parts=())
    assert open_earlier(full.collection["2026-05"]) is None
