"""What links do to scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.search.small import MONTHS, make_small
from tests.temporal.months import add_month
from webstrata.search.build import build_text_index
from webstrata.search.index import TextIndex
from webstrata.search.links import read_link_scores, saturate
from webstrata.search.settings import SearchSettings
from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    from pathlib import Path


def test_a_score_grows_by_at_most_its_weight_with_the_links(tmp_path: Path) -> None:
    collection = make_small(tmp_path / "uk", {"2026-05": MONTHS["2026-05"]})
    keys = sorted(map(row_key, MONTHS["2026-05"]), key=str.encode)
    # all lead to the last page, the sea
    snapshot = add_month(collection, "2026-05", keys, [(0, 3), (1, 3), (2, 3)])
    build_text_index(collection, workers=1)
    plain = TextIndex.open(collection).search("fish")
    assert (plain.scores == plain.text_scores).all()
    ranking = snapshot.rank()
    index = TextIndex.open(collection)
    hits = index.search("fish", settings=SearchSettings(link_weight=2.0))
    expected = 1 + 2.0 * saturate(ranking.scores)[hits.nodes]
    np.testing.assert_allclose(hits.scores / hits.text_scores, expected, rtol=1e-6)
    assert sorted(hits.text_scores) == sorted(plain.text_scores)
    # pruning by the bound of the factors loses nothing
    best = index.search("fish", limit=1, grouped=False, settings=SearchSettings(link_weight=2.0))
    assert best.scores[0] == hits.scores[0]
    # a ranking of another graph is none
    add_month(collection, "2026-05", keys, [(0, 1)])
    assert read_link_scores(snapshot, 4) == {}
