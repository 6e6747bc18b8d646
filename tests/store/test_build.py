"""From the folder of a crawl to the parts of a snapshot."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.archive.cdxj import Index, Line
from webstrata.archive.warc import Capture, Revisit, WarcWriter, read_record
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.build import build_parsed, build_store

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

PARTS = ["anchors", "captures", "links", "pages", "text", "urls", "warc"]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    found = ws.create(tmp_path / "uk").add("2026-06")
    assert isinstance(found, ws.Snapshot)
    return found


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Three pages, of which c is stored as a revisit of b, and a redirect to c."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    captures = [
        Capture(url="http://b.org/", date=10**18, head=HEAD, body=b"the same"),
        Capture(url="http://a.org/", date=10**18, head=HEAD, body=b"another"),
        Capture(
            url="http://c.org/",
            date=10**18 + 10**9,
            head=HEAD,
            body=b"the same",
            revisit=Revisit("identical-digest", "http://b.org/", 10**18),
        ),
        Capture(url="http://r.org/", date=10**18, head=b"HTTP/1.1 301 Moved", body=b""),
    ]
    with WarcWriter(folder, "crawl", max_bytes=1500) as writer, (folder / "captures.cdxj").open("wb") as out:
        for capture in captures:
            line = Line(
                url=capture.url,
                date=capture.date,
                mime="warc/revisit" if capture.revisit else "text/html",
                status=301 if capture.url == "http://r.org/" else 200,
                digest=capture.digest,
                duplicate_of=capture.revisit.url if capture.revisit else None,
                redirect="http://c.org/" if capture.url == "http://r.org/" else None,
                **writer.write(capture)._asdict(),
            )
            out.write(line.to_bytes())
    return folder


def test_the_parts_are_there_and_agree(snapshot: Snapshot, crawl: Path) -> None:
    build_store(snapshot, crawl)
    assert [record.name for record in snapshot.parts] == PARTS
    assert list(snapshot.urls) == ["http://a.org/", "http://b.org/", "http://c.org/"]
    assert snapshot.pages.table("url")["url"].to_pylist() == list(snapshot.urls)
    assert (snapshot.urls.node("http://r.org/"), snapshot.urls.node("http://c.org/")) == (2, 2)
    with (
        snapshot.open_part("warc") as warc,
        snapshot.open_part("captures") as part,
        Index(part.path) as index,
    ):
        assert warc.counts == {"files": len(list(crawl.glob("*.gz"))), "captures": 4}
        for page in (snapshot.pages[1], snapshot.pages[2]):
            record = read_record(warc.path / page["warc_filename"], page["warc_record_offset"])
            assert record.payload == b"the same"
        entry = index.lookup("http://c.org/")
        assert entry is not None
        record = read_record(warc.path / entry.fields["filename"], int(entry.fields["offset"]))
        assert (record.kind, record.url) == ("revisit", "http://c.org/")
        assert sum(1 for _ in index) == 4
    assert not any(state.stale for state in snapshot.collection.states().values())


def test_parts_that_are_parsed_can_be_left_for_later(snapshot: Snapshot, crawl: Path) -> None:
    build_store(snapshot, crawl, parts=())
    assert [record.name for record in snapshot.parts] == ["captures", "pages", "urls", "warc"]
    build_parsed(snapshot, ["anchors", "links"], workers=1)
    assert [record.name for record in snapshot.parts] == [name for name in PARTS if name != "text"]
    build_parsed(snapshot, ["text"])
    assert [record.name for record in snapshot.parts] == PARTS
    assert snapshot.text[1].text == "the same"
    with pytest.raises(UsageError, match="no part sound to parse"):
        build_parsed(snapshot, ["sound"])


def test_files_are_linked_and_not_copied(snapshot: Snapshot, crawl: Path) -> None:
    build_store(snapshot, crawl)
    with snapshot.open_part("warc") as part:
        for path in crawl.glob("*.gz"):
            assert path.samefile(part.path / path.name)


def test_files_on_another_disk_are_copied(
    snapshot: Snapshot, crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "link", refuse)
    build_store(snapshot, crawl)
    with snapshot.open_part("warc") as part:
        for path in crawl.glob("*.gz"):
            assert (part.path / path.name).read_bytes() == path.read_bytes()
            assert not path.samefile(part.path / path.name)


def test_the_order_of_the_lines_does_not_matter(snapshot: Snapshot, crawl: Path) -> None:
    build_store(snapshot, crawl)
    before = {record.name: record.checksum for record in snapshot.parts}
    lines = (crawl / "captures.cdxj").read_bytes().splitlines(keepends=True)
    (crawl / "captures.cdxj").write_bytes(b"".join(reversed(lines)))
    build_store(snapshot, crawl)
    assert {record.name: record.checksum for record in snapshot.parts} == before


def test_a_crawl_that_has_not_ended_is_refused(snapshot: Snapshot, crawl: Path) -> None:
    (crawl / "crawl-00009.warc.gz.open").touch()
    with pytest.raises(UsageError, match="not closed"):
        build_store(snapshot, crawl)
    assert len(snapshot.parts) == 0


def test_lines_without_their_file_are_refused(snapshot: Snapshot, crawl: Path) -> None:
    next(crawl.glob("*.gz")).unlink()
    with pytest.raises(FormatError, match="not in this folder"):
        build_store(snapshot, crawl)
    assert len(snapshot.parts) == 0


def test_a_folder_of_no_crawl_is_refused(snapshot: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"captures\.cdxj"):
        build_store(snapshot, tmp_path)
    with pytest.raises(MissingError):
        build_store(snapshot, tmp_path / "none")


def test_a_snapshot_without_pages_says_so(snapshot: Snapshot) -> None:
    with pytest.raises(MissingError, match="no part pages"):
        _ = snapshot.pages
    with pytest.raises(MissingError, match="no part urls"):
        _ = snapshot.urls
