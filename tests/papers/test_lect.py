"""LECT: front queues and politeness of the crawler, and the worked example of the connectivity server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.graph import reference
from webstrata.crawl.priorities import as_core, choose_levels, selection_weights
from webstrata.crawl.settings import CrawlSettings
from webstrata.graph import BVGraph, Graph
from webstrata.graph.compress import compress
from webstrata.graph.settings import GraphSettings
from webstrata.pipeline.presets import made_with, preset_settings
from webstrata.web.robots import parse_robots

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    [1, 2, 4, 8, 16, 32, 64],
    [1, 4, 9, 16, 25, 36, 49, 64],
    [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144],
    [1, 4, 8, 16, 25, 36, 49, 64],
]
FIRST = 60
"""The node of the first row, near to what it links to as pages of a site are."""


def test_the_fourth_list_is_minus_2_remove_9_add_8(tmp_path: Path) -> None:
    lists: list[list[int]] = [[]] * FIRST + ROWS + [[]] * (145 - FIRST - len(ROWS))
    compress(*reference.to_rows(lists), tmp_path / "lect")
    coded = reference.read_lists((tmp_path / "lect.graph").read_bytes(), 145)[FIRST + 3]
    assert coded.reference == 2
    # of 1, 4, 9, 16, 25, 36, 49, 64 the first two are copied, one is left out, the others are copied
    assert coded.blocks == [2, 1]
    assert (coded.intervals, coded.residuals) == ([], [8])
    assert [
        row.tolist() for row in map(Graph.open(tmp_path / "lect").successors, range(FIRST, FIRST + 4))
    ] == ROWS
    # the second list has as many successors, and nothing to refer to that is as near
    bits = np.diff(BVGraph(tmp_path / "lect").places(FIRST, FIRST + 4))
    assert bits[3] < 0.6 * bits[1]


def test_every_list_is_what_the_bits_say(tmp_path: Path) -> None:
    lists = [[(3 * node) % 97, *range(node % 5 * 10, node % 5 * 10 + node % 8), 96] for node in range(97)]
    compress(*reference.to_rows(lists), tmp_path / "g")
    coded = reference.read_lists((tmp_path / "g.graph").read_bytes(), 97)
    assert [row.outdegree for row in coded] == [len(set(row)) for row in lists]
    assert any(row.reference for row in coded)
    assert any(row.intervals for row in coded)


def test_front_queues_serve_every_level_and_urgent_ones_more_often() -> None:
    settings, priority = choose_levels(preset_settings("paper:lect", CrawlSettings), None)
    assert priority is not None
    levels = as_core(priority, settings.levels)([f"http://a/{depth}" for depth in range(12)], list(range(12)))
    assert levels == [min(depth, settings.levels - 1) for depth in range(12)]
    weights = selection_weights(settings.levels, settings.level_bias)
    assert (weights > 0).all()
    np.testing.assert_allclose(weights[:-1] / weights[1:], settings.level_bias)


def test_the_robots_example_keeps_everybody_but_searchengine_out_of_temp() -> None:
    text = "User-agent: *\nDisallow: /yoursite/temp/\n\nUser-agent: searchengine\nDisallow:\n"
    for agent, allowed in (("anybody", False), ("searchengine", True)):
        rules = parse_robots(text.encode(), [agent])
        assert rules.allows("/yoursite/temp/page") is allowed
        assert rules.allows("/yoursite/page")


def test_the_gap_between_requests_is_much_longer_than_the_last_fetch() -> None:
    settings = preset_settings("paper:lect", CrawlSettings)
    assert settings.delay_factor >= 10
    assert settings.obey_robots


def test_the_preset_has_politeness_front_queues_and_the_window_of_seven_lists() -> None:
    crawl, graph = preset_settings("paper:lect", CrawlSettings), preset_settings("paper:lect", GraphSettings)
    assert (crawl.priority, graph.window) == ("depth", 7)
    assert choose_levels(crawl, None)[0].levels == 8, "K front queues"
    assert crawl.level_bias > 1, "urgent ones are served more often"
    assert not made_with("paper:lect", CrawlSettings, CrawlSettings().to_dict())
    assert made_with("paper:lect", CrawlSettings, crawl.to_dict())
    assert made_with("paper:lect", "graph", graph.to_dict())
