"""When snapshots of a continuous crawl begin and end."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from webstrata.crawl.schedule.calendar import CUTS, begin_of, end_of, label_of


@given(st.datetimes(dt.datetime(2000, 1, 1), dt.datetime(2099, 1, 1)), st.sampled_from(CUTS))
def test_every_moment_is_in_one_snapshot(naive: dt.datetime, cut: str) -> None:
    moment = naive.replace(tzinfo=dt.UTC).timestamp()
    begin, end = begin_of(moment, cut).timestamp(), end_of(moment, cut).timestamp()
    assert begin <= moment < end
    assert label_of(begin, cut) == label_of(end - 1, cut) == label_of(moment, cut)
    assert label_of(end, cut) > label_of(moment, cut)
    assert begin_of(end, cut).timestamp() == end
