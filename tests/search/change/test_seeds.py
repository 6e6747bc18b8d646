"""Seeds: the sums of the BM25 weights of summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.search.change.events import CALM, FLOOD, make_events
from webstrata.errors import UsageError
from webstrata.search.change.seeds import SummarySeeds

if TYPE_CHECKING:
    from pathlib import Path


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
    assert len(find("flood", "2026-01", 100).nodes) == 3
    assert find("nowhere", "2026-01", 100).nodes.tolist() == []
    with pytest.raises(UsageError, match="the query is empty"):
        find("  ", "2026-01", 10)
