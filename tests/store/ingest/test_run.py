"""Archives of others become snapshots."""

from __future__ import annotations

import gzip
import hashlib
import random
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.archive.test_trec import STORE
from webstrata.archive.cdxj import Index
from webstrata.archive.warc import Capture, Problem, Revisit, WarcWriter, check, read_records
from webstrata.errors import ExistsError, FormatError, UsageError
from webstrata.store.ingest.run import ingest, list_sources

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.archive.cdxj import Entry

JUNE = 1_781_289_000 * 10**9  # 2026-06-12T18:30:00Z
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def make(url: str, body: bytes = b"", date: int = JUNE, head: bytes = HEAD, **more: object) -> Capture:
    return Capture(url=url, date=date, head=head, body=body or f"<html>{url}".encode(), **more)  # type: ignore[arg-type]


def write(folder: Path, *captures: Capture) -> Path:
    folder.mkdir(exist_ok=True)
    with WarcWriter(folder, "a") as writer:
        places = [writer.write(capture) for capture in captures]
    return folder / places[-1].filename


def read_index(snapshot: Snapshot) -> dict[tuple[str, str], Entry]:
    with snapshot.open_part("captures") as part, Index(part.path) as index:
        return {(entry.url, entry.timestamp): entry for entry in index}


@pytest.fixture
def june(tmp_path: Path) -> Snapshot:
    return ws.create(tmp_path / "uk").add("2026-06")


def test_files_of_every_format_become_one_snapshot(tmp_path: Path, june: Snapshot, test_data: Path) -> None:
    trec = tmp_path / "fish.gz"
    trec.write_bytes(gzip.compress(STORE))
    (tmp_path / "tree" / "www.example.org").mkdir(parents=True)
    (tmp_path / "tree" / "www.example.org" / "index.html").write_text("<html>Home")
    others = test_data / "warc"
    paths = [
        write(tmp_path / "in", make("http://a.uk/")),
        trec,
        tmp_path / "tree",
        others / "warcio/example.arc.gz",
        others / "pywb/waczs/valid_example_1.wacz",
    ]
    result = ingest(june, paths)
    assert list(june.urls) == [
        "http://example.com/",
        "http://www.example.com/",
        "http://www.example.com/fish.html",
        "http://www.example.com/test.html",
        "http://www.example.org/",
        "http://a.uk/",
    ]
    assert (result.captures, result.pages, result.damaged) == (6, 6, 0)
    assert result.other_time >= 4
    with june.open_part("warc") as part:
        assert [problem for path in part.path.glob("*.warc.gz") for problem in check(path)] == []


def test_the_same_file_twice_adds_nothing(tmp_path: Path, june: Snapshot) -> None:
    path = write(tmp_path / "in", make("http://a.uk/"), make("http://b.uk/"))
    result = ingest(june, [path, path])
    assert (result.captures, result.repeated, result.pages) == (2, 2, 2)
    result = ingest(june, [path], mode="add")
    assert (result.captures, result.repeated, result.pages) == (0, 2, 2)


def test_the_same_payload_is_stored_once(tmp_path: Path, june: Snapshot) -> None:
    page = b"<html>" + b"same" * 1000 + b"<meta name=robots content=nofollow>"
    path = write(
        tmp_path / "in",
        make("http://b.uk/", page),
        make("http://a.uk/", page, JUNE + 10**9),
        make("http://c.uk/", b"", head=b"HTTP/1.1 301 x\r\nLocation: http://a.uk/\r\n"),
    )
    result = ingest(june, [path], copy="rewrite")
    assert (result.captures, result.duplicates) == (3, 1)
    lines = {url: entry.fields for (url, _), entry in read_index(june).items()}
    assert lines["http://a.uk/"]["mime"] == "warc/revisit"
    assert lines["http://a.uk/"]["duplicate-of"] == "http://b.uk/"
    assert lines["http://a.uk/"]["robots"] == lines["http://b.uk/"]["robots"] == "nofollow"
    assert [june.urls.node(f"http://{name}.uk/") for name in "abc"] == [0, 1, 0]
    first, second = (june.pages[node] for node in (0, 1))
    assert first["warc_record_offset"] == second["warc_record_offset"]
    assert [june.text[node].text for node in (0, 1)] == ["same" * 1000] * 2


def test_a_revisit_finds_a_payload_that_comes_later_and_was_packed(tmp_path: Path, june: Snapshot) -> None:
    # the digest that the writer told is that of the packed payload, and ours that of the unpacked one
    page = b"<html>" + b"text " * 100
    packed = gzip.compress(page, mtime=0)
    digest = hashlib.sha1(packed, usedforsecurity=False).digest()
    back = Revisit("identical-digest", "http://b.uk/", JUNE)
    revisit = make("http://a.uk/", date=JUNE + 10**9, revisit=back, digest=digest)
    one = write(tmp_path / "one", revisit)
    two = write(tmp_path / "two", make("http://b.uk/", packed, head=HEAD + b"Content-Encoding: gzip\r\n"))
    result = ingest(june, [one, two])
    assert (result.captures, result.revisits, result.unresolved) == (2, 1, 0)
    lines = {url: entry.fields for (url, _), entry in read_index(june).items()}
    assert lines["http://a.uk/"]["digest"] == lines["http://b.uk/"]["digest"]
    assert lines["http://a.uk/"]["fingerprint-2"] == lines["http://b.uk/"]["fingerprint-2"]
    assert list(june.urls) == ["http://a.uk/", "http://b.uk/"]
    assert june.text[0].text == june.text[1].text == page[6:].decode().strip()


