"""ARC files: good, odd and damaged."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from webstrata.archive.arc import is_arc, read_arc
from webstrata.archive.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.archive.warc import Record

FIRST = (
    b"filedesc://a.arc 127.0.0.1 20140216050221 text/plain 75\n1 0 LiveWeb Capture\n"
    b"URL IP-address Archive-date Content-type Archive-length\n"
)


def make(url: str, body: bytes) -> bytes:
    block = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return f"{url} 192.0.2.1 20140216050221 text/html {len(block)}\n".encode() + block + b"\n"


def read(path: Path) -> tuple[list[Record], Tally]:
    tally = Tally()
    return list(read_arc(path, tally)), tally


@given(st.lists(st.binary(max_size=100), max_size=5), st.booleans())
def test_every_record_is_read_packed_or_not(tmp_path: Path, bodies: list[bytes], packed: bool) -> None:  # noqa: FBT001
    records = [FIRST + b"\n", *(make(f"http://a.uk/{n} b", body) for n, body in enumerate(bodies))]
    path = tmp_path / "a.arc"
    path.write_bytes(b"".join(map(gzip.compress, records) if packed else records))
    found, tally = read(path)
    assert [record.payload for record in found[1:]] == bodies
    assert [record.url for record in found[1:]] == [f"http://a.uk/{n} b" for n in range(len(bodies))]
    assert [record.kind for record in found] == ["warcinfo"] + ["response"] * len(bodies)
    assert tally.num_damaged == 0


def test_the_line_of_version_2_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.arc"
    path.write_bytes(b"http://a.uk/ 192.0.2.1 20140216050221 text/html 200 - - 0 a.arc 3\nabc\n")
    record = read(path)[0][0]
    assert (record.kind, record.get("Content-Type"), record.payload) == ("resource", "text/html", b"abc")
    assert record.get("WARC-IP-Address") == "192.0.2.1"


def test_what_is_no_record_is_told_once_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.arc"
    good = make("http://a.uk/", b"one")
    path.write_bytes(good + b"rubbish\nmore rubbish\n" + good)
    found, tally = read(path)
    assert len(found) == 2
    assert [damage.offset for damage in tally.damage] == [len(good)]


def test_a_record_that_is_cut_off_is_kept_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.arc"
    path.write_bytes(make("http://a.uk/", b"0123456789")[:-5])
    found, tally = read(path)
    assert (found[0].payload, found[0].is_cut) == (b"012345", True)
    assert "bytes of" in tally.damage[0].what


def test_a_length_nobody_has_memory_for_loses_that_record_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.arc"
    path.write_bytes(
        b"http://a.uk/ 192.0.2.1 20140216050221 text/html 10000000000\nabc\n" + make("http://b.uk/", b"one")
    )
    found, tally = read(path)
    assert [record.url for record in found] == ["http://b.uk/"]
    assert tally.num_damaged == 1


def test_an_arc_file_is_told_by_its_first_line() -> None:
    assert is_arc(FIRST)
    assert is_arc(make("http://a.uk/", b""))
    assert not is_arc(b"<html> http://a.uk/")


def test_the_line_tells_the_type_of_an_answer_whose_head_does_not(tmp_path: Path) -> None:
    path = tmp_path / "a.arc"
    block = b"HTTP/1.0 200 OK\r\n\r\nHi"
    path.write_bytes(b"http://a.uk/ 192.0.2.1 20140216050221 text/html %d\n" % len(block) + block)
    assert read(path)[0][0].get("WARC-Identified-Payload-Type") == "text/html"
    path.write_bytes(make("http://a.uk/", b"Hi"))
    assert read(path)[0][0].get("WARC-Identified-Payload-Type") is None
