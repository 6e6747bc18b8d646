"""Settings of summaries."""

from __future__ import annotations

from webstrata._core import summaries
from webstrata.summaries.settings import MAX_WINDOW


def test_the_largest_window_is_that_of_the_core() -> None:
    assert summaries.MAX_WINDOW == MAX_WINDOW
