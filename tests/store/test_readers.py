"""Formats told by what a file holds, and every archive of others' test data read."""

from __future__ import annotations

import contextlib
import gzip
import random
import warnings
from typing import TYPE_CHECKING

import pytest
from warcio.archiveiterator import ArchiveIterator as WarcioIterator  # type: ignore[import-untyped]

from tests.store.test_trec import STORE
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.answers import iter_answers
from webstrata.store.readers import Source, find_format, read_archive
from webstrata.store.tally import Tally
from webstrata.store.warc import Capture, WarcWriter

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
    with pytest.raises(FormatError, match="this is none of WARC, ARC, TREC, WACZ, HTML; name files"):
        find_format(tmp_path / "a.txt")
    with pytest.raises(MissingError, match="this is not there"):
        find_format(tmp_path / "b.txt")


def test_a_dictionary_of_zstd_begins_a_warc_file(tmp_path: Path) -> None:
    pages = [b"<html><head><title>Page %d</title></head><body>%d" % (i, i * i) for i in range(2000)]
    from webstrata.store.warc import train_dictionary

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
