"""Sources stored as they are, or rewritten."""

from __future__ import annotations

import gzip
import zipfile
from typing import TYPE_CHECKING, Any, Literal

import pytest

import webstrata as ws
from tests.store.warcs import JUNE, pack, raw, response, sha1, show
from webstrata._core import archive as core
from webstrata.archive.warc import Capture, WarcWriter, read_records
from webstrata.store.ingest.run import ingest
from webstrata.store.inventory import list_records

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

PAGE = b"<title>Page</title><a href=/next>next</a>"


@pytest.fixture
def june(tmp_path: Path) -> Snapshot:
    return ws.create(tmp_path / "uk").add("2026-06")


def make_all() -> list[Any]:
    """Records of every kind, as a crawler of others would write them."""
    page = response("http://a.uk/", PAGE, head=b"Transfer-Encoding: x\r\n", more=(("X-Curator", "Ada"),))
    request = raw(
        "request",
        b"GET / HTTP/1.1\r\nHost: a.uk\r\n\r\n",
        ("WARC-Target-URI", "http://a.uk/"),
        ("WARC-Concurrent-To", dict(page[0])["WARC-Record-ID"]),
        ("Content-Type", "application/http; msgtype=request"),
    )
    return [
        raw("warcinfo", b"software: x/1\r\noperator: Ada\r\n", ("Content-Type", "application/warc-fields")),
        raw("response", b"20260612183000\na.uk. 1 IN A 192.0.2.1\n", ("WARC-Target-URI", "dns:a.uk"),
            ("Content-Type", "text/dns")),
        raw("resource", b"registrar: x", ("WARC-Target-URI", "whois://whois.example/a.uk"),
            ("Content-Type", "text/plain")),
        page,
        request,
        raw("metadata", b"seed: yes\r\n", ("WARC-Target-URI", "urn:metadata:a"),
            ("Content-Type", "application/warc-fields"), ("X-Unknown", "kept")),
        raw("conversion", b"as text", ("WARC-Target-URI", "http://a.uk/"), ("Content-Type", "text/plain")),
    ]  # fmt: skip


def describe(snapshot: Snapshot) -> tuple[Any, ...]:
    """Everything that the way of storing must not change."""
    links = [[(link.url, link.anchor) for link in snapshot.links[node]] for node in range(len(snapshot.urls))]
    texts = [snapshot.text[node].text for node in range(len(snapshot.urls))]
    lines = sorted(
        (entry.url, entry.timestamp, entry.status, entry.fields["digest"])
        for entry in snapshot.captures.index
    )
    return list(snapshot.urls), links, texts, lines


@pytest.mark.parametrize("copy", ["as-is", "rewrite"])
def test_records_of_every_kind_are_kept_with_every_header(
    tmp_path: Path, june: Snapshot, copy: Literal["as-is", "rewrite"]
) -> None:
    made = make_all()
    path = tmp_path / "all.warc.gz"
    path.write_bytes(pack(*made))
    result = ingest(june, [path], copy=copy)
    assert (result.captures, result.left_out) == (1, {})
    own = ["warcinfo"] if copy == "rewrite" else []  # that of the file we write
    kinds = [record.kind for record in list_records(june)]
    assert sorted(kinds) == sorted([*own, *(dict(each[0])["WARC-Type"] for each in made)])
    with june.open_part("warc") as part:
        stored = {
            each.get("WARC-Record-ID"): each
            for file in part.path.glob("*.warc.gz")
            for each in read_records(file)
        }
        if copy == "as-is":
            assert (part.path / "all.warc.gz").read_bytes() == path.read_bytes()
    for headers, block in made:
        kept = stored[dict(headers)["WARC-Record-ID"]]
        assert kept.kind in ("response", dict(headers)["WARC-Type"])
        missing = {pair for pair in headers if pair[0] not in ("Content-Length", "WARC-Block-Digest")} - set(
            kept.headers
        )
        assert not missing
        assert kept.kind == "response" or kept.block == block
    if copy == "rewrite":
        page = stored[dict(made[3][0])["WARC-Record-ID"]]
        assert str(page.get("X-Webstrata-Origin")).startswith("all.warc.gz offset=")


