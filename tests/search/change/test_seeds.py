"""Seeds: the sums of the BM25 weights of summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.search.change.events import CALM, FLOOD, make_events
from webstrata.errors import MissingError, UsageError
from webstrata.search.change.seeds import NAME_WEIGHT, IndexSeeds, SummarySeeds, usual_seeds
from webstrata.search.settings import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


def test_seeds_are_the_pages_with_the_largest_sums_of_weights(tmp_path: Path) -> None:
    collection = make_events(tmp_path / "uk", {"2026-01": CALM, "2026-02": FLOOD})
    find = SummarySeeds(collection)
    snapshot = collection["2026-02"]
    found = find("Flood, bridge!", "2026-02", 4)
    archive = snapshot.summaries
    numbers = [number for word in ("flood", "bridge") if (number := archive.terms.find(word)) is not None]
    sums = archive.matrix("bm25")[:, numbers].toarray().sum(axis=1)
    best = sorted(range(len(sums)), key=lambda node: (-sums[node], node))[:4]
    assert found.nodes.tolist() == best
    assert found.scores == pytest.approx(sums[best])
    every = np.arange(len(sums))[::-1]
    assert find.score("Flood, bridge!", "2026-02", every) == pytest.approx(sums[::-1])
    assert len(find("flood", "2026-01", 100).nodes) == 3
    assert find("nowhere", "2026-01", 100).nodes.tolist() == []
    with pytest.raises(UsageError, match="the query is empty"):
        find("  ", "2026-01", 10)


def test_an_index_is_asked_where_there_is_one(indexed: ws.Collection) -> None:
    find = usual_seeds(indexed)
    assert isinstance(find, IndexSeeds)
    index = indexed.text_index
    label = index.snapshots[-1]
    word = index.complete("")[0]
    found = find(word, label, 5)
    hits = index.search(word, at=label, limit=50, grouped=False)
    scores = dict(zip(hits.nodes.tolist(), hits.text_scores.tolist(), strict=True))
    # title and URL count once more
    names = SearchSettings(
        title_weight=1.0,
        url_weight=1.0,
        text_weight=0.0,
        other_weight=0.0,
        anchor_weight=0.0,
        host_weight=0.0,
    )
    pages = np.array(list(scores), np.int64)
    for node, more in zip(pages.tolist(), index.score(word, label, pages, names).tolist(), strict=True):
        scores[node] += NAME_WEIGHT * more
    assert len(found.nodes) > 0
    assert found.scores.tolist() == pytest.approx([scores[node] for node in found.nodes.tolist()], rel=1e-5)
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    # the same scores, of any pages in any order
    every = np.arange(len(index.maps[label]))[::-1]
    expected = [scores.get(node, 0.0) for node in every.tolist()]
    assert find.score(word, label, every).tolist() == pytest.approx(expected, rel=1e-5)
    with pytest.raises(MissingError, match="1999 is not in the text index"):
        find(word, "1999", 5)


def test_a_page_called_what_was_asked_for_comes_before_one_that_mentions_it(indexed: ws.Collection) -> None:
    index = indexed.text_index
    label = index.snapshots[-1]
    word = index.complete("")[0]
    every = np.arange(len(index.maps[label]))
    plain = IndexSeeds(indexed, name_weight=0.0).score(word, label, every)
    more = IndexSeeds(indexed).score(word, label, every) - plain
    titles = indexed[label].text.rows(every)["title"].to_pylist()
    named = np.array([word in (title or "").lower() for title in titles])
    assert named.any()
    assert more[named & (plain > 0)].min() > 0
    assert (more >= -1e-9).all()
