"""Archives served as a web: the right captures, clean heads, and a crawl of them."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.invitro.clients import Client
from webstrata.archive.warc import Capture, Revisit, WarcWriter
from webstrata.errors import FormatError
from webstrata.invitro import Web
from webstrata.invitro.archive import read_archives

if TYPE_CHECKING:
    from pathlib import Path

JUNE, JULY = (int(dt.datetime(2026, month, 12, tzinfo=dt.UTC).timestamp()) * 10**9 for month in (6, 7))
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


def page(url: str, body: bytes, *, date: int = JUNE, head: bytes = HTML, **more: object) -> Capture:
    return Capture(url=url, date=date, head=head + b"\r\n", body=body, **more)  # type: ignore[arg-type]


def write(folder: Path, *captures: Capture) -> Path:
    with WarcWriter(folder, "a") as writer:
        for capture in captures:
            writer.write(capture)
    return folder


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    odd = (
        HTML
        + b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\nX-Odd: a\r\n b\r\nConnection: close\r\n"
    )
    first = page("http://a.uk/", b"<a href=/b?c=1>June</a>")
    again = Revisit("identical-digest", "http://a.uk/", JUNE)
    return write(
        tmp_path_factory.mktemp("archive"),
        page("http://a.uk/", b"<a href=/b?c=1>July</a>", date=JULY),
        first,
        page("http://a.uk/b?c=1", b"B", head=odd, decoded=True),
        page("http://a.uk/same", b"", digest=first.digest, revisit=again),
        page("http://b.uk/", b"", date=JULY, head=b"HTTP/1.1 301 Moved\r\nLocation: https://b.uk/\r\n"),
        page("https://b.uk/", b"secure"),
        page("http://c.uk:8080/x", b"gone", head=b"HTTP/1.1 410 Gone\r\n"),
    )


def test_the_last_captures_are_served_or_those_of_a_time(archive: Path) -> None:
    for at, said in ((None, b"July"), ("2026-06", b"June"), ("2026-08", b"July")):
        archived = read_archives([archive], at)
        with Web("tiny").serve(archive=archived) as server, Client(server) as client:
            assert client.get("http://a.uk/").body == b"<a href=/b?c=1>" + said + b"</a>"
            assert client.get("http://a.uk/same").body == b"<a href=/b?c=1>June</a>"
    with pytest.raises(FormatError, match="no capture of a page at or before 2026-05"):
        read_archives([archive], "2026-05")


def test_answers_are_those_of_then_and_codings_are_undone(archive: Path) -> None:
    held = read_archives([archive])
    assert held.hosts == ["a.uk", "b.uk", "c.uk"]
    assert held.home_pages() == ["http://a.uk/", "https://b.uk/"]
    with Web("tiny").serve(archive=held) as server, Client(server) as client:
        answer = client.get("http://a.uk/b?c=1")
        assert (answer.status, answer.body) == (200, b"B")
        assert answer.headers["content-length"] == "1"
        assert answer.headers["x-odd"] == "a b"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert not {"transfer-encoding", "content-encoding"} & set(answer.headers)
        # the redirect to another scheme of the same address would lead to itself
        assert client.get("http://b.uk/").body == b"secure"
        assert client.get("http://c.uk:8080/x").status == 410
        assert client.get("http://a.uk/nothing").status == 404
        assert client.get("http://unknown.uk/").status == 502
        head = client.get("http://a.uk/b?c=1", method="HEAD")
        assert (head.status, head.body) == (200, b"")


def test_a_crawl_of_an_archive_finds_what_is_linked(archive: Path, tmp_path: Path) -> None:
    held = read_archives([archive])
    snapshot = ws.create(tmp_path / "uk").add("2026-08")
    settings = ws.CrawlSettings(host_delay=0, ip_delay=0, resolve=False, max_crawl_delay=0)
    with Web("tiny").serve(archive=held, origins=True) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        ws.Crawl(snapshot, settings, seeds=["http://a.uk/", "http://b.uk/"], hosts=hosts).run()
    assert list(snapshot.urls) == ["http://a.uk/", "http://a.uk/b?c=1", "http://b.uk/"]


def test_files_without_captures_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(
        b"WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 1\r\n\r\n!\r\n\r\n"
    )
    with pytest.raises(FormatError, match="no capture of a page among 1 records"):
        read_archives([tmp_path / "a.warc"])
