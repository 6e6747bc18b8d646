"""Records of all kinds, listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.store.ingest.test_intake import make_all
from tests.store.warcs import pack
from webstrata.store.ingest.run import ingest
from webstrata.store.inventory import list_records

if TYPE_CHECKING:
    from pathlib import Path


def test_records_are_listed_with_their_places_and_by_kind(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(pack(*make_all()))
    june = ws.create(tmp_path / "uk").add("2026-06")
    ingest(june, [tmp_path / "a.warc.gz"])
    found = list(list_records(june))
    assert [each.kind for each in found] == [dict(made[0])["WARC-Type"] for made in make_all()]
    assert [each.length for each in found] == [len(made[1]) for made in make_all()]
    assert (found[1].url, found[1].content_type, found[1].filename) == ("dns:a.uk", "text/dns", "a.warc.gz")
    assert [each.kind for each in list_records(june, kinds=["metadata", "conversion"])] == [
        "metadata",
        "conversion",
    ]
