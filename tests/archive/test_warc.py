"""Records that we write are read by others as meant, and no server can write one of its own."""

from __future__ import annotations

import hashlib
import logging
import os
import re
from typing import TYPE_CHECKING, Any

import pytest
import warcio  # type: ignore[import-untyped]
from hypothesis import example, given
from hypothesis import strategies as st
from warcio.checker import Checker  # type: ignore[import-untyped]

from webstrata._core.collection import set_faults
from webstrata.archive.warc import (
    Capture,
    Revisit,
    WarcWriter,
    check,
    read_record,
    read_records,
    train_dictionary,
)
from webstrata.errors import DiskFullError, FormatError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

NOON = 1_780_000_000_123_456_789  # 2026-05-28T20:26:40.123456
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
    b"Transfer-Encoding: chunked\r\nContent-Length: 99\r\n\r\n"
)
REQUEST = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
KINDS: list[dict[str, Any]] = [{"compression": "none"}, {"compression": "gzip"}, {"compression": "zstd"}]


def make(body: bytes = b"<p>Hello", **given: Any) -> Capture:  # noqa: ANN401
    facts: dict[str, Any] = {
        "url": "http://example.org/",
        "date": NOON,
        "head": HEAD,
        "request": REQUEST,
        "decoded": True,
    }
    return Capture(body=body, **(facts | given))


def write(folder: Path, *captures: Capture, **how: Any) -> Path:  # noqa: ANN401
    with WarcWriter(folder, "test", **how) as writer:
        places = [writer.write(capture) for capture in captures]
    return folder / places[0].filename


def read_by_warcio(path: Path) -> list[tuple[str, list[tuple[str, str]], bytes]]:
    with path.open("rb") as stream:
        return [
            (record.rec_type, record.rec_headers.headers, record.content_stream().read())
            for record in warcio.ArchiveIterator(stream, check_digests="raise")
        ]


def read_by_fastwarc(path: Path) -> list[tuple[str, list[tuple[str, str]], bytes]]:
    from fastwarc.warc import ArchiveIterator  # its import warns, unless ours came first

    found = []
    for record in ArchiveIterator(str(path), parse_http=False):
        record.freeze()
        assert record.verify_block_digest()
        record.parse_http()
        if str(record.record_type) == "response":
            assert record.verify_payload_digest()
        found.append((str(record.record_type), list(record.headers.items()), record.reader.read()))
    return found


# ---- what stands in a record


@pytest.mark.parametrize("how", KINDS, ids=lambda how: str(how["compression"]))
def test_a_capture_is_read_back_by_everybody(tmp_path: Path, how: dict[str, Any]) -> None:
    bodies = [b"", b"<p>Hello", bytes(range(256)) * 400]
    path = write(tmp_path, *(make(body, metadata=[("via", "http://a/")]) for body in bodies), **how)
    kinds = ["warcinfo", *["response", "request", "metadata"] * 3]
    readers = [read_by_fastwarc] if how["compression"] == "zstd" else [read_by_fastwarc, read_by_warcio]
    for read in readers:
        records = read(path)
        assert [kind for kind, _, _ in records] == kinds
        assert [body for kind, _, body in records if kind == "response"] == bodies
    ours = list(read_records(path))
    assert [record.kind for record in ours] == kinds
    assert [record.payload for record in ours if record.kind == "response"] == bodies
    assert list(check(path)) == []
    assert all(read_record(path, record.offset) == record for record in ours)


def test_the_records_of_a_capture_have_one_date_and_point_to_the_response(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        make(
            ip="2001:db8::1",
            protocols=["http/1.1", "tls/1.3"],
            cipher="TLS_AES_128_GCM_SHA256",
            truncated="time",
            identified_type="text/html",
            metadata=[("via", "http://a/"), ("hopsFromSeed", "L")],
        ),
    )
    _, response, request, metadata = read_records(path)
    assert {record.get("WARC-Date") for record in (response, request, metadata)} == {
        "2026-05-28T20:26:40.123456Z"
    }
    for record in (request, metadata):
        assert record.get("WARC-Concurrent-To") == response.get("WARC-Record-ID")
    names = [value for name, value in response.headers if name == "WARC-Protocol"]
    assert names == ["http/1.1", "tls/1.3"]
    assert response.get("WARC-Cipher-Suite") == "TLS_AES_128_GCM_SHA256"
    assert response.get("WARC-IP-Address") == "2001:db8::1"
    assert response.get("WARC-Truncated") == "time"
    assert response.get("WARC-Identified-Payload-Type") == "text/html"
    assert metadata.block == b"via: http://a/\r\nhopsFromSeed: L\r\n"
    assert request.block == REQUEST


