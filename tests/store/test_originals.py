"""Records of earlier snapshots that an export needs; `tests/crawl/test_earlier.py` has whole exports."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import webstrata as ws
from webstrata.archive.warc import Capture, Revisit, WarcWriter
from webstrata.store.ingest.run import ingest
from webstrata.store.originals import copy_originals

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html"


def test_a_payload_that_only_an_earlier_snapshot_holds_is_copied_once(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    june = [Capture(url=f"http://a.uk/{name}", date=10**18, head=HEAD, body=name.encode()) for name in "ab"]
    told = Revisit("identical-digest", "http://a.uk/a", 10**18)
    july = [
        Capture(url=url, date=2 * 10**18, head=HEAD, body=b"a", revisit=told)
        for url in ("http://a.uk/a", "http://a.uk/c")
    ]
    for label, captures in (("2026-06", june), ("2026-07", july)):
        with WarcWriter(tmp_path, label) as writer:
            for capture in captures:
                writer.write(capture)
        ingest(collection.add(label), sorted(tmp_path.glob(f"{label}*.warc.gz")))
    snapshot = collection["2026-07"]
    with snapshot.open_part("captures") as part:
        found = copy_originals(snapshot, part.path / "index.cdxj.gz", tmp_path, "originals.warc.gz")
    assert found is not None
    assert found.count == 1
    record = gzip.decompress(found.path.read_bytes())
    assert b"WARC-Target-URI: http://a.uk/a\r\n" in record
    assert record.count(b"WARC/1.1\r\n") == 1
    assert [line.split(b" ")[0] for line in found.merge(iter([b"uk,a)/zz 1 {}\n"]))] == [
        b"uk,a)/a",
        b"uk,a)/zz",
    ]
