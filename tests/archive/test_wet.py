"""Text of pages as WET files."""

from __future__ import annotations

import gzip
import warnings
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from webstrata.archive.wet import Conversion, WetWriter

NAMES = [
    "WARC-Type", "WARC-Target-URI", "WARC-Date", "WARC-Record-ID", "WARC-Refers-To", "WARC-Block-Digest",
    "WARC-Identified-Content-Language", "Content-Type", "Content-Length",
]  # fmt: skip


def make(
    text: str, *, title: str = "", language: str | None = None, refers_to: str = "<urn:1>"
) -> Conversion:
    return Conversion(
        url="http://a.uk/",
        date="2026-06-12T18:30:00Z",
        refers_to=refers_to,
        title=title,
        text=text,
        language=language,
    )


@given(st.lists(st.text(), max_size=4), st.booleans())
def test_warcio_reads_every_text_back(texts: list[str], packed: bool) -> None:  # noqa: FBT001
    stream = BytesIO()
    writer = WetWriter(
        stream, packed=packed, name="a\r\nb", created="2026-06-30T12:00:00Z", fields=[("a", "b\r\nc")]
    )
    for text in texts:
        writer.write(make(text))
    stream.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        records = [
            (record.rec_type, record.content_stream().read())
            for record in ArchiveIterator(stream, check_digests="raise")
        ]
    assert records[0] == ("warcinfo", b"format: WARC File Format 1.0\r\na: b c\r\n")
    assert records[1:] == [("conversion", text.encode("utf-8", "replace")) for text in texts]


def test_headers_stand_in_the_order_of_common_crawl() -> None:
    lines = make("Ein Satz.", title="Titel", language="de").to_bytes().split(b"\r\n")
    assert lines[0] == b"WARC/1.0"
    assert [line.split(b":")[0].decode() for line in lines[1:10]] == NAMES
    assert lines[7] == b"WARC-Identified-Content-Language: deu"
    assert lines[10:] == [b"", b"Titel\nEin Satz.", b"", b""]


def test_what_is_not_known_is_not_told() -> None:
    record = make("text", language="xx", refers_to="").to_bytes()
    assert b"Language" not in record
    assert b"Refers" not in record


def test_the_same_text_has_the_same_id_and_each_record_is_a_member() -> None:
    assert make("a").to_bytes() == make("a").to_bytes()
    assert make("a").to_bytes() != make("a", refers_to="<urn:2>").to_bytes()
    stream = BytesIO()
    writer = WetWriter(stream, packed=True, name="a", created="2026-06-30T12:00:00Z", fields=[])
    writer.write(make("a"))
    assert stream.getvalue().count(b"\x1f\x8b\x08") >= 2
    assert gzip.decompress(stream.getvalue()).count(b"WARC/1.0\r\n") == 2