def test_record_identifiers_are_uuids_and_never_the_same(tmp_path: Path) -> None:
    path = write(tmp_path, *[make()] * 300)
    found = [record.get("WARC-Record-ID") or "" for record in read_records(path)]
    assert len(set(found)) == len(found) == 601
    form = r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>"
    assert all(re.fullmatch(form, identifier) for identifier in found)


def test_the_head_describes_the_payload_that_is_stored(tmp_path: Path) -> None:
    [_, response, _] = read_records(write(tmp_path, make(b"12345")))
    assert response.head == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Crawl-Content-Encoding: gzip\r\n"
        b"X-Crawl-Transfer-Encoding: chunked\r\nX-Crawl-Content-Length: 99\r\nContent-Length: 5\r\n\r\n"
    )


def test_what_could_not_be_decoded_keeps_the_name_of_its_coding(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: odd\r\nContent-Length: 5\r\n\r\n"
    [_, response, _] = read_records(write(tmp_path, make(b"12345", head=head, decoded=False)))
    assert response.head == head


def test_a_head_that_is_no_http_is_made_one_and_loses_nothing(tmp_path: Path) -> None:
    head = (
        b"\r\nHTTP/2 404\nA: one\n\t two\n \r\nno colon here\n: no name\nb ad: 1\nSpace : 2\r\n"
        b"Bare\rReturn: x\r\nC: a\x00b\rc\x7f\xe9\r\n\r\nX: body"
    )
    [_, response, _] = read_records(write(tmp_path, make(b"", head=head)))
    assert response.head.split(b"\r\n") == [
        b"HTTP/1.1 404 ",
        b"X-Crawl-Status-Line: HTTP/2 404",
        b"A: one two ",
        b"X-Crawl-Malformed: no colon here",
        b"X-Crawl-Malformed: : no name",
        b"X-Crawl-Malformed: b ad: 1",
        b"Space: 2",
        b"X-Crawl-Malformed: Bare Return: x",
        b"C: a b c \xe9",
        b"Content-Length: 0",
        b"",
        b"",
    ]


@pytest.mark.parametrize("profile", ["identical-digest", "not-modified", "duplicate"])
def test_a_revisit_has_the_head_and_points_to_the_original(tmp_path: Path, profile: Any) -> None:  # noqa: ANN401
    revisit = Revisit(profile, "http://example.org/first page", NOON - 10**9)
    path = write(tmp_path, make(b"12345", revisit=revisit))
    [_, record, _] = read_records(path)
    assert record.kind == "revisit"
    assert record.payload == b""
    assert record.head.endswith(b"Content-Length: 5\r\n\r\n")
    assert record.get("WARC-Refers-To-Target-URI") == "http://example.org/first%20page"
    assert record.get("WARC-Refers-To-Date") == "2026-05-28T20:26:39.123456Z"
    assert {
        "identical-digest": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "not-modified": "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
        "duplicate": "urn:webstrata:revisit:same-fingerprint",
    }[profile] == record.get("WARC-Profile")
    assert len(read_by_warcio(path)) == len(read_by_fastwarc(path)) == 3
    assert list(check(path)) == []


# ---- nothing breaks out

hostile = st.lists(
    st.one_of(
        st.binary(max_size=30),
        st.sampled_from([
            b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\n\n", b"\0", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8", b"\t",
            b"HTTP/1.1 200 OK", b"Content-Length: 3", b"Content-Length: 8", b"Content-Encoding: gzip",
            b"Transfer-Encoding: chunked", b"WARC/1.1\r\n", b"WARC-Type: response", b"A: b", b":", b"\xff",
        ]),
    ),
    max_size=12,
).map(b"".join)  # fmt: skip


@given(head=hostile, body=hostile, status=st.booleans())
@example(head=b"X: 1\r\n\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n", body=b"", status=True)
def test_no_answer_breaks_out_of_its_record(tmp_path: Path, head: bytes, body: bytes, status: bool) -> None:  # noqa: FBT001
    if status:
        head = b"HTTP/1.1 200 OK\r\n" + head
    for old in tmp_path.iterdir():
        old.unlink()
    path = write(tmp_path, make(body, head=head), make(b"next"))
    kinds = ["warcinfo", "response", "request", "response", "request"]
    for records in (read_by_fastwarc(path), read_by_warcio(path)):
        assert [kind for kind, _, _ in records] == kinds
        assert [content for kind, _, content in records if kind == "response"] == [body, b"next"]
    ours = list(read_records(path))
    assert ours[1].payload == body
    stored = ours[1].head
    assert re.fullmatch(rb"HTTP/\d\.\d \d{3} [^\x00-\x1f\x7f]*\r\n", stored[: stored.index(b"\n") + 1])
    lines = stored.removesuffix(b"\r\n\r\n").split(b"\r\n")[1:]
    assert all(re.fullmatch(rb"[!-9;-~]+: [^\x00-\x1f\x7f]*", line) for line in lines)
    lengths = [line for line in lines if line.lower().startswith(b"content-length:")]
    assert lengths in ([b"Content-Length: %d" % len(body)], [lengths[0]])
    assert int(lengths[0].split(b":")[1]) == len(body)
    assert list(check(path)) == []


words = st.text(st.one_of(st.sampled_from('\r\n\0\t <>"é\u2028:'), st.characters(codec="utf-8")), max_size=20)


@given(url=words, name=words, value=words)
@example(url="http://a/\r\nWARC-Type: request", name="a\r\n\r\nb", value="c\r\n\r\nWARC/1.1\r\n")
def test_no_value_of_a_warc_header_breaks_out_of_its_line(
    tmp_path: Path, url: str, name: str, value: str
) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    capture = make(
        url=f"http://a/{url}",
        metadata=[(f"x{name}", value)],
        identified_type=value,
        cipher=value,
        protocols=[value],
        revisit=Revisit("identical-digest", f"http://b/{url}"),
    )
    path = write(tmp_path, capture, fields={f"x{name}": value})
    for records in (read_by_fastwarc(path), read_by_warcio(path)):
        assert [kind for kind, _, _ in records] == ["warcinfo", "revisit", "request", "metadata"]
        lengths = [len(headers) for _, headers, _ in records]
        assert lengths[0] == 7
        for _, headers, _ in records[1:]:
            uri = dict(headers)["WARC-Target-URI"]
            assert re.fullmatch(r"[!-~]+", uri)
            assert "<" not in uri
        assert records[3][2].count(b"\r\n") == 1


# ---- files


def test_files_are_rotated_by_size_and_named_when_closed(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, "uk", compression="none", max_bytes=3000, fields={"operator": "me"}) as writer:
        places = [writer.write(make(b"x" * 1000)) for _ in range(5)]
        assert [path.name for path in sorted(tmp_path.iterdir())][-1].endswith(".warc.open")
    names = sorted({place.filename for place in places})
    assert names == sorted(path.name for path in tmp_path.iterdir())
    assert len(names) > 1
    assert names[0] == "uk-00000.warc"
    for name in names:
        records = list(read_records(tmp_path / name))
        assert records[0].kind == "warcinfo"
        assert records[0].get("WARC-Filename") == name
        assert b"operator: me\r\n" in records[0].block
        assert (tmp_path / name).stat().st_size <= 3000
    for place in places:
        record = read_record(tmp_path / place.filename, place.offset)
        assert (record.kind, record.payload) == ("response", b"x" * 1000)


def test_numbers_go_on_behind_files_that_are_there(tmp_path: Path) -> None:
    assert write(tmp_path, make()).name == "test-00000.warc.gz"
    (tmp_path / "test-00007.warc.gz.open").touch()
    (tmp_path / "other-00009.warc.gz").touch()
    assert write(tmp_path, make()).name == "test-00008.warc.gz"


@pytest.mark.parametrize("end", ["killed", "rotated", "closed"])
def test_writing_is_resumed_at_the_last_good_byte(tmp_path: Path, end: str) -> None:
    writer = WarcWriter(tmp_path, "test", max_bytes=2000)
    assert writer.position is None
    writer.write(make(b"kept"))
    writer.sync()
    assert writer.position is not None
    name, length = writer.position
    if end != "closed":
        for _ in range(1 if end == "killed" else 4):
            writer.write(make(b"lost"))
    else:
        writer.close()
        assert writer.position == (name, length)
    del writer
    assert (len(list(tmp_path.iterdir())) > 1) is (end == "rotated")
    (tmp_path / "test-99999.txt").touch()
    with WarcWriter(tmp_path, "test", max_bytes=2000) as again:
        again.resume(name, length)
        place = again.write(make(b"more"))
        assert place == (name, length, place.length)
        other = again.write(make(os.urandom(3000)))
    assert other.filename == "test-00001.warc.gz"
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, other.filename, "test-99999.txt"]
    payloads = [record.payload for record in read_records(tmp_path / name, kinds={"response"})]
    assert payloads == [b"kept", b"more"]


