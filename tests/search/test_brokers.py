"""Answers of partitions, which are those of the index itself."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.search.small import MONTHS, add_text
from webstrata.errors import MissingError
from webstrata.search.brokers import BROKERS
from webstrata.search.build import build_index
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
    build_index(copy, workers=1)
    with pytest.raises(MissingError, match="its partition by terms is of an older index"):
        BROKERS["terms"](TextIndex.open(copy), "terms")
