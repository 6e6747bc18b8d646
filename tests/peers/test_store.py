"""Other people's programs before what `ingest` and `export` write: warcio, pywb."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.peers.test_warc import find_peer, run
from webstrata.store.cdxj import Entry
from webstrata.store.export import export
from webstrata.store.ingest import ingest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def taken(test_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot made of real archives of others."""
    snapshot = ws.create(tmp_path_factory.mktemp("peers") / "uk").add("2014-01")
    result = ingest(
        snapshot, [test_data / "warc/pywb/warcs", test_data / "warc/warcio", test_data / "warc/commoncrawl"]
    )
    assert result.captures > 150
    return snapshot


def test_warcio_finds_no_error_in_what_was_ingested(taken: Snapshot, tmp_path: Path) -> None:
    export(taken, "warc", tmp_path / "all.warc.gz")
    told = run(find_peer("warcio"), "check", "-v", str(tmp_path / "all.warc.gz"))
    assert "digest pass" in told
    assert "fail" not in told


def test_pywb_makes_the_same_index_of_what_was_ingested(taken: Snapshot, tmp_path: Path) -> None:
    export(taken, "warc", tmp_path / "all.warc.gz")
    export(taken, "cdxj", tmp_path / "all.cdxj")
    told = run(find_peer("cdx-indexer"), "-j", "-s", str(tmp_path / "all.warc.gz"))
    theirs = [Entry.parse(line.encode()) for line in told.splitlines()]
    ours = [Entry.parse(line) for line in (tmp_path / "all.cdxj").read_bytes().splitlines()]
    for name in ("url", "offset", "length", "digest"):
        assert sorted(entry.fields[name] for entry in ours) == sorted(entry.fields[name] for entry in theirs)
    assert sorted((entry.key, entry.timestamp) for entry in ours) == sorted(
        (entry.key, entry.timestamp) for entry in theirs
    )


def test_pywb_takes_a_wacz_of_ours(taken: Snapshot, tmp_path: Path) -> None:
    export(taken, "wacz", tmp_path / "uk.wacz")
    run(find_peer("wb-manager"), "init", "test", folder=tmp_path)
    run(find_peer("wb-manager"), "add", "--unpack-wacz", "test", str(tmp_path / "uk.wacz"), folder=tmp_path)
    lines = (tmp_path / "collections/test/indexes/index.cdxj").read_bytes().splitlines()
    with taken.open_part("index") as part:
        assert len(lines) == part.counts["captures"]
