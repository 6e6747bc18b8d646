"""Captures found by URL and time, revisits with the payload they refer to."""

from __future__ import annotations

import datetime as dt
import os
import zlib
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.store.crawls import Answer, write_crawl
from webstrata.archive.cdxj import Line
from webstrata.archive.warc import Capture, Revisit, WarcWriter
from webstrata.errors import MissingError, UrlError, UsageError
from webstrata.store.build import build_store
from webstrata.store.captures import Captures, find_capture
from webstrata.store.main_content.methods import find_places
from webstrata.store.text import cut_main

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection, Snapshot
    from webstrata.store.captures import Match

JUNE = 1_781_289_000 * 10**9  # 2026-06-12T18:30:00Z
DAY = 86_400 * 10**9
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


def store(snapshot: Snapshot, folder: Path, *captures: Capture, mime: str = "text/html") -> Snapshot:
    """Put captures into a snapshot, as a crawl would."""
    folder.mkdir(parents=True, exist_ok=True)
    with WarcWriter(folder, snapshot.date) as writer, (folder / "captures.cdxj").open("wb") as lines:
        for capture in captures:
            line = Line(
                url=capture.url,
                date=capture.date,
                mime="warc/revisit" if capture.revisit else mime,
                status=200,
                digest=capture.digest,
                duplicate_of=capture.revisit.url if capture.revisit else None,
                **writer.write(capture)._asdict(),
            )
            lines.write(line.to_bytes())
    build_store(snapshot, folder)
    return snapshot


def make(url: str, body: str = "", date: int = JUNE, **more: Any) -> Capture:  # noqa: ANN401
    return Capture(url=url, date=date, head=HEAD, body=body.encode(), **more)


@pytest.fixture(scope="module")
def uk(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    tmp_path = tmp_path_factory.mktemp("captures")
    collection = ws.create(tmp_path / "uk")
    store(
        collection.add("2026-06"),
        tmp_path / "june",
        make("http://a.uk/", "<p>June 12"),
        make("http://a.uk/", "<p>June 14", JUNE + 2 * DAY),
        make("http://www.b.uk/x", "<p>Grüße"),
        make("http://b.uk/x-y", "<p>hyphen"),
        make("http://sub.b.uk/", "<p>sub"),
    )
    store(collection.add("2026-07"), tmp_path / "july", make("http://a.uk/", "<p>July", JUNE + 30 * DAY))
    return collection


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (None, "July"),
        ("2026-06", "June 14"),
        ("2026-06-13", "June 12"),
        ("2026-06-14", "June 14"),
        ("20260612183000", "June 12"),
        (dt.datetime(2026, 6, 14, 18, 29, 59, tzinfo=dt.UTC), "June 12"),
        ("2027", "July"),
    ],
)
def test_the_nearest_capture_at_or_before_a_time_is_found(
    uk: Collection, at: dt.datetime | str | None, text: str
) -> None:
    assert uk.capture("HTTP://a.uk:80/#x", at).text == text


def test_the_text_is_the_stored_one_where_it_is_of_this_capture(uk: Collection) -> None:
    # of the three captures the first of June and that of July are nodes
    for at, stored in (("2026-06-13", True), ("2026-06-14", False), ("2026-07", True)):
        capture = uk.capture("http://a.uk/", at)
        text = capture.text, capture.main
        assert (capture.stored_text is not None) == stored
        # nothing was parsed to tell it
        assert ("page" in vars(capture)) != stored
        assert text == (
            capture.page.text,
            cut_main(text[0], find_places("dom", capture.page, capture.payload)),
        )


def test_what_was_not_captured_is_told_with_what_to_do(uk: Collection) -> None:
    with pytest.raises(MissingError, match=r"was first captured at 2026-06-12T18:30:00Z, after 2026-05"):
        uk.capture("http://a.uk/", "2026-05")
    with pytest.raises(MissingError, match=r"http://c.uk/ was not captured; call `collection.ls"):
        uk.capture("http://c.uk/")
    with pytest.raises(UrlError):
        uk.capture("a.uk")
    with pytest.raises(UsageError, match="is not a date"):
        uk.capture("http://a.uk/", "June")


