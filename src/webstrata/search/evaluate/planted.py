"""Queries and right pages from the events that are planted in an in-vitro web.

A snapshot of such a web has its events in the part `truth`. The words of an event are a query to the snapshot
in which it happened. Right are, with grade 2, the pages that it brought and older pages that it only links
to, and with grade 1 those that it changed. Events that are parts of one story have its word in common, and
this word alone is asked for in each month in which one of them happened: it matches all that came before as
well. Left out are events of the first snapshot, since there is none before it, and pages that are no nodes.

An event has a kind (`webstrata.invitro.events`), by which results are grouped. Nobody asks for ``noise``, and
nothing of it is right. A query for several events of different kinds has the kind ``mixed``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.errors import MissingError
from webstrata.search.evaluate.queries import TimedQuery

if TYPE_CHECKING:
    from webstrata.collection import Snapshot
    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.evaluate.judgements import Judgements

TRUTH = "truth"
BROUGHT, CHANGED = 2, 1
"""Grades of pages."""
LINKED, NOISE, MIXED = "linked", "noise", "mixed"
"""The kind of events without one, that of what nobody asks for, and that of queries for events of several."""


def read_planted(search: ChangeSearch) -> tuple[list[TimedQuery], Judgements]:
    """The queries and the grades of pages that the truth of the snapshots gives.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from webstrata import testing
    >>> from webstrata.search.change import ChangeSearch
    >>> collection = testing.collection()
    >>> born = ["http://news.example/storm", "http://reef.example/storm"]
    >>> event = {"name": "storm", "month": 2, "born": born, "changed": ["http://news.example/"]}
    >>> with collection["2026-06"].write_part("truth") as build:
    ...     pq.write_table(pa.Table.from_pylist([event]), build.path / "events.parquet")
    >>> queries, right = read_planted(ChangeSearch(collection))
    >>> queries, right["1"]
    ([TimedQuery(id='1', text='storm', at='2026-06')], {'http://news.example/': 1,
    'http://news.example/storm': 2, 'http://reef.example/storm': 2})
    """
    found: dict[tuple[str, str], dict[str, int]] = {}
    kinds: dict[tuple[str, str], str] = {}
    events = {month: _read_events(snapshot) for month, snapshot in enumerate(search.collection)}
    first_words = Counter(
        name.partition(" ")[0]
        for name in {event["name"] for some in events.values() for event in some if _is_asked(event)}
    )
    for month, label in enumerate(search.collection.dates):
        if not month or label not in search.union.snapshots[1:]:
            continue
        urls = search.union.urls_at(label)
        for event in events[month]:
            if event["month"] != month or not _is_asked(event):
                continue
            story = event["name"].partition(" ")[0]
            asked = story if first_words[story] > 1 else event["name"]
            own = event.get("kind", LINKED)
            kinds[label, asked] = own if kinds.get((label, asked), own) == own else MIXED
            brought = [*event["born"], *event.get("linked", ())]
            for some, grade in ((event["changed"], CHANGED), (brought, BROUGHT)):
                nodes = (urls.get(url) for url in some)
                for page in (str(urls[node]) for node in nodes if node is not None):
                    grades = found.setdefault((label, asked), {})
                    grades[page] = max(grade, grades.get(page, 0))
    queries = [
        TimedQuery(str(number), words, at, kinds[at, words]) for number, (at, words) in enumerate(found, 1)
    ]
    if not queries:
        raise MissingError(
            f"{search.collection.path}: no event of a synthetic web between its snapshots; give files of "
            "queries and of relevant pages, or {fix} for every snapshot",
            fix=Action(
                "invitro truth", str(search.collection.path), "SNAPSHOT", options={"preset": "PRESET"}
            ),
        )
    return queries, {query.id: found[query.at, query.text] for query in queries}


def _is_asked(event: dict[str, Any]) -> bool:
    return bool(event.get("kind", LINKED) != NOISE)


def _read_events(snapshot: Snapshot) -> list[dict[str, Any]]:
    if TRUTH not in snapshot.parts:
        return []
    with snapshot.open_part(TRUTH) as part:
        events: list[dict[str, Any]] = pq.read_table(part.path / "events.parquet").to_pylist()
    return events
