"""Merging and splitting collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.pipeline.revisits import HOME, TERMS, URLS
from webstrata import testing
from webstrata.collection.check import check_collection
from webstrata.errors import DateError, ExistsError, MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection


def test_a_merged_snapshot_has_the_payloads_of_snapshots_that_were_not_merged(revisits: Collection) -> None:
    source = revisits
    target = testing.collection_of({"2026-07": {"http://z.example/": "Z"}})
    copied = target.merge(source, ["2026-05", "2026-06"])
    assert [counts["moved"] for counts in copied.values()] == [2, 0]
    source.remove()
    target = ws.open(target.path)
    for label in ("2026-05", "2026-06"):
        assert target[label].capture(URLS[0]).payload == HOME
        assert target[label].capture(URLS[3]).payload == TERMS
    assert not check_collection(target).damage
    with pytest.raises(ExistsError, match="it has a snapshot 2026-07 already"):
        testing.collection_of({"2026-07": {"http://z.example/": "Z"}}).merge(target)
    with pytest.raises(DateError):
        target.merge(testing.empty())


def test_a_split_by_host_keeps_that_host_and_its_takedowns(tmp_path: Path) -> None:
    uk = testing.collection()
    uk.takedown("http://reef.example/storm", reason="a request")
    reef = uk.split(tmp_path / "reef", hosts=["reef.example"], title="Reef")
    assert (reef.title, reef.dates) == ("Reef", uk.dates)
    assert {url.split("/")[2] for url in reef["2026-05"].urls} == {"reef.example", "www.reef.example"} - (
        {"www.reef.example"}
    )
    with pytest.raises(MissingError, match="was taken down"):
        reef.capture("http://reef.example/storm")
    reef.takedown("http://reef.example/storm", lift=True)
    assert reef.capture("http://reef.example/storm").status == 200


def test_what_has_no_captures_is_neither_copied_nor_erased(tmp_path: Path) -> None:
    testing.collection()["2026-06"].export("bundle", tmp_path / "reef.bundle")
    bundled = testing.empty()
    bundled.add("2026-06").ingest(tmp_path / "reef.bundle")
    with pytest.raises(UsageError, match="this snapshot has no captures to copy; leave it out"):
        bundled.split(tmp_path / "part", ["2026-06"])
    assert not (tmp_path / "part").exists()
    with pytest.raises(UsageError, match="no captures to copy"):
        testing.collection().merge(bundled)
    with pytest.raises(UsageError, match="this snapshot has such URLs and no captures to build it from"):
        bundled.takedown("http://reef.example/", reason="a court order", erase=True)
    assert len(bundled["2026-06"].urls) == 15
