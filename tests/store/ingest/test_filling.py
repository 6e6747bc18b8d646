"""What both ways of storing a source share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.store.warcs import pack, response
from webstrata.archive.fixity import read_report
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_no_more_than_a_thousand_wrong_digests_are_shown_and_all_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webstrata.store.ingest.filling.MAX_SHOWN", 3)
    records = [response(f"http://a.uk/{n}", b"<p>%d" % n, payload="md5:00") for n in range(5)]
    (tmp_path / "a.warc.gz").write_bytes(pack(*records))
    june = ws.create(tmp_path / "uk").add("2026-06")
    result = ingest(june, [tmp_path / "a.warc.gz"])
    assert (result.mismatched, len(result.mismatches)) == (5, 3)
    with june.open_part("warc") as part:
        assert len(list(read_report(part.path / "fixity.jsonl"))) == 5
