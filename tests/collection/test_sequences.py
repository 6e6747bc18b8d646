"""Indices and slices of the sequences of a snapshot."""

from __future__ import annotations

import pytest

from webstrata import testing
from webstrata.collection.sequences import find_place


def test_a_negative_index_counts_from_the_end() -> None:
    assert [find_place(place, 3) for place in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    for place in (-4, 3):
        with pytest.raises(IndexError, match="expected 0 to 2"):
            find_place(place, 3)
    with pytest.raises(IndexError):
        find_place(0, 0)


def test_sequences_of_a_snapshot_have_negative_indices_and_slices() -> None:
    june = testing.snapshot()
    last = len(june.urls) - 1
    assert june.urls[-1] == june.urls[last]
    assert june.urls[-2:] == [june.urls[last - 1], june.urls[last]]
    for parts in (june.pages, june.text):
        last = len(parts) - 1
        assert parts[-1] == parts[last]
        assert parts[-2:] == [parts[last - 1], parts[last]]
        with pytest.raises(IndexError):
            parts[last + 1]
    assert june.summaries[-1].terms.tolist() == june.summaries[len(june.urls) - 1].terms.tolist()
    assert len(june.summaries[1:3]) == 2
