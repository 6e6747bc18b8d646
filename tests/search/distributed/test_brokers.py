"""Answers of partitions, which are those of the index itself."""

from __future__ import annotations

import queue
import shutil
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.search.small import MONTHS, Says, add_text
from webstrata.errors import MissingError
from webstrata.search.build import build_text_index
from webstrata.search.distributed.brokers import BROKERS, DocumentBroker
from webstrata.search.distributed.partitions import build_partition
from webstrata.search.index import TextIndex
from webstrata.search.settings import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = (
    "fish", "tropical fish", "+sea fish -waves", "trop* OR menu", "fish site:sea.example", "nothing",
    "tropical-fish sea", "title:fish sea",
    '"tropical fish"', '"fried fish" OR sea', '-"fish and chips" +fish', '"fish tropical"',
)  # fmt: skip


@pytest.mark.parametrize("kind", ["documents", "terms"])
def test_scores_of_a_partition_are_those_of_one_index(
    divided: ws.Collection, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = TextIndex.open(divided)
    factors = np.linspace(1, 1.5, len(index), dtype=np.float32)
    with BROKERS[kind](index, kind, pool="threads") as broker:
        for links in (False, True):
            if links:
                monkeypatch.setattr(index, "factors", lambda *_: (factors, {"2026-05": ["pagerank"]}))
            for query in QUERIES:
                for at in (None, "2026-06"):
                    one = index.search(query, at=at)
                    other = index.search(query, at=at, through=broker)
                    assert one.urls == other.urls, query
                    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-6)
                    np.testing.assert_allclose(one.text_scores, other.text_scores, rtol=1e-6)
        asked = broker.servers.traffic.requests
        broker.top(("word", "fish", [1]), 3, index.mask(), SearchSettings())
        # a term is in one part, a document in any
        assert broker.servers.traffic.requests - asked == (1 if kind == "terms" else 3)


def test_the_next_tier_is_asked_only_if_too_few_were_found(tiered: ws.Collection) -> None:
    index = TextIndex.open(tiered)
    with BROKERS["tiers"](index, "tiers", pool="threads") as broker:
        settings = SearchSettings()
        assert len(index.search("fish", limit=4, grouped=False, through=broker)) == 4
        broker.servers.reset()
        compiled = index.compiler(settings).compile("fish")
        first = broker.top(compiled, 1, index.mask(), settings)
        assert broker.servers.traffic.busy[1] == 0.0
        # tiers may miss what would have scored more, and never give what is not there
        assert first[1][0] <= index.top(compiled, 1, index.mask(), settings)[1][0]


def test_a_partition_of_an_older_index_is_refused(divided: ws.Collection, tmp_path: Path) -> None:
    shutil.copytree(divided.path, tmp_path / "uk", symlinks=True)
    copy = ws.open(tmp_path / "uk")
    index = TextIndex.open(copy)
    with pytest.raises(MissingError, match="no partition by tiers"):
        BROKERS["tiers"](index, "tiers")
    add_text(copy, "2026-08", MONTHS["2026-05"])
    build_text_index(copy, workers=1)
    with pytest.raises(MissingError, match="its partition by terms is of an older index"):
        BROKERS["terms"](TextIndex.open(copy), "terms")


# ---- statistics


def grow(collection: ws.Collection, kinds: tuple[str, ...]) -> None:
    """Index one more month, and build the partitions again."""
    add_text(
        collection, "2026-08", {"http://z.example/": Says("Fish", "A fish of August, a very long fish.")}
    )
    build_text_index(collection, workers=1)
    for kind in kinds:
        build_partition(collection, kind, 3, workers=1)


@pytest.fixture
def growing(divided: ws.Collection, tmp_path: Path) -> ws.Collection:
    """A copy of the divided collection, which may change."""
    shutil.copytree(divided.path, tmp_path / "uk", symlinks=True)
    return ws.open(tmp_path / "uk")


@pytest.mark.parametrize("kind", ["documents", "terms"])
def test_a_broker_that_is_refreshed_scores_as_the_index_of_now(growing: ws.Collection, kind: str) -> None:
    clause, settings = ("word", "fish", [1]), SearchSettings()
    before = TextIndex.open(growing)
    with BROKERS[kind](before, kind, pool="threads") as broker:
        old = broker.top(clause, 9, before.mask(), settings)
        grow(growing, (kind,))
        # until then it answers from the old files with the old numbers
        for one, other in zip(old, broker.top(clause, 9, before.mask(), settings), strict=True):
            np.testing.assert_array_equal(one, other)
        assert broker.refresh()
        index = TextIndex.open(growing)
        assert len(index) > len(before)
        found, expected = (each.top(clause, 9, index.mask(), settings) for each in (broker, index))
        assert len(found[0]) > len(old[0])
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)
        assert not broker.refresh()


def test_the_statistics_of_all_parts_are_those_of_the_index(growing: ws.Collection) -> None:
    index = TextIndex.open(growing)
    with BROKERS["documents"](index, "documents", pool="threads") as broker:
        assert isinstance(broker, DocumentBroker)
        broker.top(("word", "fish", [1]), 3, index.mask(), SearchSettings())
        grow(growing, ("documents",))
        broker.refresh()
        grown = TextIndex.open(growing)
        frequencies = {"fish": grown.reader.frequency("fish")}
        assert broker.statistics == (len(grown), grown.reader.num_words(), frequencies)


def test_statistics_are_refreshed_in_the_background_and_failures_are_logged(
    growing: ws.Collection, caplog: pytest.LogCaptureFixture
) -> None:
    turns: queue.Queue[bool] = queue.Queue()
    waiting = threading.Semaphore(0)

    def wait(seconds: float) -> bool:
        assert seconds == 60
        waiting.release()
        return turns.get()

    index = TextIndex.open(growing)
    with BROKERS["documents"](index, "documents", pool="threads", refresh=60, wait=wait) as broker:
        waiting.acquire()
        assert broker.num_refreshed == 0
        grow(growing, ("documents",))
        turns.put(False)
        waiting.acquire()  # it waits again, so it has refreshed
        assert broker.num_refreshed == 1
        assert broker.facts.num_documents == len(TextIndex.open(growing))
        build_partition(growing, "documents", 2, workers=1)
        turns.put(False)
        waiting.acquire()
        assert "is in 2 parts now, and 3 are served" in caplog.text
        turns.put(True)