def test_a_file_that_is_gone_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        WarcWriter(tmp_path, "test").resume("test-00000.warc.gz", 100)


def test_a_file_keeps_its_open_name_when_writing_failed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="truncated"), WarcWriter(tmp_path, "test") as writer:
        [writer.write(capture) for capture in (make(), make(truncated="tired"))]
    assert [path.name for path in tmp_path.iterdir()] == ["test-00000.warc.gz.open"]


def test_a_full_disk_is_told_as_one(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "test")
    writer.write(make())
    set_faults("no-space")
    try:
        with pytest.raises(DiskFullError):
            writer.write(make(b"more"))
    finally:
        set_faults("")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        WarcWriter(tmp_path / "none", "test")


@pytest.mark.parametrize(
    "how", [{"compression": "lzma"}, {"level": 13}, {"level": 0}, {"dictionary": b"x"}], ids=str
)
def test_what_a_writer_cannot_do_is_refused(tmp_path: Path, how: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        WarcWriter(tmp_path, "test", **how)


def test_odd_names_of_reasons_and_profiles_are_refused(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, "test") as writer:
        with pytest.raises(ValueError, match="truncated"):
            writer.write(make(truncated="tired"))
        with pytest.raises(ValueError, match="revisit"):
            writer.write(make(revisit=("again", "http://a/", 0)))


# ---- zstd dictionaries


def test_a_dictionary_makes_records_smaller_and_is_in_the_file(tmp_path: Path) -> None:
    def page(number: int) -> bytes:
        words = [hashlib.sha1(f"{number * 7 % 97} {i}".encode()).hexdigest()[:5] for i in range(40)]
        return (
            b"<html><head><title>A page</title><link rel=stylesheet></head><body>" + " ".join(words).encode()
        )

    dictionary = train_dictionary([page(number) for number in range(1500)], 20_000)
    sizes = []
    for name, known in (("plain", None), ("trained", dictionary)):
        (tmp_path / name).mkdir()
        with WarcWriter(
            tmp_path / name, "test", compression="zstd", level=3, dictionary=known, max_bytes=100_000
        ) as writer:
            places = [writer.write(make(page(number))) for number in range(2000, 2200)]
        sizes.append(sum(place.length for place in places))
        for number, place in enumerate(places):
            assert read_record(tmp_path / name / place.filename, place.offset).payload == page(2000 + number)
        for path in (tmp_path / name).iterdir():
            assert (path.read_bytes()[:4] == (0x184D2A5D).to_bytes(4, "little")) is (known is not None)
            assert list(check(path)) == []
        last = tmp_path / name / places[-1].filename
        bodies = [body for kind, _, body in read_by_fastwarc(last) if kind == "response"]
        assert bodies[-1] == page(2199)
    assert sizes[1] < sizes[0] * 0.9


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="samples"):
        train_dictionary([b"a"], 1000)