def test_a_url_that_is_spelled_otherwise_is_found_by_its_key(uk: Collection) -> None:
    assert uk.capture("https://b.uk/X").url == "http://www.b.uk/x"
    assert uk["2026-06"].capture("http://b.uk/x").text == "Grüße"


def test_a_snapshot_knows_its_own_captures_alone(uk: Collection) -> None:
    assert uk["2026-06"].capture("http://a.uk/").text == "June 14"
    with pytest.raises(MissingError):
        uk["2026-07"].capture("http://sub.b.uk/")


def test_everything_of_a_capture_is_told(uk: Collection) -> None:
    capture = uk.capture("http://www.b.uk/x")
    assert (capture.label, capture.status, capture.mime) == ("2026-06", 200, "text/html")
    assert capture.time == dt.datetime(2026, 6, 12, 18, 30, tzinfo=dt.UTC)
    assert ("content-type", "text/html; charset=utf-8") in capture.headers
    assert capture.payload == "<p>Grüße".encode()
    assert capture.decoded == "<p>Grüße"
    assert not capture.is_revisit


@pytest.mark.parametrize(
    ("where", "match", "urls"),
    [
        ("http://a.uk/", "exact", ["http://a.uk/", "http://a.uk/"]),
        ("uk,b)/x", "exact", ["http://www.b.uk/x"]),
        ("uk,b)/x", "prefix", ["http://www.b.uk/x", "http://b.uk/x-y"]),
        ("b.uk/x", "prefix", ["http://www.b.uk/x", "http://b.uk/x-y"]),
        ("uk,b)/", "host", ["http://www.b.uk/x", "http://b.uk/x-y"]),
        ("www.b.uk", "host", ["http://www.b.uk/x", "http://b.uk/x-y"]),
        ("uk,b", "domain", ["http://www.b.uk/x", "http://b.uk/x-y", "http://sub.b.uk/"]),
        ("http://b.uk/x", "domain", ["http://www.b.uk/x", "http://b.uk/x-y", "http://sub.b.uk/"]),
        (
            "uk,",
            "prefix",
            ["http://a.uk/"] * 2 + ["http://www.b.uk/x", "http://b.uk/x-y", "http://sub.b.uk/"],
        ),
    ],
)
def test_captures_are_listed_by_url_prefix_host_and_domain(
    uk: Collection,
    where: str,
    match: Match,
    urls: list[str],
) -> None:
    assert [entry.url for entry in uk["2026-06"].captures.scan(where, match)] == urls


