"""Records of any writer, read as answers."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata._core.archive import join_chunks
from webstrata.archive import codings
from webstrata.archive.codings import unpack
from webstrata.archive.responses import iter_answers, join_robots, parse_date
from webstrata.archive.tally import Tally
from webstrata.archive.warc import Record, stream_io

if TYPE_CHECKING:
    from webstrata.archive.responses import ReadResponse

URL = "http://a.uk/b/"
PAGE = b"<html><title>A</title><p>text" + b" more" * 200


def make(kind: str, block: bytes, url: str = URL, **headers: str) -> Record:
    facts = {"WARC-Target-URI": url, "WARC-Date": "2026-06-12T18:30:00Z", "Content-Type": "application/http"}
    facts |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Record(kind, tuple(facts.items()), block, 0)


def respond(head: str, body: bytes, status: str = "200 OK", **headers: str) -> Record:
    return make("response", f"HTTP/1.1 {status}\r\n{head}\r\n\r\n".encode("latin-1") + body, **headers)


def read(*records: Record) -> tuple[list[ReadResponse], Tally]:
    tally = Tally()
    return list(iter_answers(records, tally)), tally


def pack(writer: type, data: bytes) -> bytes:
    out = io.BytesIO()
    packing = writer(out)
    packing.write(data)
    packing.finish()
    packing.close()
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    return pack(stream_io.ZstdWriter, data)


def brotli(data: bytes) -> bytes:
    return pack(stream_io.BrotliWriter, data)


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0)),
        ("x-gzip", gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0)),
        ("deflate", zlib.compress(PAGE)),
        ("deflate", zlib.compress(PAGE)[2:-4]),
        ("br", brotli(PAGE)),
        ("zstd", zstd(PAGE)),
        ("identity", PAGE),
        ("GZIP, br", brotli(gzip.compress(PAGE, mtime=0))),
        ("gzip", PAGE),
        ("br", PAGE),
    ],
)
def test_content_codings_are_undone_where_there_are_any(coding: str, body: bytes) -> None:
    (answer,), _ = read(respond(f"Content-Type: text/html\r\nContent-Encoding: {coding}", body))
    assert answer.body == PAGE
    assert answer.is_decoded is (coding != "identity")
    assert answer.fingerprint is not None


def test_a_coding_nobody_knows_is_left_alone() -> None:
    (answer,), _ = read(respond("Content-Encoding: rot13", PAGE))
    assert (answer.body, answer.is_decoded) == (PAGE, False)


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1), st.sampled_from([b"\r\n", b"\n"]))
def test_chunks_are_joined_however_lines_end(pieces: list[bytes], end: bytes) -> None:
    body = b"".join(b"%x" % len(piece) + end + piece + end for piece in pieces) + b"0" + end + end
    whole = b"".join(pieces)
    assert join_chunks(body) == whole
    cut = join_chunks(body[: len(body) // 2])
    assert cut is None or whole.startswith(cut)


def test_a_body_that_is_not_chunked_although_its_head_says_so_is_kept() -> None:
    (answer,), _ = read(respond("Transfer-Encoding: chunked", PAGE))
    assert answer.body == PAGE


def test_a_bomb_is_cut_off_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codings, "MAX_PAYLOAD", 1000)
    (answer,), _ = read(respond("Content-Encoding: gzip", gzip.compress(bytes(10_000_000), mtime=0)))
    assert (len(answer.body), answer.truncated) == (1000, "length")
    assert unpack("br", brotli(bytes(10_000_000)), 1000) == (bytes(1000), True)


def test_requests_and_metadata_find_their_answer_in_any_order() -> None:
    request = b"GET /b/ HTTP/1.1\r\n\r\n"
    one = respond("A: b", b"1", WARC_Record_ID="<1>")
    two = respond("A: b", b"2", WARC_Record_ID="<2>", WARC_Concurrent_To="<3>")
    records = [
        one,
        make("request", request, WARC_Concurrent_To="<1>"),
        make("metadata", b"via: http://x/\r\nnothing\r\n", WARC_Concurrent_To="<1>"),
        make("request", request + b"x", WARC_Record_ID="<3>"),
        two,
        respond("A: b", b"3", WARC_Record_ID="<4>"),
    ]
    found, _ = read(*records)
    assert [answer.request for answer in found] == [request, request + b"x", b""]
    assert [answer.metadata for answer in found] == [[("via", "http://x/")], [], []]


def test_answers_to_other_requests_than_get_are_no_pages() -> None:
    response = respond("A: b", b"1", WARC_Record_ID="<1>")
    found, tally = read(response, make("request", b"POST / HTTP/1.1\r\n\r\n", WARC_Concurrent_To="<1>"))
    assert [(answer.is_page, answer.full_url) for answer in found] == [
        (False, f"{found[0].url}?__wb_method=POST")
    ]
    assert not tally.left_out
    found, tally = read(response, make("request", b"\x16\x03\x01", WARC_Concurrent_To="<1>"))
    assert found == []
    assert tally.left_out == {"a response to what is no HTTP request": 1}


def test_what_is_no_answer_of_a_web_server_is_counted() -> None:
    found, tally = read(
        make("response", b"20260612\n", url="dns:a.uk"),
        make("response", b"SIP/2.0 200 OK\r\n\r\n"),
        make("conversion", b"text"),
        make("warcinfo", b""),
    )
    assert found == []
    assert sorted(tally.left_out) == [
        "a record of kind conversion",
        "no answer in HTTP",
        "no page of the web by its URL (scheme)",
    ]


def test_redirects_and_directives_are_told_as_a_crawl_tells_them() -> None:
    (answer,), _ = read(respond("Location: ../c\xc3\xbc?d#e", b"", status="302 Found"))
    assert answer.redirect == "http://a.uk/c%C3%BC?d"
    body = b"<meta name=robots content=nofollow>"
    (answer,), _ = read(respond("Content-Type: text/html\r\nX-Robots-Tag: noindex", body))
    assert (answer.robots, answer.page_robots) == ("noindex,nofollow", "nofollow")
    assert join_robots(None, None) is None


def test_a_resource_gets_a_head_and_an_untyped_page_its_type() -> None:
    (answer,), _ = read(make("resource", PAGE, Content_Type="text/html; charset=utf-8"))
    assert answer.head == b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
    assert (answer.status, answer.mime) == (200, "text/html")
    (answer,), _ = read(respond("A: b", PAGE))
    assert answer.mime == "text/html"


def test_revisits_say_what_they_refer_to() -> None:
    profile = "http://netpreserve.org/warc/1.0/revisit/"
    records = [
        make(
            "revisit",
            b"HTTP/1.1 200 OK\r\n\r\n",
            WARC_Profile=profile + "identical-payload-digest",
            WARC_Refers_To_Target_URI="http://c.uk",
            WARC_Refers_To_Date="2001-09-09T01:46:40Z",
        ),
        make("revisit", b"HTTP/1.1 304 x\r\n\r\n", WARC_Profile=profile + "server-not-modified"),
        make("revisit", b"", WARC_Refers_To_Target_URI="nonsense"),
    ]
    found, _ = read(*records)
    assert found[0].revisit == ("identical-digest", "http://c.uk/", 10**18)
    assert (found[1].revisit, found[1].status) == (("not-modified", URL, 0), 304)
    assert (found[2].revisit, found[2].status) == (("identical-digest", URL, 0), 0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2001-09-09T01:46:40Z", 10**9),
        ("2001-09-09T01:46:40", 10**9),
        ("2001-09-08T18:46:40-07:00", 10**9),
        ("200109090146401234", 10**9),
        ("2009-03-65T08:43:19-0800", 1_236_357_799),
        ("1969-12-31T23:59:59Z", None),
        ("2001-13-09T01:46:40Z", None),
        ("9999-12-31T23:59:59-0800", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_of_many_writers_are_read(text: str | None, seconds: int | None) -> None:
    assert parse_date(text) == (None if seconds is None else seconds * 10**9)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_exception(block: bytes) -> None:
    read(make("response", b"HTTP/1.1 200 OK\r\n" + block), make("response", block), make("revisit", block))