# ---- reading what others, and accidents, have made


def test_warcio_finds_no_error_in_a_file_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(
        tmp_path,
        *(make(b"x" * size, metadata=[("via", "a")]) for size in (0, 1, 5000)),
        make(b"", head=b"HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\n"),
        make(revisit=Revisit("identical-digest", "http://a/", NOON)),
    )

    class Command:
        inputs = [str(path)]  # noqa: RUF012
        verbose = True

    checker = Checker(Command())
    checker.process_all()
    told = capsys.readouterr().out
    assert checker.exit_value == 0, told
    assert "digest pass" in told
    assert "fail" not in told


def test_files_of_others_are_read(test_data: Path) -> None:
    counts = {}
    for folder in ("commoncrawl", "resiliparse", "warcio"):
        for path in sorted((test_data / "warc" / folder).rglob("*.warc*")):
            if not path.name.endswith((".bad", ".sh", ".md")):
                counts[path.name] = sum(1 for _ in read_records(path))
    assert counts["warcfile.warc.gz"] == counts["warcfile.warc.lz4"] == counts["warcfile.warc"] == 50
    assert counts["example.warc.gz"] == 6
    assert counts["example-trunc.warc"] == 4
    assert sum(counts.values()) >= 245


@pytest.mark.parametrize("how", KINDS, ids=lambda how: str(how["compression"]))
def test_a_damaged_record_is_passed_over_and_logged(
    tmp_path: Path, how: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with WarcWriter(tmp_path, "test", **how) as writer:
        places = [writer.write(make(b"page %d" % number * 99, request=b"")) for number in range(9)]
    path = tmp_path / places[0].filename
    data = bytearray(path.read_bytes())
    data[places[4].offset : places[4].offset + places[4].length] = b"\xaa" * places[4].length
    path.write_bytes(data)
    with caplog.at_level(logging.WARNING):
        payloads = [record.payload for record in read_records(path, kinds={"response"})]
    assert payloads == [b"page %d" % number * 99 for number in range(9) if number != 4]
    assert "reading goes on" in caplog.text


@pytest.mark.parametrize("how", KINDS, ids=lambda how: str(how["compression"]))
def test_a_file_cut_off_gives_what_is_whole(tmp_path: Path, how: dict[str, Any]) -> None:
    with WarcWriter(tmp_path, "test", **how) as writer:
        places = [writer.write(make(b"page %d" % number * 99, request=b"")) for number in range(3)]
    path = tmp_path / places[0].filename
    path.write_bytes(path.read_bytes()[:-20])
    payloads = [record.payload for record in read_records(path, kinds={"response"})]
    assert payloads == [b"page 0" * 99, b"page 1" * 99]


def test_a_wrong_offset_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, make())
    with pytest.raises(FormatError, match="no record begins here"):
        read_record(path, 3)
    with pytest.raises(FormatError, match="no record begins here"):
        read_record(path, path.stat().st_size)