def test_both_ways_give_the_same_pages(tmp_path: Path) -> None:
    records = [
        response(f"http://a.uk/{n}", PAGE + b"%d" % (n % 3), date=f"2026-06-12T18:30:{n:02}Z")
        for n in range(9)
    ]
    packed = gzip.compress(PAGE, mtime=0)
    records.append(response("http://b.uk/", packed, head=b"Content-Encoding: gzip\r\n"))
    path = tmp_path / "a.warc.gz"
    path.write_bytes(pack(*records))
    collection = ws.create(tmp_path / "uk")
    kept = ingest(collection.add("2026-06"), [path], copy="as-is")
    rewritten = ingest(collection.add("2026-07"), [path], copy="rewrite")
    assert describe(collection["2026-06"]) == describe(collection["2026-07"])
    assert [result.duplicates for result in (kept, rewritten)] == [6, 6]


def test_files_in_every_compression_that_can_be_read_in_place_are_copied(tmp_path: Path) -> None:
    capture = Capture(
        url="http://a.uk/",
        date=1_781_289_000 * 10**9,
        head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html",
        body=PAGE,
    )
    collection = ws.create(tmp_path / "uk")
    for number, compression in enumerate(("none", "gzip", "zstd"), 1):
        folder = tmp_path / compression
        folder.mkdir()
        level = {} if compression == "gzip" else {"level": 3}
        with WarcWriter(folder, "a", compression=compression, **level) as writer:  # type: ignore[arg-type]
            path = folder / writer.write(capture).filename
        snapshot = collection.add(f"2026-0{number}")
        result = ingest(snapshot, [path])
        assert (result.copied, result.notes) == (1, [])
        assert snapshot.capture("http://a.uk/").payload == PAGE
        assert [link.anchor for link in snapshot.links[0]] == ["next"]
        with snapshot.open_part("warc") as part:
            assert (part.path / path.name).read_bytes() == path.read_bytes()


def test_a_file_compressed_as_a_whole_is_rewritten_with_a_note(tmp_path: Path, june: Snapshot) -> None:
    path = tmp_path / "whole.warc.gz"
    path.write_bytes(gzip.compress(b"".join(map(show, make_all()))))
    result = ingest(june, [path])
    assert (result.captures, result.copied) == (1, 0)
    assert result.notes == [f"{path}: its records are not compressed one by one, so the file is rewritten"]
    kinds = [record.kind for record in list_records(june)]
    assert kinds.count("warcinfo") == 2  # that of the file, and ours
    assert {"conversion", "metadata", "request", "resource"} <= set(kinds)


def test_the_warc_files_of_a_wacz_are_extracted_as_they_are(tmp_path: Path, june: Snapshot) -> None:
    data = pack(*make_all())
    with zipfile.ZipFile(tmp_path / "a.wacz", "w") as archive:
        archive.writestr("archive/r.warc.gz", data)
        archive.writestr("archive/s.warc.gz", pack(response("http://s.uk/", b"<p>s")))
    result = ingest(june, [tmp_path / "a.wacz"])
    assert (result.captures, result.copied) == (2, 2)
    with june.open_part("warc") as part:
        assert (part.path / "r.warc.gz").read_bytes() == data


