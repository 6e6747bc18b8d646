"""Captures as responses: statuses, headers, codings, ranges, revisits."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.serve.replay.asking import ask
from tests.serve.replay.conftest import HTML, respond, serving, store
from webstrata.archive.warc import Revisit
from webstrata.serve.replay.replies import POLICY, find_span

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = 86_400
BODY = bytes(range(256)) * 8


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    june = [
        respond("http://a.uk/page", b"<p>June</p>", HTML, "Set-Cookie: a=b", "Refresh: 0; url=http://x/"),
        respond("http://a.uk/moved", b"gone", HTML, "Location: /new?x=1", status="301 Moved Permanently"),
        respond("http://a.uk/error", b"no", HTML, status="403 Forbidden"),
        respond("http://a.uk/data", BODY, "Content-Type: application/octet-stream"),
        respond(
            "http://a.uk/packed",
            gzip.compress(b"packed"),
            "Content-Encoding: gzip",
            "Content-Type: text/plain",
        ),
        respond("http://a.uk/unpacked", b"plain", "Content-Encoding: gzip", "Content-Type: text/plain"),
        respond("http://a.uk/odd", b"x", "Content-Type: text/plain", "X-Bad: a\x00b", "Bad Name: c"),
    ]
    revisit = Revisit("identical-digest", "http://a.uk/page", june[0].date)
    july = [respond("http://a.uk/page", b"<p>June</p>", HTML, at=40 * DAY, revisit=revisit)]
    collection = store(tmp_path_factory.mktemp("replies"), {"2026-06": june, "2026-07": july})
    with serving(collection) as address:
        yield address


def test_a_page_has_the_policy_and_no_header_that_acts(archive: str) -> None:
    answer = ask(f"{archive}/20260601/http://a.uk/page")
    assert answer.headers["content-security-policy"] == POLICY
    assert POLICY == (
        "default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
        "media-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; sandbox"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert not {"set-cookie", "refresh", "x-frame-options"} & set(answer.headers)
    assert answer.headers["x-archive-orig-set-cookie"] == "a=b"
    assert answer.headers["x-archive-orig-refresh"] == "0; url=http://x/"


def test_a_raw_redirect_says_where_it_led(archive: str) -> None:
    answer = ask(f"{archive}/20260601id_/http://a.uk/moved")
    assert (answer.status, answer.body) == (301, b"gone")
    assert answer.headers["x-orig-location"] == "http://a.uk/new?x=1"
    assert answer.headers["x-redirect-status"] == "301"
    assert answer.headers["x-archive-orig-location"] == "/new?x=1"
    assert answer.headers["location"] == f"{archive}/20260601000000id_/http://a.uk/new?x=1"


@pytest.mark.parametrize(("path", "status"), [("moved", "301"), ("error", "403")])
def test_a_service_worker_sees_statuses_in_headers(archive: str, path: str, status: str) -> None:
    answer = ask(f"{archive}/20260601id_/http://a.uk/{path}", sec_fetch_dest="empty")
    assert (answer.status, answer.headers["x-redirect-status"]) == (200, status)
    assert "location" not in answer.headers
    assert ask(f"{archive}/20260601id_/http://a.uk/{path}").status == int(status)


def test_a_revisit_has_the_payload_of_another_snapshot(archive: str) -> None:
    for modifier in ("id_", ""):
        answer = ask(f"{archive}/20260711{modifier}/http://a.uk/page")
        assert (answer.status, answer.body) == (200, b"<p>June</p>")
        assert answer.headers["memento-datetime"] == "Sat, 11 Jul 2026 00:00:00 GMT"


@pytest.mark.parametrize(
    ("wanted", "status", "start", "end"),
    [
        ("bytes=0-9", 206, 0, 10),
        ("bytes=2000-", 206, 2000, 2048),
        ("bytes=-5", 206, 2043, 2048),
        ("bytes=5000-", 416, 0, 0),
        ("bytes=0-1,5-6", 200, 0, 2048),
        ("lines=1-2", 200, 0, 2048),
    ],
)
def test_ranges_are_those_of_http(archive: str, wanted: str, status: int, start: int, end: int) -> None:
    answer = ask(f"{archive}/20260601id_/http://a.uk/data", range=wanted)
    assert (answer.status, answer.body) == (status, BODY[start:end])
    if status == 206:
        assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/2048"


def test_codings_are_declared_where_the_payload_has_them(archive: str) -> None:
    raw = ask(f"{archive}/20260601id_/http://a.uk/packed")
    if "content-encoding" in raw.headers:
        assert gzip.decompress(raw.body) == b"packed"
    else:
        assert raw.body == b"packed"
    assert ask(f"{archive}/20260601/http://a.uk/packed").body == b"packed"
    plain = ask(f"{archive}/20260601id_/http://a.uk/unpacked")
    assert plain.body == b"plain"
    assert "content-encoding" not in plain.headers


def test_headers_that_http_forbids_are_left_out(archive: str) -> None:
    answer = ask(f"{archive}/20260601id_/http://a.uk/odd")
    assert (answer.status, answer.body) == (200, b"x")


def test_an_unchanged_memento_is_not_sent_again(archive: str) -> None:
    first = ask(f"{archive}/20260601/http://a.uk/page")
    again = ask(f"{archive}/20260601/http://a.uk/page", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["memento-datetime"] == first.headers["memento-datetime"]


def test_spans_never_leave_the_file() -> None:
    for text in ("bytes=0-", "bytes=0-99999", "bytes=-99999", "bytes=3-2", "bytes=-0", "bytes=-"):
        span = find_span(text, 10)
        assert span is None or (0 <= span[0] <= 10 and span[1] <= 10)
