"""Bodies of requests as queries, and captures of POST that never stand for the page of their URL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.archive.cdxj import Entry, Line
from webstrata.archive.request_body import MAX_QUERY, Request, parse_request
from webstrata.archive.warc import Capture, WarcWriter, read_records
from webstrata.store.export import export
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://a.uk/search"
FORM = "application/x-www-form-urlencoded"
MULTIPART = b'--XX\r\nContent-Disposition: form-data; name="q"\r\n\r\nfish & co\r\n--XX--\r\n'


def make_request(body: bytes, mime: str = FORM, method: str = "POST") -> bytes:
    return f"{method} /search HTTP/1.1\r\nHost: a.uk\r\nContent-Type: {mime}\r\n\r\n".encode() + body


@pytest.mark.parametrize(
    ("mime", "body", "query"),
    [
        (FORM, b"a=1&b=%C3%BC+x", "a=1&b=ü x"),
        ("application/json", b'{"a": {"b": [1, {"b": null}]}, "c": true}', "b=1&b.2_=None&c=True"),
        ("application/json", b'{"a": 1}\n{"a": 2}', "a=1&a.2_=2"),
        ("application/json", b"{", ""),
        ("text/plain", b"plain", "__wb_post_data=cGxhaW4="),
        ("application/x-protobuf", b"\0\1", "__wb_post_data=AAE="),
        ("multipart/form-data; boundary=XX", MULTIPART, "q=fish+%26+co"),
        ("multipart/form-data", b"none", "__wb_post_data=bm9uZQ=="),
        (FORM, b"\xff", "__wb_post_data=/w=="),
        (FORM, b"", ""),
    ],
)  # fmt: skip
def test_bodies_become_queries_by_their_content_type(mime: str, body: bytes, query: str) -> None:
    assert parse_request(make_request(body, mime)) == Request("POST", query)


def test_long_bodies_and_deep_documents_are_cut_and_not_followed() -> None:
    assert len((parse_request(make_request(b"a" * 99_999)) or Request("", "")).query) == MAX_QUERY
    assert parse_request(make_request(b"[" * 200_000, "application/json")) == Request("POST", "")
    assert parse_request(b"\x16\x03\x01") is None
    assert parse_request(make_request(b"", method="OPTIONS")) == Request("OPTIONS", "")


def test_a_line_of_post_has_a_key_of_its_own_and_tells_the_body() -> None:
    place = {"length": 1, "offset": 0, "filename": "a"}
    facts = {"url": URL, "date": 10**18, "mime": "text/html", "status": 200, "digest": bytes(20)}
    line = Line(**facts, **place, request=Request("POST", "q=ü x"))  # type: ignore[arg-type]
    entry = Entry.parse(line.to_bytes())
    assert entry.key == "uk,a)/search?__wb_method=post&q=%c3%bc%20x"
    assert (entry.url, entry.request) == (URL, Request("POST", "q=ü x"))
    odd = parse_request(make_request(b"a=%0A%00%20&b=\r\n"))
    text = Line(**facts, **place, request=odd).to_bytes()  # type: ignore[arg-type]
    assert text.isascii()
    assert text.count(b"\n") == 1
    assert Entry.parse(text).request == odd


def write(folder: Path, *captures: tuple[str, bytes, bytes]) -> Path:
    with WarcWriter(folder, "in") as writer:
        for second, (mime, body, request) in enumerate(captures):
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n".encode()
            writer.write(
                Capture(url=URL, date=10**18 + second * 10**9, head=head, body=body, request=request)
            )
    return folder / "in-00000.warc.gz"


@pytest.mark.parametrize("same", [False, True])
def test_a_post_capture_is_kept_with_its_method_and_never_is_the_page(tmp_path: Path, *, same: bool) -> None:
    page, answer = b"<title>Form</title>", b"<title>Form</title>" if same else b"<title>Results</title>"
    get = make_request(b"", method="GET")
    path = write(
        tmp_path,
        ("text/html", answer, make_request(b"q=1")),
        ("text/html", page, get),
        ("text/html", answer, make_request(b"q=2")),
    )
    snapshot = ws.create(tmp_path / "uk").add("2001-09")
    result = ingest(snapshot, [path])
    assert (result.captures, result.pages, result.left_out) == (3, 1, {})
    assert snapshot.text[0].title == "Form"
    assert snapshot.capture(URL).payload == page
    entries = list(snapshot.captures.scan("a.uk", "host"))
    assert [entry.request for entry in entries] == [None, Request("POST", "q=1"), Request("POST", "q=2")]
    assert [snapshot.captures.read(entry).payload for entry in entries] == [page, answer, answer]
    with snapshot.open_part("warc") as part:
        (copy,) = part.path.glob("*.warc.gz")
        requests = [record.block for record in read_records(copy) if record.kind == "request"]
    assert requests == [make_request(b"q=1"), get, make_request(b"q=2")]
    table = export(snapshot, "parquet", tmp_path / "a.parquet")
    assert (table.items, table.left_out) == (1, 2)
    again = ingest(snapshot, [path], mode="add")
    assert (again.captures, again.repeated, again.pages) == (0, 3, 1)


def test_records_about_pages_are_kept_and_listed_and_are_no_pages(tmp_path: Path) -> None:
    info = json.dumps({"url": URL, "urls": {}}).encode()
    records = b""
    for name, mime, block in (
        (f"urn:pageinfo:{URL}", "application/json", info),
        (f"urn:text:{URL}", "text/plain", b"Form"),
        (f"urn:view:{URL} x", "image/png", b"\x89PNG"),
    ):
        lines = [
            "WARC/1.1",
            "WARC-Type: resource",
            f"WARC-Target-URI: {name}",
            "WARC-Date: 2001-09-09T01:46:40Z",
        ]
        lines += [f"Content-Type: {mime}", f"Content-Length: {len(block)}", "", ""]
        records += "\r\n".join(lines).encode() + block + b"\r\n\r\n"
    (tmp_path / "b.warc").write_bytes(records)
    page = write(tmp_path, ("text/html", b"Form", make_request(b"", method="GET")))
    snapshot = ws.create(tmp_path / "uk").add("2001-09")
    result = ingest(snapshot, [tmp_path / "b.warc", page])
    assert (result.captures, result.pages, result.left_out) == (4, 1, {})
    assert list(snapshot.urls) == [URL]
    assert snapshot.capture(URL).payload == b"Form"
    entries = list(snapshot.captures.scan("urn:", "prefix"))
    assert [(entry.key, entry.fields["mime"]) for entry in entries] == [
        (f"urn:pageinfo:{URL}", "application/json"),
        (f"urn:text:{URL}", "text/plain"),
        (f"urn:view:{URL}%20x", "image/png"),
    ]
    assert snapshot.captures.read(entries[2]).payload == b"\x89PNG"
