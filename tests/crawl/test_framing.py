"""Limits of heads and codings, and connections after responses that contradict themselves."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.origin import Origin, crawl, head
from tests.crawl.test_fetching import CHUNKED, TYPE, chunks, coded, layers, text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("codings", "packed"),
    [
        (", ".join(["gzip"] * 20), layers("/many", 20)),
        (", ".join(["gzip"] * 6), layers("/many", 6)),
        # a window of 128 MiB, of which RFC 9659 allows 8
        ("zstd", b"\x28\xb5\x2f\xfd\x00\x88" + b"\x01\x00\x00"),
    ],
)
def test_a_body_with_too_many_codings_is_stored_as_received_and_marked(
    tmp_path: Path, codings: str, packed: bytes
) -> None:
    with Origin() as origin:
        origin.say("/many", coded("/many", codings, packed))
        found = crawl(tmp_path, origin, "http://a.test/many")
    record = found.capture("http://a.test/many")
    assert record.body == packed
    assert f"\r\nContent-Encoding: {codings}".encode() in record.head
    assert record["WARC-Identified-Payload-Type"] == "application/octet-stream"
    assert found.lines["http://a.test/many"]["mime"] == "application/octet-stream"
    (metadata,) = [
        record
        for record in found.records
        if record.kind == "metadata" and record["WARC-Target-URI"] == "http://a.test/many"
    ]
    assert b"undecoded: " in metadata.block
    # nothing was read in it
    assert (found["undecoded"], found["pages"], found["links"]) == (1, 0, 0)


def test_a_list_with_an_unknown_coding_is_not_undone_in_part(tmp_path: Path) -> None:
    packed = gzip.compress(text("/mixed"))
    with Origin() as origin:
        origin.say("/mixed", coded("/mixed", "x-snow, gzip", packed))
        found = crawl(tmp_path, origin, "http://a.test/mixed")
    record = found.capture("http://a.test/mixed")
    assert record.body == packed
    assert b"\r\nContent-Encoding: x-snow, gzip" in record.head


@pytest.mark.parametrize("limits", [{"min_rate": 1000}, {"min_rate": 0, "head_timeout": 0.6}])
def test_a_head_that_comes_too_slowly_is_not_waited_for(tmp_path: Path, limits: dict[str, Any]) -> None:
    drips = [step for byte in b"X: slow\r\n" * 3 for step in (bytes([byte]), 0.1)]
    with Origin() as origin:
        origin.say("/slow", (b"HTTP/1.1 200 OK\r\n", *drips, b"Content-Length: 2\r\n\r\nok"))
        settings: dict[str, Any] = {"response_timeout": 0.5, "retries": 0, "obey_robots": False}
        found = crawl(tmp_path, origin, "http://a.test/slow", **settings, **limits)
    # it would have been whole after three seconds
    assert (found["failed_timeout"], found["captures"]) == (1, 0)


def test_a_head_that_begins_late_and_then_comes_quickly_is_read(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/late", (0.6, b"HTTP/1.1 200 OK\r\n", 0.3, b"Content-Length: 2\r\n\r\nok"))
        settings: dict[str, Any] = {"response_timeout": 0.8, "min_rate": 1000, "obey_robots": False}
        found = crawl(tmp_path, origin, "http://a.test/late", **settings)
    assert found["captures"] == 1


def test_a_connection_is_not_used_after_a_response_with_two_kinds_of_length(tmp_path: Path) -> None:
    answer = head(TYPE, CHUNKED, "Content-Length: 3") + chunks(text("/both")) + b"0\r\n\r\n"
    paths = ["/a", "/b", "/c", "/d"]
    with Origin() as origin:
        for path in paths:
            origin.say(path, answer)
        urls = [f"http://a.test{path}" for path in paths]
        crawl(tmp_path, origin, *urls, keep_alive=5, max_depth=0)
    # robots.txt and the first of them share one
    assert len({request.connection for request in origin.requests}) == 4
