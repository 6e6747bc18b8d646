"""Shark search sees what links say: their own words, then those around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.simulate.stored import LINK_LIST, store
from webstrata.simulate.anchors import find_words, score_links
from webstrata.simulate.run import Simulation
from webstrata.simulate.settings import SimulateSettings
from webstrata.simulate.web import StoredWeb

if TYPE_CHECKING:
    from pathlib import Path


def test_links_are_scored_by_their_words_and_by_those_around_them(tmp_path: Path) -> None:
    snapshot = store(tmp_path / "uk")
    web = StoredWeb(snapshot, link_order="page", answers="stored")
    found = score_links(web, "query:Fishes")
    offsets, targets = web.lists  # type: ignore[misc]
    assert found is not None
    assert len(found) == len(targets)
    by_target = dict(zip(targets[: int(offsets[1])].tolist(), found.tolist(), strict=False))
    # an own word is all; one nearby is a fifth; "cats" is far from any fish, and "Others" not in the text
    assert by_target == pytest.approx({1: 0.0, 6: 0.2, 2: 1.0, 5: 1.0, 4: 0.0})
    by_node = score_links(StoredWeb(snapshot), "query:fish")
    assert by_node is not None
    assert by_node.tolist() == pytest.approx([0.0, 1.0, 0.2, 0.0])
    assert score_links(web, "topic:1") is None
    assert len(LINK_LIST) == 6


def test_shark_search_goes_first_where_a_link_says_what_is_looked_for(tmp_path: Path) -> None:
    snapshot = store(tmp_path / "uk")
    start = tmp_path / "start.txt"
    start.write_text("http://a.org/\n")
    orders = {}
    for share in (0.0, 0.5):
        settings = SimulateSettings(
            policy=("shark",), relevant="query:fish", start=str(start), link_order="page", anchor_share=share
        )
        [trace] = Simulation(snapshot, settings).traces()
        orders[share] = trace.nodes.tolist()
    assert orders == {0.0: [0, 1, 3, 2, 4], 0.5: [0, 2, 3, 1, 4]}


def test_the_words_of_examples_are_those_that_weigh_most(tmp_path: Path) -> None:
    snapshot = store(tmp_path / "uk")
    examples = tmp_path / "good.txt"
    examples.write_text("http://a.org/fish\nhttp://a.org/reef\n")
    words = find_words(StoredWeb(snapshot), f"examples:{examples}")
    assert max(words, key=lambda word: words[word]) == "fish"
    assert set(words) == {"fish", "swim", "reef"}
    assert np.all(np.array(list(words.values())) > 0)
