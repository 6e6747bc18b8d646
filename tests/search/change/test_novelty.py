"""Shares of new words against a plain count, from texts and from summaries; what lowers lists of links."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.change.events import make_events
from webstrata.search.change.novelty import Novelty, list_factors, new_shares, novelty_factors
from webstrata.store.text import COLUMNS, TEXT, write_text
from webstrata.summaries import make_rows

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws

counts = st.dictionaries(st.integers(0, 8), st.integers(1, 4), max_size=6)


@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=5))
def test_the_share_is_that_of_a_plain_count(pages: list[tuple[dict[int, int], dict[int, int]]]) -> None:
    before, after = (make_rows([(0, page[side]) for page in pages]) for side in (0, 1))
    expected = [
        (Counter(now) - Counter(then)).total() / Counter(now).total() if now else 0.0 for then, now in pages
    ]
    assert new_shares(before, after).tolist() == pytest.approx(expected)


def add_text(snapshot: ws.Snapshot, texts: list[str]) -> None:
    rows = [{"title": "", "headings": [], "text": text, "main": []} for text in texts]
    columns = {"words": 0, "language": None, "charset": None, "simhash": 0}
    with snapshot.write_part("text") as build:
        batch = pa.RecordBatch.from_pylist(rows, schema=TEXT)
        write_text(build.path, [batch], pa.Table.from_pylist([columns] * len(rows), schema=COLUMNS))


def test_texts_are_compared_where_there_are_some_and_summaries_else(tmp_path: Path) -> None:
    uk = make_events(tmp_path / "uk")
    then, now = (
        np.array([uk[label].urls.node(url) if url else -1 for url in urls])
        for label, urls in (
            ("2026-01", ["http://city.org/", "", "http://city.org/old"]),
            ("2026-02", ["http://city.org/", "http://city.org/flood", "http://city.org/old"]),
        )
    )
    # two of seven words of the front page came
    assert Novelty(uk).shares(then, now, "2026-01", "2026-02").tolist() == pytest.approx([2 / 7, 1.0, 0.0])
    add_text(uk["2026-01"], ["One two two"] * len(uk["2026-01"].urls))
    add_text(uk["2026-02"], ["one two three four"] * len(uk["2026-02"].urls))
    assert Novelty(uk).shares(then, now, "2026-01", "2026-02").tolist() == [0.5, 1.0, 0.5]
    # the same document is not read at all
    same = Novelty(uk, lambda label: np.zeros(9, np.uint32))
    assert same.shares(then, now, "2026-01", "2026-02").tolist() == [0.0, 1.0, 0.0]
    assert not same._texts


def test_a_new_page_keeps_its_score_and_one_that_gained_nothing_has_none() -> None:
    assert novelty_factors(np.array([0.0, 1.0]), 0.3).tolist() == [0.0, 1.0]
    rising = novelty_factors(np.linspace(0, 1, 20), 0.2)
    assert (np.diff(rising) > 0).all()


def test_menus_do_not_count_and_lists_of_links_do() -> None:
    words, hosts = np.full(12, 300.0), np.repeat([0, 1], 6)
    menus = np.repeat([10.0, 200.0], 6)  # one host has long menus
    assert list_factors(words, menus, hosts, 10.0).tolist() == [1.0] * 12
    menus[5] += 60
    found = list_factors(words, menus, hosts, 10.0)
    assert found[5] < 0.4
    assert (np.delete(found, 5) == 1).all()
    assert (list_factors(words, menus, hosts, 0.0) == 1).all()
