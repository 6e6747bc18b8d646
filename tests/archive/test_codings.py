"""Codings of stored responses, removed with limits."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.warcs import pack, record, response
from webstrata.archive.codings import clean_codings, decode, read_payload
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

PAGE = b"<html><title>T</title><a href=/x>" + b"words and words " * 50


def chunk(body: bytes) -> bytes:
    half = len(body) // 2
    pieces = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (body[:half], body[half:]))
    return pieces + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"Transfer-Encoding: chunked\r\n", chunk(PAGE)),
        (b"Content-Encoding: gzip\r\n", gzip.compress(PAGE, mtime=0)),
        (b"content-encoding : deflate\r\n", zlib.compress(PAGE)),
        (b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunk(gzip.compress(PAGE, mtime=0))),
        (b"Content-Encoding: br\r\n", PAGE),  # another program removed the coding and left the header
        (b"Content-Encoding: unknown\r\n", PAGE),
        (b"", PAGE),
    ],
)
def test_a_copied_record_is_read_without_its_codings_everywhere(
    tmp_path: Path, head: bytes, body: bytes
) -> None:
    made = response("http://a.uk/", body, head=head)
    assert read_payload(record(made)) == PAGE
    (tmp_path / "a.warc.gz").write_bytes(pack(made))
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    ingest(snapshot, [tmp_path / "a.warc.gz"])
    assert snapshot.capture("http://a.uk/").payload == PAGE
    assert (snapshot.text[0].title, [link.anchor[:5] for link in snapshot.links[0]]) == ("T", ["words"])
    assert clean_codings(record(made).head).count(b"X-Crawl-") == head.lower().count(b"-encoding")


def test_decoding_stops_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webstrata.archive.codings.MAX_PAYLOAD", 1000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
    cut = decode(head, gzip.compress(bytes(5000)))
    assert (len(cut.body), cut.is_decoded, cut.is_cut) == (1000, True, True)
    whole = decode(head, gzip.compress(bytes(1000)))
    assert (len(whole.body), whole.is_cut) == (1000, False)


@pytest.mark.parametrize(
    ("copy", "number"), [("as-is", 1), pytest.param("rewrite", 20, marks=pytest.mark.slow)]
)
def test_payload_bombs_take_little_memory_however_many(tmp_path: Path, copy: str, number: int) -> None:
    # a gigabyte of zeros in one megabyte, as the body of a response
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1024)) + packer.flush()
    path = tmp_path / "bomb.warc.gz"
    page = response("http://b.uk/", b"<p>page")
    bombs = [
        response(f"http://a{place}.uk/", bomb, head=b"Content-Encoding: gzip\r\n") for place in range(number)
    ]
    path.write_bytes(pack(*bombs, page))
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "import webstrata as ws\n"
        "from webstrata.store.ingest.run import ingest\n"
        "result = ingest(ws.create(sys.argv[1]).add('2026-06'), [Path(sys.argv[2])], copy=sys.argv[3])\n"
        # not ru_maxrss, which a process has from the one that started it
        "peak = re.search(r'VmHWM:\\s+(\\d+) kB', Path('/proc/self/status').read_text())[1]\n"
        "print(result.captures, result.cut, int(peak) >> 10)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "uk"), str(path), copy]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    captures, cut, mebibytes = map(int, done.stdout.split())
    assert (captures, cut) == (number + 1, number)
    assert mebibytes < (600 if number == 1 else 1100), f"the ingest took {mebibytes} MiB"
