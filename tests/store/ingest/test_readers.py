"""Formats told by what a file holds, and every archive of others' test data read."""

from __future__ import annotations

import contextlib
import gzip
import random
import re
import warnings
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from warcio.archiveiterator import ArchiveIterator as WarcioIterator  # type: ignore[import-untyped]

from tests.archive.test_trec import STORE
from webstrata.archive.responses import iter_answers
from webstrata.archive.tally import Tally
from webstrata.archive.warc import Capture, WarcWriter, stream_io
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.ingest.readers import Source, find_format, read_archive

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def count(records: Iterable[object]) -> int:
    """How many records come before the end, or before the reader gives up."""
    number = 0
    try:
        for record in records:
            (record.reader if hasattr(record, "reader") else record.raw_stream).read()  # type: ignore[attr-defined]
            number += 1
    except Exception:  # whatever makes the peer stop
        pass
    return number


def test_every_archive_of_others_is_read_as_far_as_any_peer_reads_it(test_data: Path) -> None:
    from fastwarc.warc import ArchiveIterator  # its own warnings are past once ours is loaded

    paths = [
        path
        for path in sorted((test_data / "warc").rglob("*"))
        if path.is_file() and (".warc" in path.name or ".arc" in path.name)
    ]
    assert len(paths) == 44
    behind = {}
    for path in paths:
        ours = sum(1 for _ in read_archive(Source(path), Tally()))
        with warnings.catch_warnings(), path.open("rb") as one, path.open("rb") as two:
            warnings.simplefilter("ignore")
            theirs = max(count(ArchiveIterator(one, parse_http=False)), count(WarcioIterator(two)))
        if ours < theirs:
            behind[path.name] = (ours, theirs)
    assert behind == {}


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("warcio/bad.arc", [0, 134, 262]),
        ("resiliparse/clipped.warc.gz", [0]),
        ("warcio/example.warc.gz", []),
    ],
)
def test_damage_is_told_with_its_place(test_data: Path, name: str, places: list[int]) -> None:
    tally = Tally()
    list(read_archive(Source(test_data / "warc" / name), tally))
    assert [damage.offset for damage in tally.damage] == places


def test_the_name_of_a_file_does_not_matter(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, "a") as writer:
        writer.write(Capture(url="http://a.uk/", date=0, head=b"HTTP/1.1 200 OK", body=b"Hi"))
    (tmp_path / "a-00000.warc.gz").rename(tmp_path / "one.arc")
    (tmp_path / "two.warc").write_bytes(gzip.compress(STORE))
    (tmp_path / "three.txt").write_bytes(b"filedesc://a.arc 127.0.0.1 20140216050221 text/plain 0\n")
    (tmp_path / "four").write_bytes(b"PK\x03\x04")
    (tmp_path / "five.warc").write_bytes(b"<!doctype html>")
    found = [
        find_format(tmp_path / name) for name in ("one.arc", "two.warc", "three.txt", "four", "five.warc")
    ]
    assert found == ["WARC", "TREC", "ARC", "WACZ", "HTML"]


def test_a_name_is_believed_where_the_beginning_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"\x1f\x8b\x08rubbish")
    assert find_format(tmp_path / "a.warc.gz") == "WARC"
    (tmp_path / "a.txt").write_bytes(b"rubbish")
    with pytest.raises(
        FormatError,
        match=r"this is none of WARC 0\.9, WARC, ARC, TREC, WACZ, sitemap, MediaWiki export, HTML; name",
    ):
        find_format(tmp_path / "a.txt")
    with pytest.raises(MissingError, match="this is not there"):
        find_format(tmp_path / "b.txt")


def test_a_dictionary_of_zstd_begins_a_warc_file(tmp_path: Path) -> None:
    pages = [b"<html><head><title>Page %d</title></head><body>%d" % (i, i * i) for i in range(2000)]
    from webstrata.archive.warc import train_dictionary

    with WarcWriter(
        tmp_path, "a", compression="zstd", level=3, dictionary=train_dictionary(pages, 4096)
    ) as writer:
        writer.write(Capture(url="http://a.uk/", date=0, head=b"HTTP/1.1 200 OK", body=pages[0]))
    path = tmp_path / "a-00000.warc.zst"
    assert find_format(path) == "WARC"
    assert [r.payload for r in read_archive(Source(path), Tally()) if r.kind == "response"] == [pages[0]]


def test_no_damage_to_any_file_ends_the_reading(test_data: Path, tmp_path: Path) -> None:
    files = [path for path in sorted((test_data / "warc").rglob("*")) if path.is_file()]
    wholes = [(path.name, path.read_bytes()) for path in files if path.stat().st_size < 20_000]
    wholes += [("a.trec", STORE), ("b.gz", gzip.compress(STORE))]
    marks = [
        b"-1",
        b"9" * 20,
        b"\r\n",
        bytes(8),
        b"WARC/1.0\r\n",
        b"\x1f\x8b\x08",
        b"<DOC>\n<DOCNO>",
        b"\xff\xfe",
    ]
    chance = random.Random(7)
    for number in range(600):
        name, data = wholes[number % len(wholes)]
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 5)):
            place = chance.randrange(len(damaged) + 1)
            damaged[place : place + chance.choice([0, 1, 30])] = chance.choice([b"", *marks])
        path = tmp_path / name
        path.write_bytes(damaged[: chance.choice([len(damaged), chance.randrange(len(damaged) + 1)])])
        tally = Tally()
        with contextlib.suppress(FormatError, UsageError):  # what is no archive any more
            list(iter_answers(read_archive(Source(path), tally), tally))


# ---- what is wrong with files, each between two good records