def test_a_revisit_of_nothing_is_kept_and_counted(tmp_path: Path, june: Snapshot) -> None:
    back = Revisit("identical-digest", "http://b.uk/", JUNE)
    path = write(tmp_path / "in", make("http://a.uk/", revisit=back), make("http://c.uk/"))
    result = ingest(june, [path])
    assert (result.captures, result.unresolved, result.pages) == (2, 1, 1)


def test_captures_of_another_time_are_counted_and_kept(tmp_path: Path, june: Snapshot) -> None:
    path = write(tmp_path / "in", make("http://a.uk/"), make("http://b.uk/", date=10**18))
    result = ingest(june, [path])
    assert (result.captures, result.other_time) == (2, 1)


def test_what_has_no_time_gets_that_of_the_snapshot(tmp_path: Path, june: Snapshot) -> None:
    path = tmp_path / "a.trec"
    path.write_bytes(b"<DOC>\n<DOCNO>1</DOCNO>\n<DOCHDR>\nhttp://a.uk/\n</DOCHDR>\ntext\n</DOC>\n")
    result = ingest(june, [path])
    assert (result.captures, result.undated) == (1, 1)
    assert [timestamp for _, timestamp in read_index(june)] == ["20260601000000"]


def test_a_record_between_damaged_ones_is_not_lost(tmp_path: Path, june: Snapshot) -> None:
    bodies = [random.Random(n).randbytes(3000) for n in range(3)]
    path = write(tmp_path / "in", *(make(f"http://a.uk/{n}", body) for n, body in enumerate(bodies)))
    data = bytearray(path.read_bytes())
    for place in (len(data) // 2, len(data) - 500):
        data[place : place + 20] = bytes(20)
    path.write_bytes(data)
    result = ingest(june, [path])
    assert result.captures == 1
    assert result.damaged == 2
    assert all(damage.file == str(path) for damage in result.damage)


def test_what_looks_like_a_beginning_in_a_whole_record_is_no_damage(tmp_path: Path) -> None:
    head = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 99\r\n\r\n"
    # stored as it is, so that the bytes of a beginning stand in the member
    whole = gzip.compress(head + b"\x1f\x8b\x08".ljust(99, b"!") + b"\r\n\r\n", 0)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(whole + whole[:20] + bytes(len(whole) - 20))
    problems: list[Problem] = []
    assert [record.offset for record in read_records(path, report=problems.append)] == [0]
    assert len(whole) in {problem.offset for problem in problems}
    assert all(problem.offset >= len(whole) for problem in problems)


def test_captures_are_refused_replaced_or_added_to(tmp_path: Path, june: Snapshot) -> None:
    one, two = (write(tmp_path / name, make(f"http://{name}.uk/")) for name in ("one", "two"))
    ingest(june, [one])
    with pytest.raises(ExistsError, match=r"--add.*--again"):
        ingest(june, [two])
    ingest(june, [two], mode="again")
    assert list(ws.open(june.collection.path)["2026-06"].urls) == ["http://two.uk/"]
    ingest(june, [one], mode="add")
    snapshot = ws.open(june.collection.path)["2026-06"]
    assert list(snapshot.urls) == ["http://one.uk/", "http://two.uk/"]
    assert snapshot.parts.record("text").counts["taken"] == 1  # of the page that was there
    assert [snapshot.text[node].text for node in range(2)] == [
        snapshot.capture(url).text for url in snapshot.urls
    ]
    assert not snapshot.working_folder("ingest").exists()


def test_files_without_a_capture_are_refused_and_change_nothing(tmp_path: Path, june: Snapshot) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"")
    with pytest.raises(FormatError, match=r"a\.warc: there are 0 records and no capture"):
        ingest(june, [path])
    assert len(june.parts) == 0
    assert not june.working_folder("ingest").exists()


def test_a_folder_stands_for_the_archives_and_the_pages_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder, make("http://a.uk/"))
    (folder / "index.html").write_text("<html>")
    (folder / "fake.warc").write_text("<html>")
    notes: list[str] = []
    assert [source.path.name for source in list_sources([folder], notes=notes)] == ["a-00000.warc.gz"]
    assert notes == [
        f"{folder}: 1 HTML file is not read, since its URL is not known; give --base-url to read it"
    ]
    (folder / "a-00000.warc.gz").rename(tmp_path / "a-00000.warc.gz")
    with pytest.raises(UsageError, match="--base-url"):
        list_sources([folder])
    (tmp_path / "a-00000.warc.gz").rename(folder / "a-00000.warc.gz")
    names = [source.path.name for source in list_sources([folder], base_url="http://a.uk/")]
    assert names == ["a-00000.warc.gz", "in"]


def test_a_payload_that_is_cut_off_is_counted(
    tmp_path: Path, june: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.archive.codings.MAX_PAYLOAD", 1000)
    packed = gzip.compress(b"<html>" + b"words " * 1000)
    head = HEAD + b"Content-Encoding: gzip\r\n"
    result = ingest(june, [write(tmp_path / "in", make("http://a.uk/", packed, head=head))])
    assert (result.captures, result.cut, len(june.capture("http://a.uk/").payload)) == (1, 1, 1000)


def test_a_file_in_which_nothing_can_be_read_is_told(tmp_path: Path, june: Snapshot) -> None:
    (tmp_path / "noise.warc.gz").write_bytes(bytes(range(1, 200)) * 9)
    with pytest.raises(FormatError, match=r"noise.warc.gz, byte 0: nothing in it is a record of WARC"):
        ingest(june, [tmp_path / "noise.warc.gz"])
    good = write(tmp_path / "in", make("http://a.uk/"))
    assert ingest(june, [tmp_path / "noise.warc.gz", good]).damaged == 1
