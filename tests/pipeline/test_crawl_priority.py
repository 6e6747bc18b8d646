"""The priorities of a crawl that come from elsewhere: ranks of an earlier snapshot, functions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata import testing
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import MissingError, SettingError
from webstrata.pipeline.crawl_priority import find_priority, rank_priority

if TYPE_CHECKING:
    from webstrata.api import Collection

FUNCTION = "webstrata.testing:scratch"


@pytest.fixture
def vitro() -> Collection:
    """A synthetic web in a collection, crawled once and ranked."""
    collection = testing.empty()
    collection.add("2026-01").crawl(invitro="tiny", invitro_seed=7)
    collection["2026-01"].build("graph", "rank-pagerank")
    return collection


def test_pages_that_ranked_high_get_the_first_levels(vitro: Collection) -> None:
    january = vitro["2026-01"]
    scores = january.rank(method="pagerank").scores
    order = np.argsort(-scores)
    urls = [january.urls[int(node)] for node in order]
    levels = rank_priority(january, 8)(urls, [0] * len(urls))
    assert (np.diff(levels.astype(int)) >= 0).all()
    above = [int((scores > scores[node]).sum()) for node in order]
    assert levels.tolist() == [8 * number // len(urls) for number in above]


def test_a_new_page_has_the_mean_of_its_host_and_a_new_host_comes_last(vitro: Collection) -> None:
    january = vitro["2026-01"]
    scores, host = january.rank(method="pagerank").scores, january.urls[0].split("/")[2]
    own = january.urls.host(host)
    mean = scores[own.start : own.stop].mean()
    expected = 8 * int((scores > mean * (1 + 1e-12)).sum()) // len(scores)
    levels = rank_priority(january, 8)([f"http://{host}/not-there-before", "http://nobody.example/"], [0, 0])
    assert levels.tolist() == [expected, 7]


def test_the_next_snapshot_is_crawled_by_the_ranks_of_the_one_before(vitro: Collection) -> None:
    february = vitro.add("2026-02")
    result = february.crawl(invitro="tiny", invitro_seed=7, month=1, priority="pagerank", levels=4)
    assert result.end == "exhausted"
    assert february.crawl_result().settings["priority"] == "pagerank"


def test_a_priority_without_ranks_is_refused_and_says_what_to_do() -> None:
    collection = testing.empty()
    with pytest.raises(MissingError, match="no snapshot before 2026-09 is ranked"):
        find_priority(collection.add("2026-09"), CrawlSettings(priority="pagerank"))


def test_a_function_that_a_settings_file_names_is_refused() -> None:
    snapshot = testing.empty().add("2026-06")
    settings = CrawlSettings(priority=FUNCTION)
    with pytest.raises(SettingError, match="files may not name code"):
        find_priority(snapshot, settings)
    assert find_priority(snapshot, settings, {"priority": FUNCTION}) is None
