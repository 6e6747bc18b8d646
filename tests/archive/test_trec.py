"""TREC Web compound documents, the example of STORE both ways."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from webstrata.archive.tally import Tally
from webstrata.archive.trec import Document, is_trec, read_documents, read_trec

if TYPE_CHECKING:
    from pathlib import Path

# STORE, "Example file in TREC Web compound document format"
STORE = b"""\
<DOC>
<DOCNO>WTX001-B01-10</DOCNO>
<DOCHDR>
http://www.example.com/test.html 204.244.59.33 19970101013145 text/html 440
HTTP/1.0 200 OK
Date: Wed, 01 Jan 1997 01:21:13 GMT
Server: Apache/1.0.3
Content-type: text/html
Content-length: 270
Last-modified: Mon, 25 Nov 1996 05:31:24 GMT
</DOCHDR>
<HTML>
<TITLE>Tropical Fish Store</TITLE>
Coming soon!
</HTML>
</DOC>
<DOC>
<DOCNO>WTX001-B01-109</DOCNO>
<DOCHDR>
http://www.example.com/fish.html 204.244.59.33 19970101013149 text/html 440
HTTP/1.0 200 OK
Date: Wed, 01 Jan 1997 01:21:19 GMT
Server: Apache/1.0.3
Content-type: text/html
Content-length: 270
Last-modified: Mon, 25 Nov 1996 05:31:24 GMT
</DOCHDR>
<HTML>
<TITLE>Fish Information</TITLE>
This page will soon contain interesting
information about tropical fish.
</HTML>
</DOC>
"""


def read(path: Path) -> tuple[list[Document], Tally]:
    tally = Tally()
    return [document for _, document in read_documents(path, tally)], tally


def test_the_example_of_store_is_read_and_written_back_byte_by_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.trec"
    path.write_bytes(STORE)
    documents, tally = read(path)
    assert [document.number for document in documents] == ["WTX001-B01-10", "WTX001-B01-109"]
    first = documents[0]
    assert (first.url, first.ip, first.time) == (
        "http://www.example.com/test.html",
        "204.244.59.33",
        "19970101013145",
    )
    assert first.payload == b"<HTML>\n<TITLE>Tropical Fish Store</TITLE>\nComing soon!\n</HTML>\n"
    assert b"".join(document.to_bytes() for document in documents) == STORE
    assert tally.num_damaged == 0


def test_the_example_of_store_gives_records_with_url_and_time(tmp_path: Path) -> None:
    path = tmp_path / "a.trec.gz"
    path.write_bytes(gzip.compress(STORE))
    records = list(read_trec(path, Tally()))
    assert [record.get("WARC-Date") for record in records] == ["1997-01-01T01:31:45Z", "1997-01-01T01:31:49Z"]
    assert records[1].head.startswith(b"HTTP/1.0 200 OK\r\nDate: Wed")
    assert records[1].payload.startswith(b"<HTML>\n<TITLE>Fish Information")


@given(st.lists(st.binary(max_size=60) | st.just(b"\n</DOC>\n") | st.just(b"<DOC>\n</DOC>"), max_size=4))
def test_any_payload_comes_back(tmp_path: Path, payloads: list[bytes]) -> None:
    path = tmp_path / "a.trec"
    documents = [
        Document(number=str(n), url=f"http://a.uk/{n}", time="20260612183000", payload=payload)
        for n, payload in enumerate(payloads)
    ]
    path.write_bytes(b"".join(document.to_bytes() for document in documents))
    assert read(path)[0] == documents


@given(st.text(alphabet="<>/DOCNHR\n a", max_size=80))
def test_what_would_be_taken_for_marks_is_refused_or_comes_back(tmp_path: Path, text: str) -> None:
    assume("<DOC>" in text or "DOC" not in text)
    path = tmp_path / "a.trec"
    document = Document(number="1", url="http://a.uk/", time="20260612183000", payload=text.encode())
    path.write_bytes(document.to_bytes() * 2)
    assert read(path)[0] == [document, document]


def test_a_payload_with_a_whole_document_in_it_is_refused() -> None:
    with pytest.raises(ValueError, match="marks"):
        Document(number="1", url="http://a.uk/", payload=STORE).to_bytes()


def test_a_document_that_is_cut_off_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.trec"
    path.write_bytes(STORE[:350] + b"\n" + STORE)
    documents, tally = read(path)
    assert len(documents) == 3
    assert documents[1:] == [Document.parse(piece + b"</DOC>") for piece in STORE.split(b"</DOC>")[:2]]
    assert tally.damage[0].offset == 0


def test_rubbish_and_documents_without_a_head_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.trec"
    path.write_bytes(b"rubbish\n" + STORE + b"<DOC>\n<DOCNO>3</DOCNO>\nno head\n</DOC>\n")
    documents, tally = read(path)
    assert len(documents) == 2
    assert [damage.offset for damage in tally.damage] == [0, 8 + len(STORE)]


def test_a_first_line_with_the_url_alone_has_the_time_of_the_server(tmp_path: Path) -> None:
    path = tmp_path / "a.trec"
    path.write_bytes(
        b"<DOC>\n<DOCNO>GX000</DOCNO>\n<DOCHDR>\nhttp://a.gov/b c\nHTTP/1.1 200 OK\n"
        b"Date: Wed, 01 Jan 1997 01:21:13 GMT\n</DOCHDR>\ntext\n</DOC>\n"
    )
    record = next(read_trec(path, Tally()))
    assert (record.url, record.get("WARC-Date")) == ("http://a.gov/b c", "1997-01-01T01:21:13Z")


def test_a_trec_file_is_told_by_its_first_mark() -> None:
    assert is_trec(STORE)
    assert not is_trec(b"<!DOCTYPE html>")
