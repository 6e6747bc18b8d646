"""Records: what their headers say, and where an HTTP head ends."""

from __future__ import annotations

import pytest

from webstrata.archive.record import Record

HTTP = (("Content-Type", "application/http; msgtype=response"),)


@pytest.mark.parametrize(
    ("block", "head"),
    [
        (b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\n\nmore", b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        (b"HTTP/1.1 200 OK\nA: b\n\nbody\r\n\r\nmore", b"HTTP/1.1 200 OK\nA: b\n\n"),
        (b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK"),
    ],
)
def test_the_head_ends_with_the_first_empty_line(block: bytes, head: bytes) -> None:
    record = Record("response", HTTP, block, 0)
    assert (record.head, record.head + record.payload) == (head, block)


def test_a_block_that_is_no_message_has_no_head() -> None:
    record = Record("metadata", (("content-type", "application/warc-fields"),), b"a: b\r\n\r\nc", 0)
    assert (record.head, record.payload) == (b"", record.block)


def test_names_of_headers_have_no_case_and_the_first_counts() -> None:
    record = Record("response", (("WARC-Target-URI", "<http://a.org/>"), ("warc-target-uri", "b")), b"", 0)
    assert (record.get("warc-TARGET-uri"), record.url) == ("<http://a.org/>", "http://a.org/")
    assert record.get("WARC-Date") is None
