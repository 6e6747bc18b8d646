"""What a computation took."""

from __future__ import annotations

import numpy as np

from webstrata.classify.learning.cost import Cost, Meter, borrow


def test_memory_that_was_held_and_freed_counts_and_that_of_before_does_not() -> None:
    big = np.ones(60 << 20, np.uint8)
    del big
    with Meter() as small:
        pass
    with Meter() as meter:
        big = np.ones(120 << 20, np.uint8)
        del big
    assert meter.cost.peak_bytes >= small.cost.peak_bytes
    assert meter.cost.peak_bytes > 120 << 20
    assert meter.cost.cpu_seconds > 0


def test_what_was_made_earlier_counts_for_all_who_borrow_it() -> None:
    borrow(Cost(1000.0, 0.0, 0))  # nobody measures
    with Meter() as outer, Meter() as inner:
        borrow(Cost(100.0, 10.0, 1 << 50))
    assert 100 <= inner.cost.cpu_seconds < 1000
    assert 100 <= outer.cost.cpu_seconds < 1000
    assert outer.cost.peak_bytes == 1 << 50
