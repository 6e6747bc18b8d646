"""How fast WARC files are read: ours beside FastWARC, from Python, records as both hand them out.

`warc-read`: every record with its headers, HTTP head and payload. `warc-scan`: record headers alone, bodies
passed over. Both sides must count the same records and the same bytes of payloads. Seconds are of processor
time; the file has 10 000 pages (`--quick`: 1 000) in gzip members, one a record, written by FastWARC. Pages
are real ones where `WEBSTRATA_CORPUS` names a folder, else those of the in-vitro web.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bench.frame import PEERS, Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Iterator

IS_REAL = bool(os.environ.get("WEBSTRATA_CORPUS"))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"


def iter_pages(count: int) -> Iterator[tuple[str, bytes]]:
    """URL and bytes of pages: real ones, if there are, else those of the in-vitro web."""
    if IS_REAL:
        from urllib.parse import quote

        from bench.data import real_pages

        for url, body in real_pages(count):
            host, _, path = url.removeprefix("http://").partition("/")
            yield f"http://{host.replace('+', 'p')}.example.org/{quote(path)}", body
        return
    from bench.invitro import choose_pages
    from webstrata.invitro import Web

    web = Web("realistic", seed=7)
    for url in choose_pages(web, count):
        yield url, web.fetch(url).body


def write_pages(path: Path, pages: Iterator[tuple[str, bytes]]) -> None:
    """Write pages as FastWARC does, a gzip member a record, with digests; the same bytes each time."""
    import uuid
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from fastwarc.stream_io import GzipWriter
        from fastwarc.warc import WarcRecord, WarcRecordType

    with path.open("wb") as stream:
        writer = GzipWriter(stream, compression_level=6)
        for number, (url, body) in enumerate(pages):
            block = HEAD % len(body) + body
            record = WarcRecord()
            record.init_headers(WarcRecordType.response, content_length=len(block))
            record.headers["WARC-Record-ID"] = f"<urn:uuid:{uuid.UUID(int=number + 1)}>"
            record.headers["WARC-Date"] = "2026-06-12T18:30:00Z"
            record.headers["WARC-Target-URI"] = url
            record.headers["Content-Type"] = "application/http; msgtype=response"
            record.set_bytes_content(block)
            record.write(writer, checksum_data=True)
            writer.finish()  # else the whole file is one member


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the file."""
    write_pages(folder / "pages.warc.gz", iter_pages(1_000 if quick else 10_000))


def read_ours(place: str) -> list[int]:
    """Records, and bytes of their payloads."""
    from webstrata.archive.warc import read_records

    count = size = 0
    for record in read_records(Path(place) / "pages.warc.gz"):
        count += bool(record.head)
        size += len(record.payload)
    return [count, size]


def read_fastwarc(place: str) -> list[int]:
    """The same by FastWARC, which parses the HTTP head."""
    from fastwarc.warc import ArchiveIterator

    count = size = 0
    with (Path(place) / "pages.warc.gz").open("rb") as stream:
        for record in ArchiveIterator(stream, parse_http=True):
            count += record.http_headers is not None
            size += len(record.reader.read())
    return [count, size]


def scan_ours(place: str) -> int:
    """Records, by their headers."""
    from webstrata.archive.warc import read_records

    path = Path(place) / "pages.warc.gz"
    return sum(record.get("WARC-Target-URI") is not None for record in read_records(path, blocks=False))


def scan_fastwarc(place: str) -> int:
    """The same by FastWARC."""
    from fastwarc.warc import ArchiveIterator

    with (Path(place) / "pages.warc.gz").open("rb") as stream:
        records = ArchiveIterator(stream, parse_http=False)
        return sum(record.headers.get("WARC-Target-URI") is not None for record in records)


def _figure(name: str, what: str) -> Figure:
    return Figure(
        name=name,
        data="warc-real" if IS_REAL else "warc",
        prepare=prepare,
        ours=Call(f"bench.warc:{what}_ours"),
        theirs=Call(f"bench.warc:{what}_fastwarc", PEERS / "python"),
        peer=Peer("fastwarc"),
        measure="cpu",
        agree=True,
        rounds=7,
        quick_rounds=5,
    )


FIGURES = [_figure("warc-read", "read"), _figure("warc-scan", "scan")]

if __name__ == "__main__":
    main(FIGURES)
