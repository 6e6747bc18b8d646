"""Overlaps, gaps, visits and repetitions of random logs, against the rules said plainly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.invitro.judge import reference
from tests.invitro.judge.reference import Request
from webstrata.invitro.judge.rules import (
    FOREVER,
    find_gaps,
    find_repeats,
    find_visits,
    latest_before,
    settle,
    valid_until,
)

moments = st.integers(0, 60)
requests = st.lists(
    st.builds(
        Request,
        connection=st.integers(0, 3),
        host=st.integers(0, 2),
        url=st.integers(0, 2),
        begin=moments,
        end=moments,
        is_final=st.booleans(),
    ),
    max_size=14,
)


def column(found: list[Request], name: str) -> np.typing.NDArray[np.int64]:
    return np.array([getattr(request, name) for request in found], np.int64)


def settled(found: list[Request]) -> tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64]]:
    times = settle(*(column(found, name) for name in ("connection", "begin", "end")))
    reference.settle(found)
    return times


@given(requests)
def test_requests_of_a_connection_follow_each_other(found: list[Request]) -> None:
    begin, end = settled(found)
    assert begin.tolist() == [request.begin for request in found]
    assert end.tolist() == [request.end for request in found]


@given(requests, st.integers(0, 30))
def test_visits_and_the_gaps_between_them_are_those_of_the_reference(
    found: list[Request], slice_: int
) -> None:
    begin, end = settled(found)
    visits = find_visits(column(found, "connection"), column(found, "host"), begin, end, slice_)
    expected = reference.visits(found, slice_)
    assert sorted(zip(visits.first.tolist(), visits.last.tolist(), strict=True)) == sorted(
        (visit[0], visit[-1]) for visit in expected
    )
    assert visits.end.tolist() == end[visits.last].tolist()
    hosts = column(found, "host")[visits.first]
    intervals = list(zip(visits.begin.tolist(), visits.end.tolist(), strict=True))
    later, earlier, gap = find_gaps(hosts, visits)
    assert dict(zip(later.tolist(), gap.tolist(), strict=True)) == reference.gaps(hosts.tolist(), intervals)
    # whoever overlaps does so on another connection
    connection = column(found, "connection")[visits.first]
    assert np.all((gap >= 0) | (connection[later] != connection[earlier]))


@given(requests, st.integers(1, 60), st.lists(moments, max_size=3).map(sorted), st.integers(0, 20))
def test_repetitions_are_those_of_the_reference(
    found: list[Request], expiry: int, restarts: list[int], grace: int
) -> None:
    begin, end = settled(found)
    until = valid_until(begin, end, np.full(len(found), expiry), np.array(restarts, np.int64), grace)
    is_final = column(found, "is_final").astype(bool)
    later, earlier = find_repeats(column(found, "url"), begin, end, until, is_final)
    assert set(later.tolist()) == reference.repeats(found, expiry, restarts, grace)
    assert all(found[one].url == found[other].url for one, other in zip(later, earlier, strict=True))


def test_times_far_apart_do_not_overflow() -> None:
    end = np.array([FOREVER - 1, 1, FOREVER - 2, 0], np.int64)
    assert latest_before(np.array([0, 0, 7, 7]), end).tolist() == [-1, 0, -1, 2]
    until = valid_until(end, end, np.full(4, FOREVER), np.zeros(0, np.int64), 0)
    assert until.tolist() == [FOREVER] * 4


def test_an_empty_log_has_nothing_to_find() -> None:
    none = np.zeros(0, np.int64)
    visits = find_visits(none, none, none, none, 5)
    assert [len(part) for part in find_gaps(none, visits)] == [0, 0, 0]
    assert [len(part) for part in find_repeats(none, none, none, none, none.astype(bool))] == [0, 0]
