"""Queries and right pages from the events that are planted in an in-vitro web.

A snapshot of such a web has its events in the part `truth`. The words of an event are a query to the snapshot
in which it happened; the pages that it brought are right with grade 2, those that it changed with grade 1.
Events that are parts of one story have its word in common, and this word alone is asked for in each month in
which one of them happened: it matches all that came before as well. Left out are events of the first
snapshot, since there is none before it, and pages that are no nodes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from webstrata.errors import MissingError
from webstrata.search.evaluate.queries import TimedQuery

if TYPE_CHECKING:
    from webstrata.collection import Snapshot
    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.evaluate.judgements import Judgements

TRUTH = "truth"
BROUGHT, CHANGED = 2, 1
"""Grades of pages."""


def read_planted(search: ChangeSearch) -> tuple[list[TimedQuery], Judgements]:
    """The queries and the grades of pages that the truth of the snapshots gives.

    Examples
    --------
    >>> from tests.search.change.events import make_events
    >>> from webstrata.search.change import ChangeSearch
    >>> read_planted(ChangeSearch(make_events(getfixture("tmp_path") / "uk")))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...uk: no event of an in-vitro web happened between its snapshots; ...
    """
    found: dict[tuple[str, str], dict[str, int]] = {}
    events = {month: _read_events(snapshot) for month, snapshot in enumerate(search.collection)}
    first_words = Counter(
        name.partition(" ")[0] for name in {event["name"] for some in events.values() for event in some}
    )
    for month, label in enumerate(search.collection.labels):
        if not month or label not in search.union.snapshots[1:]:
            continue
        urls = search.union.urls_at(label)
        for event in events[month]:
            if event["month"] != month:
                continue
            story = event["name"].partition(" ")[0]
            asked = story if first_words[story] > 1 else event["name"]
            for some, grade in ((event["changed"], CHANGED), (event["born"], BROUGHT)):
                nodes = (urls.node(url) for url in some)
                for page in (str(urls[node]) for node in nodes if node is not None):
                    grades = found.setdefault((label, asked), {})
                    grades[page] = max(grade, grades.get(page, 0))
    queries = [TimedQuery(str(number), words, at) for number, (at, words) in enumerate(found, 1)]
    if not queries:
        raise MissingError(
            f"{search.collection.path}: no event of an in-vitro web happened between its snapshots; name "
            "files of queries and of right pages, or write what is true with `webstrata invitro truth`"
        )
    return queries, {query.id: found[query.at, query.text] for query in queries}


def _read_events(snapshot: Snapshot) -> list[dict[str, Any]]:
    if TRUTH not in snapshot.parts:
        return []
    with snapshot.open_part(TRUTH) as part:
        events: list[dict[str, Any]] = pq.read_table(part.path / "events.parquet").to_pylist()
    return events
