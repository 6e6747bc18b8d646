"""Digests of WARC records compared with their bytes."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.store.warcs import JUNE, pack, record, response
from webstrata.archive.fixity import FIXITY, check_fixity, read_report, survey, verify_record
from webstrata.archive.warc import read_records
from webstrata.errors import FormatError
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

WRONG = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@pytest.fixture
def june(tmp_path: Path) -> Snapshot:
    return ws.create(tmp_path / "uk").add("2026-06")


def write_wrong(folder: Path, name: str = "wrong.warc.gz") -> Path:
    """A file whose second response has a wrong payload digest, and the third a wrong block digest."""
    path = folder / name
    path.write_bytes(
        pack(
            response("http://a.uk/", b"<p>good"),
            response("http://b.uk/", b"<p>bad", payload=WRONG),
            response("http://c.uk/", b"<p>worse", block=WRONG),
        )
    )
    return path


@pytest.mark.parametrize("compress", [None, gzip.compress])
def test_wrong_digests_are_found_in_every_compression(tmp_path: Path, compress: object) -> None:
    path = write_wrong(tmp_path)
    if compress is None:
        path.write_bytes(gzip.decompress(path.read_bytes()))
    found = survey(path)
    assert (found.checked, found.is_per_record, len(found.places)) == (6, True, 3)
    assert [(each.url, each.header, each.expected) for each in found.mismatches] == [
        ("http://b.uk/", "WARC-Payload-Digest", WRONG),
        ("http://c.uk/", "WARC-Block-Digest", WRONG),
    ]
    places = [each.offset for each in read_records(path)]
    assert [each.offset for each in found.mismatches] == places[1:]
    assert sum(found.places.values()) == path.stat().st_size


def test_an_ingest_reports_wrong_digests_and_keeps_the_evidence(tmp_path: Path, june: Snapshot) -> None:
    path = write_wrong(tmp_path)
    result = ingest(june, [path])
    assert (result.captures, result.mismatched, result.digests) == (3, 2, 6)
    sha1 = base64.b32encode(hashlib.sha1(b"<p>bad", usedforsecurity=False).digest()).decode()
    first = result.mismatches[0]
    assert (first.origin, first.file) == (str(path), "wrong.warc.gz")
    assert (first.url, first.expected, first.found) == ("http://b.uk/", WRONG, f"sha1:{sha1}")
    assert first.record_id.startswith("<urn:uuid:")
    with june.open_part("warc") as part:
        assert list(read_report(part.path / FIXITY)) == result.mismatches
        assert (part.path / "wrong.warc.gz").read_bytes() == path.read_bytes()
    marks = {entry.url: entry.fields.get("fixity") for entry in june.captures.index}
    assert marks == {"http://a.uk/": None, "http://b.uk/": "payload", "http://c.uk/": "block"}
    assert json.loads(json.dumps(result.to_dict()))["mismatches"][0]["expected"] == WRONG


def test_rewritten_records_keep_what_their_source_declared(tmp_path: Path, june: Snapshot) -> None:
    chunks = b"5\r\n<p>ab\r\n0\r\n\r\n"
    coded = response("http://d.uk/", chunks, payload=WRONG, head=b"Transfer-Encoding: chunked\r\n")
    path = tmp_path / "a.warc.gz"
    kept = response("http://b.uk/", b"<p>bad", payload=WRONG, head=b"Content-Length: 6\r\n")
    path.write_bytes(pack(kept, coded))
    result = ingest(june, [path], copy="rewrite")
    assert (result.mismatched, result.copied) == (2, 0)
    with june.open_part("warc") as part:
        [file] = part.path.glob("*.warc.gz")
        stored = {each.url: each for each in read_records(file, kinds=["response"])}
    assert stored["http://b.uk/"].get("WARC-Payload-Digest") == WRONG
    assert stored["http://d.uk/"].get("X-Webstrata-Origin-Payload-Digest") == WRONG
    assert stored["http://d.uk/"].payload == b"<p>ab"
    assert verify_record(stored["http://d.uk/"])[2] == []


def test_a_strict_ingest_refuses_wrong_digests_and_leaves_nothing(tmp_path: Path, june: Snapshot) -> None:
    path = write_wrong(tmp_path)
    with pytest.raises(FormatError, match=r"wrong.warc.gz, byte \d+ .*http://b.uk/.*WARC-Payload-Digest is"):
        ingest(june, [path], strict=True)
    assert list(june.parts) == []
    assert not june.working_folder("ingest").exists()


def test_a_strict_ingest_refuses_damaged_records(tmp_path: Path, june: Snapshot) -> None:
    path = tmp_path / "cut.warc.gz"
    data = pack(response("http://a.uk/", b"<p>a"), response("http://b.uk/", b"<p>b" * 99))
    path.write_bytes(data[:-20])
    with pytest.raises(FormatError, match=r"cut.warc.gz, byte \d+.*--strict"):
        ingest(june, [path], strict=True)
    assert ingest(june, [path]).damaged == 1


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512"])
@pytest.mark.parametrize("of", ["stored", "joined", "decoded"])
def test_a_payload_digest_may_be_of_the_body_in_three_forms(algorithm: str, of: str) -> None:
    page = b"<p>page " * 40
    packed = gzip.compress(page, mtime=0)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    body = {"stored": chunked, "joined": packed, "decoded": page}[of]
    digest = hashlib.new(algorithm, body, usedforsecurity=False)
    head = b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n"
    base32 = base64.b32encode(digest.digest()).decode()
    for spelled in (base32, base32.rstrip("=").lower(), digest.hexdigest().upper()):
        told = record(response("http://a.uk/", chunked, payload=f"{algorithm}:{spelled}", head=head))
        assert verify_record(told) == (2, 0, [])
    wrong = digest.hexdigest().replace(digest.hexdigest()[0], "f" if digest.hexdigest()[0] != "f" else "0")
    bad = record(response("http://a.uk/", chunked, payload=f"{algorithm}:{wrong}", head=head))
    assert len(verify_record(bad)[2]) == 1


def test_stored_files_are_verified_again_and_what_was_known_is_no_damage(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    june = collection.add("2026-06")
    ingest(june, [write_wrong(tmp_path)])
    result = check_fixity(collection)
    assert (result.files, result.records, result.digests) == (1, 3, 6)
    assert (len(result.known), result.mismatches, result.damage) == (2, [], [])
    with june.open_part("warc") as part:
        path = part.path / "wrong.warc.gz"
    place = min(survey(path).places)
    data = path.read_bytes()
    length = survey(path).places[place]
    changed = gzip.compress(gzip.decompress(data[:length]).replace(b"<p>good", b"<p>evil"), mtime=0)
    path.chmod(0o644)
    path.write_bytes(changed + data[length:])
    result = check_fixity(collection)
    assert {(each.url, each.header) for each in result.mismatches if each.url == "http://a.uk/"} == {
        ("http://a.uk/", "WARC-Block-Digest"),
        ("http://a.uk/", "WARC-Payload-Digest"),
    }


def test_a_revisit_a_segment_and_a_truncated_record_may_have_the_digest_of_the_whole(tmp_path: Path) -> None:
    for name, value in (("WARC-Truncated", "length"), ("WARC-Segment-Number", "1")):
        told = record(response("http://a.uk/", b"part", payload=WRONG, more=((name, value),)))
        assert verify_record(told) == (1, 0, [])
    unknown = record(response("http://a.uk/", b"a", payload="blake3:00", date=JUNE))
    assert verify_record(unknown) == (1, 1, [])