@given(data=st.binary(max_size=300))
@example(data=b"WARC/1.1\r\nContent-Length: 9999999\r\n\r\n")
@example(data=(0x184D2A5D).to_bytes(4, "little") + b"\xff\xff\xff\xff" + b"\x28\xb5\x2f\xfd" * 4)
def test_reading_bytes_that_are_no_warc_ends_well(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd"
    path.write_bytes(data)
    assert all(isinstance(record.block, bytes) for record in read_records(path))


def test_an_empty_file_has_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.warc").touch()
    assert [problem.what for problem in check(tmp_path / "a.warc")] == ["there is no record"]


def test_a_digest_is_checked_in_each_spelling(tmp_path: Path) -> None:
    path = write(tmp_path, make(b"ab"), compression="none")
    data = path.read_bytes()
    old = re.search(rb"WARC-Payload-Digest: (\S+)", data)
    assert old is not None
    for told, holds in (
        ("sha1:" + hashlib.sha1(b"ab").hexdigest(), True),
        ("SHA-256:" + hashlib.sha256(b"ab").hexdigest(), True),
        ("sha1:" + hashlib.sha1(b"ac").hexdigest(), False),
        ("xxh3:00", True),
    ):
        path.write_bytes(data.replace(old[1], told.encode()))
        assert (list(check(path)) == []) is holds


def test_old_targets_in_brackets_are_read_without_them(tmp_path: Path) -> None:
    head = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: <http://a/>\r\nContent-Length: 0\r\n"
    (tmp_path / "a.warc").write_bytes(head + b"\r\n" * 3)
    assert [record.url for record in read_records(tmp_path / "a.warc")] == ["http://a/"]
