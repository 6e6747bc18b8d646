"""WACZ files, read and written."""

from __future__ import annotations

import gzip
import hashlib
import json
import zipfile
from typing import TYPE_CHECKING

from webstrata.archive.cdxj import Entry
from webstrata.archive.tally import Tally
from webstrata.archive.wacz import WaczWriter, read_wacz
from webstrata.archive.warc import Capture, WarcWriter

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.archive.warc import Record


def make_warc(folder: Path) -> Path:
    with WarcWriter(folder, "a") as writer:
        for n in range(3):
            writer.write(Capture(url=f"http://a.uk/{n}", date=n, head=b"HTTP/1.1 200 OK", body=b"Hi"))
    return folder / "a-00000.warc.gz"


def read(path: Path) -> tuple[list[Record], Tally]:
    tally = Tally()
    return list(read_wacz(path, tally)), tally


def test_the_files_of_pywb_are_read_or_refused_in_a_sentence(test_data: Path) -> None:
    records, tally = read(test_data / "warc/pywb/waczs/valid_example_1.wacz")
    assert [record.kind for record in records] == ["warcinfo", "warcinfo", "response", "request"]
    assert tally.num_damaged == 0
    records, tally = read(test_data / "warc/pywb/waczs/invalid_example_1.wacz")
    assert records == []
    assert tally.damage[0].what == "it has no WARC file below archive/"


def test_names_that_lead_elsewhere_are_never_paths(tmp_path: Path) -> None:
    warc = make_warc(tmp_path).read_bytes()
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/../../escaped.warc.gz", warc)
        archive.writestr("/escaped.warc.gz", warc)
        archive.writestr("../escaped.warc.gz", warc)
    before = sorted(tmp_path.parent.iterdir())
    assert len(read(path)[0]) == 4  # of the one below archive/
    assert sorted(tmp_path.parent.iterdir()) == before
    assert not list(tmp_path.rglob("escaped*"))


def test_a_bomb_is_told_and_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/a.warc", bytes(1 << 20))
        archive.filelist[0].file_size = 1100 << 20  # what its table says; nobody is to look further
    records, tally = read(path)
    assert records == []
    assert "are said to become 1153433600" in tally.damage[0].what


def test_a_zip_that_is_cut_off_or_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(make_warc(tmp_path), "archive/a.warc.gz")
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    assert read(path)[1].damage[0].what.startswith("the file is not a zip file that can be read")
    torn = bytearray(whole)
    torn[500:580] = bytes(80)  # more than any head of a member has
    path.write_bytes(torn)
    records, tally = read(path)
    assert 1 <= len(records) < 4
    assert tally.num_damaged >= 1


def test_what_is_written_says_of_itself_what_it_holds(tmp_path: Path) -> None:
    warc = make_warc(tmp_path)
    path = tmp_path / "a.wacz"
    lines = [[b'uk,a)/0 20260612183000 {"url": "http://a.uk/0"}\n'], [b"uk,a)/1 20260612183000 {}\n"]]
    with path.open("wb") as stream:
        wacz = WaczWriter(stream, title="Grüße")
        wacz.add_archive(warc)
        wacz.add_index(lines)
        wacz.add_pages([{"url": "http://a.uk/0", "ts": "2026-06-12T18:30:00Z", "title": "Grüße"}])
        wacz.close(created="2026-06-30T12:00:00Z", software="webstrata")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        package = json.loads(archive.read("datapackage.json"))
        assert (package["wacz_version"], package["title"]) == ("1.1.1", "Grüße")
        for resource in package["resources"]:
            data = archive.read(resource["path"])
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert (resource["bytes"], resource["hash"]) == (len(data), digest)
        told = json.loads(archive.read("datapackage-digest.json"))
        assert told["hash"] == f"sha256:{hashlib.sha256(archive.read('datapackage.json')).hexdigest()}"
        index = archive.read("indexes/index.cdx.gz")
        assert gzip.decompress(index) == b"".join(line for block in lines for line in block)
        first, *places = archive.read("indexes/index.idx").splitlines()
        assert first.startswith(b"!meta 0 ")
        for place, block in zip(map(Entry.parse, places), lines, strict=True):
            start = int(place.fields["offset"])
            assert gzip.decompress(index[start : start + int(place.fields["length"])]) == b"".join(block)
        assert archive.read("pages/pages.jsonl").decode().splitlines()[1].endswith('"title": "Grüße"}')
    assert [record.kind for record in read(path)[0]] == ["warcinfo"] + ["response"] * 3
