"""WARC 0.9: the forms in which it was written, and damage to it."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import webstrata as ws
from webstrata.archive.old_warc import is_old_warc, read_old_warc
from webstrata.archive.tally import Tally
from webstrata.store.ingest.readers import Source, find_format, read_archive
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.archive.warc import Record

LAW = (
    "{version} {length} response {url} 20060920234350 message/http uuid:c6f7927d-aaea-4e53-b121-c4a594218d8a"
)
HERITRIX = (
    "{version} {length:012d} response {url} 20060825210905 uuri:dbf1ef20;type=x "
    "application/http; msgtype=response"
)


def make(
    url: str,
    body: bytes,
    *,
    form: str = LAW,
    version: str = "warc/0.9",
    fields: str = "",
    alone: bool = False,
) -> bytes:
    """A record; `alone`, if the length tells that of the block."""
    block = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    length = 0
    while True:  # the line counts itself
        head = (form.format(version=version, length=length, url=url) + "\r\n" + fields + "\r\n").encode()
        wanted = len(block) if alone else len(head) + len(block)
        if length == wanted:
            return head + block + b"\r\n\r\n"
        length = wanted


def read(path: Path) -> tuple[list[Record], Tally]:
    tally = Tally()
    return list(read_old_warc(path, tally)), tally


@given(st.lists(st.binary(max_size=60), max_size=4), st.booleans(), st.sampled_from([LAW, HERITRIX]))
def test_every_record_is_read_packed_or_not(
    tmp_path: Path,
    bodies: list[bytes],
    packed: bool,  # noqa: FBT001
    form: str,
) -> None:
    records = [make(f"http://a.uk/{n}", body, form=form) for n, body in enumerate(bodies)]
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(map(gzip.compress, records) if packed else records))
    found, tally = read(path)
    assert [record.payload for record in found] == bodies
    assert tally.num_damaged == 0


@pytest.mark.parametrize("form", [LAW, HERITRIX])
def test_type_and_id_are_told_in_either_order(tmp_path: Path, form: str) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(
        make("http://a.uk/", b"Hi", form=form, fields="IP-Address: 192.0.2.1\r\nLong: a\r\n b\r\n")
    )
    record = read(path)[0][0]
    assert (record.kind, record.is_http, record.payload) == ("response", True, b"Hi")
    assert (record.get("WARC-Record-ID") or "").startswith("<uu")
    assert (record.get("WARC-IP-Address"), record.get("Long")) == ("192.0.2.1", "a b")


def test_a_length_of_the_block_alone_is_understood(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(make(f"http://a.uk/{n}", b"x" * 500, alone=True) for n in range(3)))
    found, tally = read(path)
    assert [record.payload for record in found] == [b"x" * 500] * 3
    assert tally.num_damaged == 0


def test_damage_is_told_and_reading_goes_on(tmp_path: Path) -> None:
    good = make("http://a.uk/", b"good")
    huge = good.replace(str(len(good) - 4).encode(), b"10000000000", 1)
    path = tmp_path / "a.warc"
    path.write_bytes(good + b"rubbish\n\xff\n" + good + huge + good + make("http://a.uk/", b"cut off")[:-8])
    found, tally = read(path)
    assert [record.payload for record in found] == [b"good", b"good", b"good", b"cut"]
    assert found[-1].is_cut
    places = [len(good), 2 * len(good) + 10, 3 * len(good) + 10 + len(huge)]
    assert [damage.offset for damage in tally.damage] == places
    assert [damage.what for damage in tally.damage] == [
        "what is here is no record of WARC 0.9",
        "the record declares 10000000000 bytes, which cannot be",
        "the record has 47 bytes of 51",
    ]


def test_such_files_become_a_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "uk-2006.warc.gz"
    path.write_bytes(
        gzip.compress(make("http://a.uk/", b"<title>A</title>")) + gzip.compress(make("http://b.uk/", b"B"))
    )
    assert find_format(path) == "WARC 0.9"
    assert len(list(read_archive(Source(path), Tally()))) == 2
    snapshot = ws.create(tmp_path / "uk").add("2006-09")
    result = ingest(snapshot, [path])
    assert (result.pages, result.other_time, result.damaged) == (2, 0, 0)
    assert snapshot.capture("http://a.uk/").payload == b"<title>A</title>"


def test_named_headers_are_another_format() -> None:
    assert is_old_warc(make("http://a.uk/", b"", version="WARC/0.10"))
    assert not is_old_warc(b"WARC/0.17\r\nWARC-Type: response\r\n")
    assert not is_old_warc(b"warc/0.9 many response http://a.uk/ 2006 message/http\r\n")
