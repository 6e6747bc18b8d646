"""The rules as functions of columns: what overlaps, what comes too soon, what comes twice.

Times are in microseconds. A log has no order of its own (a line is written when its request ends), so each
function sorts what it gets. Maxima over what came before in a group are taken over ranks: group · n + rank
grows from group to group and never overflows, however far apart the times are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

FOREVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Visits:
    """Requests on one connection to one host that count as one: the first of each, the last, and when."""

    first: Numbers
    last: Numbers
    begin: Numbers
    end: Numbers


def settle(connection: Numbers, arrival: Numbers, end: Numbers) -> tuple[Numbers, Numbers]:
    """Arrivals and ends as a server can have had them: one request of a connection after the other.

    A request begins when it arrives, and not before the request before it on its connection has ended
    (clients may send several at once, and the server reads them one by one); it ends when it has begun or
    later.

    Examples
    --------
    >>> begin, finish = settle(np.array([0, 0, 1]), np.array([10, 15, 15]), np.array([20, 30, 12]))
    >>> begin.tolist(), finish.tolist()
    ([10, 20, 15], [20, 30, 15])
    """
    end = np.maximum(end, arrival)
    order = np.lexsort((end, arrival, connection))
    before = latest_before(connection[order], end[order])
    has_one = before >= 0
    begin = arrival.copy()
    begin[order[has_one]] = np.maximum(arrival[order[has_one]], end[order[before[has_one]]])
    return begin, np.maximum(end, begin)


def latest_before(group: Numbers, end: Numbers) -> Numbers:
    """Of each row the one before it in its group that ends last, or −1; groups must be sorted.

    Examples
    --------
    >>> latest_before(np.array([0, 0, 0, 1]), np.array([9, 5, 7, 1])).tolist()
    [-1, 0, 0, -1]
    """
    if not len(group):
        return np.zeros(0, np.int64)
    by_end = np.argsort(end, kind="stable")
    rank = np.empty(len(end), np.int64)
    rank[by_end] = np.arange(len(end))
    is_first = np.r_[True, group[1:] != group[:-1]]
    number = np.cumsum(is_first) - 1
    highest = np.maximum.accumulate(number * len(end) + rank)
    latest = by_end[np.r_[0, highest[:-1]] % len(end)]
    return np.where(is_first, -1, latest)


def find_visits(connection: Numbers, host: Numbers, begin: Numbers, end: Numbers, slice_: int) -> Visits:
    """Visits: a request and those behind it on its connection that begin within `slice_` of its beginning.

    A request for another host ends the visit. With a slice of 0 every request is a visit.

    Examples
    --------
    >>> begin = np.array([0, 20, 60])
    >>> visits = find_visits(np.zeros(3, int), np.zeros(3, int), begin, begin + 10, 50)
    >>> visits.begin.tolist(), visits.end.tolist()
    ([0, 60], [30, 70])
    """
    everything = np.arange(len(begin))
    if slice_ <= 0 or not len(begin):
        return Visits(everything, everything, begin, end)
    order = np.lexsort((end, begin, connection))
    of_connection, of_host, begins = connection[order], host[order], begin[order]
    is_new = np.r_[True, (of_connection[1:] != of_connection[:-1]) | (of_host[1:] != of_host[:-1])]
    heads: list[int] = []
    limit = 0
    for place, (fresh, moment) in enumerate(zip(is_new.tolist(), begins.tolist(), strict=True)):
        if fresh or moment >= limit:
            heads.append(place)
            limit = moment + slice_
    first = np.array(heads)
    last = np.r_[first[1:], len(order)] - 1
    # requests of a connection follow each other, so the last of a visit is the one that ends last
    return Visits(order[first], order[last], begins[first], end[order[last]])


def find_gaps(group: Numbers, visits: Visits) -> tuple[Numbers, Numbers, Numbers]:
    """The visits that another one of their group came before: which, the one that ends last, and the gap.

    The gap is from the end of that one to the beginning of this; below 0, the two overlap.

    Examples
    --------
    >>> moments = np.array([0, 15, 18])
    >>> visits = find_visits(np.arange(3), np.zeros(3, int), moments, moments + 10, 0)
    >>> [column.tolist() for column in find_gaps(np.zeros(3, int), visits)]
    [[1, 2], [0, 1], [5, -7]]
    """
    order = np.lexsort((visits.end, visits.begin, group))
    before = latest_before(group[order], visits.end[order])
    has_one = before >= 0
    later, earlier = order[has_one], order[before[has_one]]
    return later, earlier, visits.begin[later] - visits.end[earlier]


def valid_until(begin: Numbers, end: Numbers, expiry: Numbers, restarts: Numbers, grace: int) -> Numbers:
    """Until when the answer to each request forbids another: its expiry, or a restart that may have lost it.

    A restart may lose an answer whose request had begun before it and which ended at most `grace` before it,
    or later. `restarts` must be sorted.

    Examples
    --------
    >>> begin, end = np.array([0, 50, 90]), np.array([10, 60, 120])
    >>> valid_until(begin, end, np.full(3, 1000), np.array([100]), 40).tolist()
    [1010, 100, 100]
    """
    until = np.where(expiry >= FOREVER - end, FOREVER, end + expiry)
    if len(restarts):
        place = np.searchsorted(restarts, begin)
        restart = np.append(restarts, FOREVER)[place]
        is_lost = (restart < FOREVER) & (restart - grace <= end)
        until = np.where(is_lost, np.minimum(until, restart), until)
    return until


def find_repeats(
    url: Numbers, begin: Numbers, end: Numbers, until: Numbers, is_final: NDArray[np.bool_]
) -> tuple[Numbers, Numbers]:
    """Requests that begin while a final answer to an earlier one for the same URL is valid, and that one.

    An answer is valid from its end until `until`; of several valid ones the one that is so longest is named.

    Examples
    --------
    >>> url, begin = np.array([4, 4, 5]), np.array([0, 20, 40])
    >>> final = np.array([True, True, True])
    >>> [rows.tolist() for rows in find_repeats(url, begin, begin + 10, np.full(3, 99), final)]
    [[1], [0]]
    """
    _, number, count = np.unique(url, return_inverse=True, return_counts=True)
    (rows,) = np.nonzero(count[number] > 1)
    answers = rows[is_final[rows]]
    if not len(answers):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    # answers and requests in one order of time; at the same moment the answer comes first, but never its own
    row = np.r_[answers, rows]
    moment = np.r_[np.maximum(end[answers], begin[answers] + 1), begin[rows]]
    is_request = np.r_[np.zeros(len(answers), bool), np.ones(len(rows), bool)]
    lasts = np.where(is_request, np.iinfo(np.int64).min, until[row])
    order = np.lexsort((is_request, moment, number[row]))
    row, is_request, lasts = row[order], is_request[order], lasts[order]
    longest = latest_before(number[row], lasts)
    found = is_request & (longest >= 0) & (lasts[longest] > begin[row])
    return row[found], row[longest[found]]
