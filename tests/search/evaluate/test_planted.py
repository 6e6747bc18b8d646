"""Queries and right pages of planted events: each in its month, what it brought above what it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from tests.search.change.events import make_events
from webstrata.search.change import ChangeSearch
from webstrata.search.evaluate.planted import read_planted

if TYPE_CHECKING:
    from pathlib import Path


def test_an_event_is_asked_for_in_its_month_and_pages_that_are_no_nodes_are_left_out(tmp_path: Path) -> None:
    uk = make_events(tmp_path / "uk")
    events = [
        {"name": "flood", "month": 1, "born": ["http://city.org/flood", "http://nowhere.org/"],
         "changed": ["http://paper.com/", "http://city.org/flood"]},
        {"name": "calm", "month": 1, "born": ["http://nowhere.org/"], "changed": []},
        {"name": "early", "month": 0, "born": ["http://city.org/"], "changed": []},
        {"name": "storm one", "month": 1, "born": ["http://city.org/"], "changed": []},
        {"name": "storm two", "month": 2, "born": ["http://city.org/fire"], "changed": ["http://city.org/"]},
    ]  # fmt: skip
    for snapshot in uk:
        with snapshot.write_part("truth") as build:
            pq.write_table(pa.Table.from_pylist(events), build.path / "events.parquet")
    queries, right = read_planted(ChangeSearch(uk))
    assert {query.kind for query in queries} == {"linked"}, "events of 0.1.0 have no kind"
    # a story is asked for by its word, month after month
    asked = [("flood", "2026-02"), ("storm", "2026-02"), ("storm", "2026-03")]
    assert [(query.text, query.at) for query in queries] == asked
    assert [right[query.id] for query in queries] == [
        {"http://paper.com/": 1, "http://city.org/flood": 2},
        {"http://city.org/": 2},
        {"http://city.org/": 1, "http://city.org/fire": 2},
    ]


def test_noise_is_never_asked_for_and_linked_pages_are_right(tmp_path: Path) -> None:
    uk = make_events(tmp_path / "uk")
    old: dict[str, object] = {"born": [], "changed": [], "linked": []}
    events = [
        old | {"name": "flood", "month": 1, "kind": "links", "linked": ["http://city.org/flood"],
               "changed": ["http://city.org/"]},
        old | {"name": "storm one", "month": 2, "kind": "edits", "changed": ["http://city.org/"]},
        old | {"name": "storm two", "month": 2, "kind": "burst", "born": ["http://city.org/fire"]},
        old | {"name": "noise", "month": 2, "kind": "noise", "born": ["http://city.org/flood"]},
    ]  # fmt: skip
    for snapshot in uk:
        with snapshot.write_part("truth") as build:
            pq.write_table(pa.Table.from_pylist(events), build.path / "events.parquet")
    queries, right = read_planted(ChangeSearch(uk))
    assert [(query.text, query.kind) for query in queries] == [("flood", "links"), ("storm", "mixed")]
    assert [right[query.id] for query in queries] == [
        {"http://city.org/flood": 2, "http://city.org/": 1},
        {"http://city.org/": 1, "http://city.org/fire": 2},
    ]
