"""Editing the captures of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.pipeline.revisits import HTML, date_of
from webstrata.archive.warc import Capture, WarcWriter, read_records
from webstrata.store.editing import is_prepared, prepare_edit, publish_edit
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path


def test_requests_and_metadata_of_a_url_go_with_it_and_others_do_not_name_it(tmp_path: Path) -> None:
    gone, kept = "http://a.example/gone", "http://a.example/kept"
    with WarcWriter(tmp_path, "old") as writer:
        for second, url in enumerate((gone, kept)):
            request = f"GET / HTTP/1.1\r\nHost: a.example\r\nReferer: {gone}\r\n\r\n".encode()
            metadata = [("via", gone), ("hopsFromSeed", "L")]
            date = date_of("2026-06", second)
            body = f"<title>{url}</title>".encode() * (2 - second)
            writer.write(
                Capture(url=url, date=date, head=HTML, body=body, request=request, metadata=metadata)
            )
    june = ws.create(tmp_path / "uk").add("2026-06")
    ingest(june, [tmp_path / "old-00000.warc.gz"])
    counts = prepare_edit(june, drop=lambda url: url == gone)
    assert (counts["captures"], counts["dropped"]) == (1, 1)
    assert is_prepared(june)
    assert list(ws.open(tmp_path / "uk")["2026-06"].urls) == [gone, kept]
    publish_edit(june)
    june = ws.open(tmp_path / "uk")["2026-06"]
    assert list(june.urls) == [kept]
    assert june.capture(kept).payload == f"<title>{kept}</title>".encode()
    records = [each for path in (june.path / "warc").glob("*.warc.gz") for each in read_records(path)]
    kinds = sorted(record.kind for record in records if record.kind != "warcinfo")
    assert kinds == ["metadata", "request", "response"]
    assert not [record for record in records if gone in f"{record.headers}{record.block!r}"]
    assert any(b"hopsFromSeed: L" in record.block for record in records)
