"""Originals of revisits that name a URL and a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.store.ingest.test_intake import revisit
from tests.store.warcs import pack, response
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path


def test_originals_are_found_before_and_in_earlier_snapshots(tmp_path: Path) -> None:
    collection = ws.create(tmp_path / "uk")
    may = response("http://a.uk/", b"<p>may", date="2026-05-01T00:00:00Z")
    june = response("http://b.uk/", b"<p>june", date="2026-06-01T00:00:00Z")
    later = pack(
        revisit("http://a.uk/", b"", ("WARC-Refers-To-Date", "2026-05-01T00:00:00Z")),
        revisit("http://b.uk/", b"", ("WARC-Refers-To-Date", "2026-06-01T00:00:00Z")),
    )
    for name, data in (("may", pack(may)), ("june", pack(june)), ("later", later)):
        (tmp_path / f"{name}.warc.gz").write_bytes(data)
    ingest(collection.add("2026-05"), [tmp_path / "may.warc.gz"])
    ingest(collection.add("2026-06"), [tmp_path / "june.warc.gz"])
    ingest(collection["2026-06"], [tmp_path / "later.warc.gz"], mode="add")
    found = [collection.capture(f"http://{name}.uk/") for name in "ab"]
    assert [(each.is_revisit, each.payload) for each in found] == [(True, b"<p>may"), (True, b"<p>june")]
    assert list(collection["2026-06"].urls) == ["http://a.uk/", "http://b.uk/"]
    assert collection["2026-06"].text[0].text == "may"
