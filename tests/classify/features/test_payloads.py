"""Bytes of pages as they were sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.classify.web import PAGES
from tests.sealing import seal
from tests.summaries.written import write_snapshot
from webstrata.classify.features.payloads import measure_payloads

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


def test_sizes_are_those_of_the_bodies_and_damage_is_no_number(fresh: ws.Snapshot) -> None:
    snapshot = fresh
    found = measure_payloads(snapshot)
    assert found is not None
    wanted = [len(f"<html><body>{PAGES[url]}</body></html>".encode()) for url in snapshot.urls]
    assert found.tolist() == wanted
    for path in (snapshot.path / "warc").glob("*.gz"):
        content = bytearray(path.read_bytes())
        content[-400:] = bytes(400)
        path.write_bytes(content)
    seal(snapshot, "warc")
    damaged = measure_payloads(snapshot)
    assert damaged is not None
    assert 0 < np.isnan(damaged).sum() < len(damaged)
    kept = ~np.isnan(damaged)
    assert damaged[kept].tolist() == found[kept].tolist()


def test_without_records_there_are_none(tmp_path: Path) -> None:
    assert measure_payloads(write_snapshot(tmp_path / "uk", ["fish"])) is None
