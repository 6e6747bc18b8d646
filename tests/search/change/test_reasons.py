"""What came and went, as the months of the test say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.search.change.reasons import Reasons
from webstrata.temporal.union import StoredUnion

if TYPE_CHECKING:
    import webstrata as ws


def test_reasons_are_the_links_and_words_that_came_and_went(uk: ws.Collection) -> None:
    union = StoredUnion(uk)
    urls = ["http://paper.com/", "http://city.org/fire", "http://city.org/q?id=1"]
    known = uk["2026-03"].urls
    nodes = np.array([union.node(url) if "?" not in url else -1 for url in urls])
    pages = np.array([known.get(url) for url in urls])
    front, fire, dynamic = Reasons(union).explain(nodes, pages, urls, "2026-02", "2026-03")
    assert not front.is_new
    assert front.links_gained.urls == ("http://city.org/fire",)
    assert set(front.links_lost.urls) == {"http://paper.com/sports", "http://paper.com/flood"}
    assert [tuple(word) for word in front.words_gained] == [("fire", 0, 1)]
    assert [tuple(word) for word in front.words_lost] == [("flood", 1, 0)]
    assert (front.words_before, front.words_after) == (4, 4)
    assert front.look == f"webstrata diff {uk.path} 2026-02 2026-03 http://paper.com/"
    assert fire.is_new
    assert fire.inlinks_gained.urls == ("http://paper.com/",)
    assert {word.word for word in fire.words_gained} == {"fire", "in", "the", "city", "old", "town"}
    assert fire.look == f"webstrata get {uk.path} http://city.org/fire --at 2026-03 --text"
    # nothing is known of a page that is not aligned, but its words now
    assert not dynamic.is_new
    assert dynamic.links_gained.number == 0
    assert dynamic.to_dict()["words_after"] == 5
