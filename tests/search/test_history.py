"""What search sees of a page through time, as the months of the test say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.search.change import reference
from webstrata.errors import MissingError
from webstrata.search.history import page_changes

if TYPE_CHECKING:
    import webstrata as ws


def test_the_change_of_each_interval_is_split_as_in_table_1(uk: ws.Collection) -> None:
    found = page_changes(uk.temporal, "http://paper.com/")
    assert found.is_aligned
    sizes = [(one.inlinks, one.outlinks, one.words) for one in found.versions]
    assert sizes == [(1, 2, 3), (1, 3, 4), (1, 2, 4)]
    assert [(one.before, one.after) for one in found.intervals] == [
        ("2026-01", "2026-02"),
        ("2026-02", "2026-03"),
        ("2026-01", "2026-03"),
    ]
    for one, (before, after) in zip(found.intervals, ((0, 1), (1, 2), (0, 2)), strict=True):
        assert one.total == pytest.approx(reference.change(sizes[before], sizes[after]))
    first, second, whole = found.intervals
    assert [word.word for word in first.words_gained] == ["flood"]
    assert [word.word for word in second.words_lost] == ["flood"]
    assert [word.word for word in whole.words_gained] == ["fire"]
    assert found.to_dict()["intervals"][0]["words_gained"] == [{"word": "flood", "before": 0, "after": 1}]


def test_a_page_that_is_not_aligned_is_compared_by_its_url(uk: ws.Collection) -> None:
    found = page_changes(uk.temporal, "http://city.org/q?id=1")
    assert not found.is_aligned
    assert [(one.is_there, one.words, one.outlinks) for one in found.versions] == [(True, 5, 1)] * 3
    assert [one.total for one in found.intervals] == [0.0] * 3
    with pytest.raises(MissingError, match="a dynamic URL"):
        page_changes(uk.temporal, "http://city.org/q?id=2")


def test_equal_texts_have_gained_and_lost_no_words(
    uk: ws.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a word that few pages have is left out of the summaries of one month and not of another
    monkeypatch.setattr("webstrata.search.history._fingerprint", lambda _snapshot, _page: 1)
    found = page_changes(uk.temporal, "http://paper.com/")
    assert [(one.words_gained, one.words_lost) for one in found.intervals] == [((), ())] * 3