def test_a_revisit_has_the_payload_it_refers_to_in_any_snapshot(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    original = make("http://b.uk/", "<p>same")
    back = Revisit("identical-digest", "http://b.uk/", JUNE)
    store(
        collection.add("2026-06"),
        tmp_path / "june",
        original,
        make("http://a.uk/", date=JUNE + DAY, revisit=back, digest=original.digest),
    )
    store(
        collection.add("2026-07"),
        tmp_path / "july",
        make("http://c.uk/", date=JUNE + 30 * DAY, revisit=back, digest=original.digest),
        make("http://d.uk/", date=JUNE + 30 * DAY, revisit=back, digest=bytes(20)),
        make(
            "http://b.uk/",
            date=JUNE + 30 * DAY,
            revisit=Revisit("not-modified", "http://b.uk/", JUNE),
            digest=bytes(20),
        ),
        make(
            "http://b.uk/",
            date=JUNE + 31 * DAY,
            revisit=Revisit("not-modified", "http://b.uk/"),
            digest=bytes(20),
        ),
    )
    unnamed = collection.capture("http://b.uk/")  # it does not say which capture was not modified
    with pytest.raises(MissingError, match=r"not in the collection"):
        _ = unnamed.payload
    for url, at in (("http://a.uk/", None), ("http://c.uk/", None), ("http://b.uk/", "20260712190000")):
        capture = collection.capture(url, at)
        assert (capture.is_revisit, capture.payload, capture.mime) == (True, b"<p>same", "text/html")
    assert collection["2026-07"].capture("http://c.uk/").payload == b"<p>same"
    lost = collection.capture("http://d.uk/")
    with pytest.raises(
        MissingError, match=r"payload of http://b.uk/ at 2026-06-12T18:30:00.*not in the collection"
    ):
        _ = lost.payload
    assert lost.status == 200


def test_what_is_no_text_has_none(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    page = make("http://a.uk/", "%PDF")
    store(snapshot, tmp_path / "in", page, mime="application/pdf")
    with pytest.raises(UsageError, match="this is application/pdf, which has no text here"):
        _ = snapshot.capture("http://a.uk/").text
    assert snapshot.capture("http://a.uk/").payload == b"%PDF"


def test_lookups_agree_with_a_list(tmp_path: Path) -> None:
    days = [0, 1, 5, 6, 7, 20, 21, 40]
    pages = [make("http://a.uk/", f"<p>{day}", JUNE + day * DAY) for day in reversed(days)]
    snapshot = store(ws.create(tmp_path / "uk").add("2026-06"), tmp_path / "in", *pages)
    for day in range(-2, 45):
        at = (dt.datetime(2026, 6, 12) + dt.timedelta(days=day)).strftime("%Y%m%d")
        expected = max((other for other in days if other <= day), default=None)
        found = snapshot.captures.lookup("http://a.uk/", at)
        assert (found is None) == (expected is None)
        if found is not None:
            assert find_capture([Captures(snapshot)], "http://a.uk/", at).text == str(expected)


def test_a_collection_sees_what_is_built_anew(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    store(collection.add("2026-06"), tmp_path / "one", make("http://a.uk/", "<p>old"))
    assert collection.capture("http://a.uk/").text == "old"
    first = collection._captures.list()
    assert collection._captures.list() == first
    store(collection.add("2026-06"), tmp_path / "two", make("http://a.uk/", "<p>new"))
    store(collection.add("2026-07"), tmp_path / "three", make("http://b.uk/", "<p>b"))
    assert collection.capture("http://a.uk/").text == "new"
    assert collection.capture("http://b.uk/").label == "2026-07"


def test_an_index_of_other_files_is_not_believed(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    store(snapshot, tmp_path / "in", make("http://a.uk/", "<p>a"))
    with snapshot.write_part("warc") as build:
        (build.path / "other.warc").touch()
    with pytest.raises(MissingError, match="the index is older than the WARC files; wait"):
        Captures(snapshot)


def test_a_lookup_reads_one_block_of_the_index_and_one_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: dict[str, bytes | Answer] = {
        f"http://a.org/{number:04}": b"<p>%d" % number for number in range(1000)
    }
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    build_store(snapshot, write_crawl(tmp_path / "crawl", pages), parts=())
    snapshot.capture("http://a.org/0000")
    blocks: list[int] = []
    records: list[int] = []
    unpack, read = zlib.decompress, os.pread

    def count_block(data: bytes, wbits: int) -> bytes:
        blocks.append(len(data))
        return unpack(data, wbits)

    def count_record(stream: int, size: int, offset: int) -> bytes:
        records.append(size)
        return read(stream, size, offset)

    monkeypatch.setattr(zlib, "decompress", count_block)
    monkeypatch.setattr(os, "pread", count_record)
    # the package writes 300 lines to a block: the first line of one is looked for in the one before, too
    for number, expected in ((150, 1), (299, 1), (300, 2), (777, 1)):
        blocks.clear()
        records.clear()
        capture = snapshot.capture(f"http://a.org/{number:04}")
        assert capture.payload == b"<p>%d" % number
        assert len(blocks) == expected
        assert records == [int(capture.entry.fields["length"])]