def test_the_same_file_under_two_names_is_copied_once(tmp_path: Path, june: Snapshot) -> None:
    for name in ("a.warc.gz", "b.warc.gz"):
        (tmp_path / name).write_bytes(pack(*make_all()))
    result = ingest(june, [tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"])
    assert (result.captures, result.repeated, result.copied) == (1, 1, 1)
    again = ingest(june, [tmp_path / "b.warc.gz"], mode="add")
    assert (again.captures, again.repeated, again.copied) == (0, 1, 0)
    with june.open_part("warc") as part:
        assert [path.name for path in part.path.glob("*.warc*")] == ["a.warc.gz"]


def test_captures_are_added_to_files_that_stay_as_they_are(tmp_path: Path, june: Snapshot) -> None:
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "a.warc.gz").write_bytes(pack(response(f"http://{number}.uk/", PAGE)))
        ingest(june, [folder / "a.warc.gz"], mode="add" if number else "new")
    assert list(june.urls) == ["http://0.uk/", "http://1.uk/"]
    with june.open_part("warc") as part:
        names = sorted(path.name for path in part.path.glob("*.warc*"))
        assert names == ["a-2.warc.gz", "a.warc.gz"]
        assert len((part.path / "provenance.jsonl").read_text().splitlines()) == 2


def test_what_there_is_of_a_record_that_is_cut_off_is_stored_too(tmp_path: Path, june: Snapshot) -> None:
    data = show(response("http://a.uk/", PAGE)) + show(response("http://b.uk/", b"<p>begun " * 99))
    path = tmp_path / "cut.warc"
    path.write_bytes(data[:-200])
    result = ingest(june, [path])
    assert (result.captures, result.damaged, result.copied) == (2, 1, 1)
    assert june.capture("http://b.uk/").payload.startswith(b"<p>begun ")
    assert june.capture("http://b.uk/").entry.fields["truncated"] == "unspecified"


def revisit(url: str, block: bytes = b"", *more: tuple[str, str], date: str = JUNE) -> Any:  # noqa: ANN401
    profile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    about = (("WARC-Target-URI", url), ("WARC-Profile", profile), ("Content-Type", "application/http"))
    return raw("revisit", block, *about, *more, date=date)


@pytest.mark.parametrize("copy", ["as-is", "rewrite"])
@pytest.mark.parametrize("block", [b"", b"HTTP/1.1 304 Not Modified\r\n\r\n"])
def test_a_not_modified_record_without_its_original_stays_what_it_is(
    tmp_path: Path,
    june: Snapshot,
    copy: Literal["as-is", "rewrite"],
    block: bytes,
) -> None:
    other = response("http://a.uk/", b"<p>another version", date="2026-06-01T00:00:00Z")
    elsewhere = ("WARC-Refers-To-Date", "2025-01-01T00:00:00Z")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(pack(other, revisit("http://a.uk/", block), revisit("http://b.uk/", block, elsewhere)))
    result = ingest(june, [path], copy=copy)
    assert (result.captures, result.revisits, result.unresolved) == (3, 2, 2)
    for url in ("http://a.uk/", "http://b.uk/"):
        found = june.capture(url)
        assert (found.is_revisit, found.status, found.source) == (True, 304 if block else 0, None)
        assert (found.entry.fields["digest"], found.head) == ("-", block) if block else True
    assert list(june.urls) == ["http://a.uk/"]
    assert june.text[0].text == "another version"


@pytest.mark.parametrize("copy", ["as-is", "rewrite"])
def test_a_not_modified_record_has_the_payload_of_the_capture_it_names(
    tmp_path: Path,
    june: Snapshot,
    copy: Literal["as-is", "rewrite"],
) -> None:
    block = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    first = response("http://a.uk/", b"<p>first", date="2026-06-01T00:00:00Z")
    second = response("http://a.uk/", b"<p>second", date="2026-06-02T00:00:00Z")
    named = ("WARC-Refers-To-Date", "2026-06-01T00:00:00Z")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(pack(revisit("http://a.uk/", block, named), first, second))
    assert ingest(june, [path], copy=copy).unresolved == 0
    found = june.capture("http://a.uk/")
    assert (found.status, found.is_revisit, found.payload) == (304, True, b"<p>first")


def test_a_record_bomb_is_passed_over(tmp_path: Path, june: Snapshot) -> None:
    body = bytes(200 << 20)
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    bomb = raw("response", block, ("WARC-Target-URI", "http://b.uk/"), ("Content-Type", "application/http"))
    path = tmp_path / "a.warc.gz"
    path.write_bytes(pack(response("http://a.uk/", PAGE), bomb, response("http://c.uk/", PAGE + b"c")))
    result = ingest(june, [path])
    assert list(june.urls) == ["http://a.uk/", "http://c.uk/"]
    assert "would become a record of" in result.damage[0].what


def test_the_core_writes_records_as_they_are_given(tmp_path: Path) -> None:
    files = core.WarcFiles(tmp_path, "a", 1 << 30, "gzip", 6, None, [])
    headers, block = response("http://a.uk/", PAGE)
    name, offset, length = files.write_record(headers, block, 0)
    files.close()
    [found] = read_records(tmp_path / name, kinds=["response"])
    assert (found.offset, found.block) == (offset, block)
    assert dict(found.headers) == dict(headers)
    assert (tmp_path / name).stat().st_size == offset + length
    assert sha1(found.block) == found.get("WARC-Block-Digest")