HEAD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.uk/%b\r\n"
    b"WARC-Date: 2026-06-12T18:30:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
    b"Content-Length: %d\r\n\r\n"
)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"


def record(name: bytes, body: bytes = b"", *, length: int = 0) -> bytes:
    block = ANSWER + (body or name)
    return HEAD % (name, length or len(block)) + block + b"\r\n\r\n"


def zeros(size: int) -> bytes:
    """A bomb: so many zeros in a gzip member."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packer.flush()


def lz4(data: bytes) -> bytes:
    out = BytesIO()
    with stream_io.Lz4Writer(out) as packer:
        packer.write(data)
    return out.getvalue()


GOOD = [record(b"1"), record(b"2")]
BOMB = b"<200 MiB of zeros>"
"""Stands for them until the test runs: packing them takes a second."""
TORN = bytearray(gzip.compress(record(b"torn", b"".join(b"%d " % n for n in range(500)))))
TORN[200:230] = bytes(30)
PACKED = [gzip.compress(one) for one in GOOD]
CASES: dict[str, tuple[bytes, list[bytes], str]] = {
    # name: what the file holds, the bodies that are read, and what is said
    "cut off in a member": (PACKED[0] + PACKED[1][:-20], [b"1"], "the record has 33 bytes of 51"),
    "cut off, not packed": (GOOD[0] + GOOD[1][:-5], [b"1", b""], "the record has 50 bytes of 51"),
    "a torn member": (PACKED[0] + bytes(TORN) + PACKED[1], [b"1", b"2"], "."),
    "rubbish between members": (PACKED[0] + b"rubbish" * 9 + PACKED[1], [b"1", b"2"], "."),
    "all in one member": (gzip.compress(b"".join(GOOD)), [b"1", b"2"], ""),
    "plain behind packed": (PACKED[0] + GOOD[1], [b"1", b"2"], "."),
    "a bomb": (PACKED[0] + BOMB + PACKED[1], [b"1", b"2"], "Invalid WARC header"),
    "10 GB declared": (
        GOOD[0] + record(b"huge", length=10 * 10**9) + GOOD[1],
        [b"1", b"2"],
        "the record declares 10000000000 bytes, and 1073741824 are admitted",
    ),
    "10 GB declared in a member": (
        PACKED[0] + gzip.compress(record(b"huge", length=10 * 10**9)) + PACKED[1],
        [b"1", b"2"],
        "the record declares 10000000000 bytes",
    ),
    "a length that is none": (
        GOOD[0] + record(b"x").replace(b"Length: 51", b"Length: x") + GOOD[1],
        [b"1", b"2"],
        "",
    ),
    "no UTF-8": (GOOD[0] + record(b"caf\xe9\xff") + GOOD[1], [b"1", b"caf\xe9\xff", b"2"], ""),
    "line feeds alone": (b"".join(GOOD).replace(b"\r\n", b"\n").replace(b": 51", b": 48"), [b"1", b"2"], ""),
    "CR LF in a header": (GOOD[0] + record(b"x\r\nWARC-Type: evil\r\nB: c") + GOOD[1], [b"1", b"2"], ""),
    "lz4, torn": (lz4(GOOD[0]) + lz4(GOOD[1])[:20] + b"\xff" * 50 + lz4(GOOD[1]), [b"1", b"2"], "."),
}


@pytest.mark.parametrize("name", CASES)
def test_good_records_beside_damage_are_read_and_the_damage_is_told(tmp_path: Path, name: str) -> None:
    data, bodies, said = CASES[name]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data.replace(BOMB, zeros(200 << 20)) if BOMB in data else data)
    tally = Tally()
    found = [
        answer.body.removeprefix(b"<html>")
        for answer in iter_answers(read_archive(Source(path), tally), tally)
    ]
    assert [body for body in found if body in bodies] == bodies
    told = [damage.what for damage in tally.damage]
    assert bool(told) == bool(said) or not said, told
    assert not said or any(re.search(said, what) for what in told), told


def test_a_payload_that_is_a_bomb_is_cut_off_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.archive.codings.MAX_PAYLOAD", 1 << 20)
    bomb = zeros(50 << 20)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    (tmp_path / "a.warc").write_bytes(HEAD % (b"", len(head + bomb)) + head + bomb + b"\r\n\r\n" + GOOD[0])
    answers = list(iter_answers(read_archive(Source(tmp_path / "a.warc"), Tally()), Tally()))
    assert [(len(answer.body), answer.truncated) for answer in answers] == [(1 << 20, "length"), (7, None)]


@pytest.mark.parametrize("is_packed", [False, True])
def test_warc_0_18_is_read_as_clueweb_has_it(tmp_path: Path, is_packed: bool) -> None:  # noqa: FBT001
    def make(kind: str, more: str, block: bytes) -> bytes:
        head = f"WARC/0.18\nWARC-Type: {kind}\n{more}WARC-Date: 2009-03-65T08:43:19-0800\n"
        return (
            f"{head}Content-Type: application/http\nContent-Length: {len(block)}\n\n".encode() + block + b"\n"
        )

    answer = b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n<html>Hi</html>\n"
    records = [make("warcinfo", "WARC-Number-of-Documents: 2\n", b"software: Nutch\n")]
    records += [
        make("response", f"WARC-Target-URI: http://a.uk/{n}\nWARC-TREC-ID: {n}\n", answer) for n in range(2)
    ]
    path = tmp_path / "a.warc"
    path.write_bytes(gzip.compress(b"".join(records)) if is_packed else b"".join(records))
    tally = Tally()
    found = [(one.url, one.body) for one in iter_answers(read_archive(Source(path), tally), tally)]
    assert found == [(f"http://a.uk/{n}", b"<html>Hi</html>\n") for n in range(2)]
    assert tally.num_damaged == 0
