"""Overlaps from labels, against sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webstrata.temporal.overlap import LabelCounts, overlap_of_labels


@given(st.lists(st.integers(0, 2**64 - 1), max_size=30), st.integers(1, 5))
def test_overlaps_are_those_of_sets_in_any_blocks(labels: list[int], block: int) -> None:
    array = np.array(labels, np.uint64)
    blocks = [array[start : start + block] for start in range(0, len(array), block)]
    sets = [{place for place, label in enumerate(labels) if label >> month & 1} for month in range(64)]
    common = tuple(tuple(len(one & other) for other in sets) for one in sets)
    assert overlap_of_labels("pages", blocks, 64).common == common
    counts = LabelCounts()
    counts.add(array)
    assert counts.num_instances == sum(label.bit_count() for label in labels)
    assert sum(counts.by_age(64)) == sum(label != 0 for label in labels) == counts.num_labels
