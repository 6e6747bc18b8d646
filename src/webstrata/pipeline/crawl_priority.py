"""What the setting ``priority`` of a crawl means: the part that needs other snapshots and their ranks.

``pagerank`` gives a URL the score that the last ranked snapshot before this one has for it. A URL that the
earlier snapshot has not gets the mean score of its host there, since pages of good hosts tend to be good; a
URL of an unknown host has none, and is on the last level (`webstrata.crawl.priorities.by_quantile`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from webstrata.collection.action import Action
from webstrata.crawl.functions import check_source
from webstrata.crawl.priorities import DEFAULT_LEVELS, PAGERANK, by_quantile
from webstrata.errors import MissingError
from webstrata.rank.part import part_name
from webstrata.rank.stored import SCORES
from webstrata.store.urls import Urls
from webstrata.web.row_key import row_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.crawl.priorities import Prioritizer
    from webstrata.crawl.settings import CrawlSettings

RANKS = part_name(PAGERANK, "page")


def find_priority(
    snapshot: Snapshot, settings: CrawlSettings, options: Mapping[str, object] | None = None
) -> Prioritizer | None:
    """The priority that needs other snapshots, None where the crawl makes its own from the settings.

    A function is taken from `options` or the environment alone: a settings file that came with a collection
    must not name code to run.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> find_priority(testing.empty().add("2026-06"), CrawlSettings(priority="depth")) is None
    True
    >>> find_priority(testing.collection().add("2026-09"), CrawlSettings(priority="pagerank")).levels
    8
    """
    check_source(settings, options)
    if settings.priority != PAGERANK:
        return None
    earlier = [snapshot.collection[date] for date in snapshot.collection.dates if date < snapshot.date]
    ranked = next((one for one in reversed(earlier) if {RANKS, "urls"} <= set(one.parts.names)), None)
    if ranked is None:
        last = earlier[-1] if earlier else snapshot
        raise MissingError(
            f"{snapshot.collection.path}: priority is pagerank, and no snapshot before {snapshot.date} is "
            "ranked",
            fix=Action.on(last, "build", RANKS) if earlier else None,
        )
    return rank_priority(ranked, settings.levels or DEFAULT_LEVELS)


def rank_priority(snapshot: Snapshot, levels: int) -> Prioritizer:
    """The better a page ranks in a snapshot, the sooner.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.collection()["2026-06"]
    >>> urls = ["http://reef.example/", "http://reef.example/new", "http://unknown.example/"]
    >>> rank_priority(june, 4)(urls, [0, 0, 0])
    array([0, 0, 3], dtype=uint8)
    """
    part = snapshot.open_part("urls")
    urls = Urls(part.path, part)
    with snapshot.open_part(RANKS) as ranks:
        scores = np.load(ranks.path / SCORES)[: len(urls)]
    sums = np.concatenate([[0.0], np.cumsum(scores)])

    def score(asked: Sequence[str]) -> npt.NDArray[np.float64]:
        keys = row_keys(asked)
        nodes = urls.find(pa.array(keys, pa.large_string()))
        found = np.where(nodes >= 0, scores[np.maximum(nodes, 0)], np.nan)
        for place in np.flatnonzero(nodes < 0):
            own = urls.prefix(keys[place].partition(")")[0] + ")")
            if len(own):
                found[place] = (sums[own.stop] - sums[own.start]) / len(own)
        return found

    return by_quantile(score, scores, levels)
