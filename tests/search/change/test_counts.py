"""Degrees and words of every snapshot: those of its graph and summaries, made again when stale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import webstrata as ws
from tests.sealing import seal
from tests.search.change.events import CALM, FLOOD, MONTHS, add_pages, make_events
from webstrata.errors import FormatError, MissingError
from webstrata.search.change.counts import PART, open_counts
from webstrata.temporal.union import StoredUnion

if TYPE_CHECKING:
    from pathlib import Path


def test_counts_are_those_of_the_pages_of_each_month(uk: ws.Collection) -> None:
    union = StoredUnion(uk)
    counts = open_counts(union)
    static = [url for url in {url for pages in MONTHS.values() for url in pages} if "?" not in url]
    for number, pages in enumerate(MONTHS.values()):
        for url in static:
            node = union.node(url)
            words, links = pages.get(url, ("", []))
            sources = [other for other in pages if "?" not in other and url in pages[other][1]]
            assert counts.words[number, node] == len(words.split())
            assert counts.outdegrees[number, node] == len([link for link in links if link in pages])
            assert counts.indegrees[number, node] == (len(sources) if url in pages else 0)
    # the second time they are mapped
    assert isinstance(open_counts(union).words, np.memmap)


def test_counts_of_other_summaries_are_made_again(tmp_path: Path) -> None:
    collection = make_events(tmp_path / "uk", {"2026-01": CALM, "2026-02": FLOOD})
    first = open_counts(StoredUnion(collection))
    made = collection.parts.record(PART).checksum
    assert open_counts(StoredUnion(collection)).part is not None
    add_pages(collection, "2026-02", FLOOD | {"http://city.org/flood": ("flood " * 30, [])})
    assert f"2026-02/{'summaries'}" in collection.states()[f"/{PART}"].stale
    again = open_counts(StoredUnion(collection))
    assert collection.parts.record(PART).checksum != made
    assert again.words.sum() > first.words.sum()


def test_what_is_missing_or_damaged_is_said(tmp_path: Path) -> None:
    collection = make_events(tmp_path / "uk", {"2026-01": CALM, "2026-02": FLOOD})
    open_counts(StoredUnion(collection))
    with collection.open_part(PART) as part:
        (part.path / "in.npy").write_bytes(b"no array")
    seal(collection, PART)
    with pytest.raises(FormatError, match=r"in.npy: this is not an array of numbers"):
        open_counts(StoredUnion(collection))
    np.save(part.path / "in.npy", np.zeros((1, 2)))
    seal(collection, PART)
    with pytest.raises(FormatError, match=r"it has float64 of shape \(1, 2\), and uint32 of shape \(2, "):
        open_counts(StoredUnion(collection))
    other = ws.create(tmp_path / "other")
    with pytest.raises(MissingError, match="no union of snapshots"):
        open_counts(other.temporal)
