"""How much two months have in common: the tables 2 and 3 of TIME, for any web with months.

Overlaps are those of `webstrata.temporal.overlap`. `TIME_HOSTS` and `TIME_URLS` are the own tables of the
paper for .uk, from June to the next May, typed from its tables 2 and 3. The scan they were typed from has
lost decimal points, which are put back (949 is 94.9), and in one place a digit: July and February have "8.1"
thousand hosts in common, which can be anything from 80.1 to 89.1 and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.temporal.overlap import Overlap, overlap_of_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_LOST = float("nan")

# upper triangles, the diagonal included; months from June on
TIME_HOSTS: tuple[tuple[float, ...], ...] = (
    (94.9, 73.3, 71.6, 69.8, 65.5, 64.5, 59.4, 62.4, 62.4, 58.9, 57.6, 57.7),
    (130.7, 102.2, 99.4, 83.9, 90.9, 81.4, 86.7, _LOST, 84.0, 82.7, 82.1),
    (128.5, 102.8, 84.9, 90.3, 81.0, 86.4, 86.7, 81.9, 80.0, 79.6),
    (136.6, 88.0, 94.6, 84.3, 90.8, 89.6, 84.9, 82.0, 81.1),
    (109.9, 86.1, 75.8, 81.1, 81.6, 76.6, 75.6, 75.1),
    (121.2, 86.7, 91.4, 91.5, 84.1, 82.3, 81.6),
    (113.4, 88.8, 84.3, 79.2, 76.2, 75.8),
    (125.1, 94.2, 86.4, 84.4, 83.1),
    (122.9, 91.0, 87.8, 86.7),
    (122.5, 84.9, 83.8),
    (113.1, 91.6),
    (114.5,),
)
"""Hosts that two months have in common, in thousands (TIME, table 2)."""

TIME_URLS: tuple[tuple[float, ...], ...] = (
    (31.3, 19.0, 18.3, 17.2, 15.3, 15.0, 13.8, 13.7, 13.2, 12.3, 11.9, 11.1),
    (35.2, 23.3, 21.7, 18.5, 18.3, 16.2, 16.4, 16.0, 15.2, 14.5, 13.6),
    (37.3, 24.3, 19.4, 19.4, 17.1, 17.3, 16.7, 15.5, 15.0, 13.8),
    (39.9, 21.2, 21.2, 18.7, 19.0, 18.1, 16.9, 16.3, 14.7),
    (33.8, 22.2, 19.0, 19.1, 18.3, 16.6, 16.4, 15.0),
    (37.3, 22.3, 21.9, 21.3, 18.8, 18.3, 16.6),
    (36.6, 23.5, 21.0, 19.0, 17.9, 16.6),
    (39.0, 23.7, 20.8, 19.9, 18.4),
    (37.7, 23.1, 22.2, 20.0),
    (38.1, 22.4, 20.2),
    (36.9, 24.2),
    (36.9,),
)
"""Static URLs that two months have in common, in millions (TIME, table 3)."""


@dataclass(frozen=True)
class Comparison:
    """A web's overlaps beside those of a paper."""

    what: str
    source: str
    ours: tuple[float, ...]
    """By lag: 1, 2, … months apart."""
    theirs: tuple[float, ...]
    mean_deviation: float
    """Mean over the lags of the absolute difference."""
    largest_lag_deviation: float
    largest_pair_deviation: float
    """Over all pairs of months."""
    largest_pair: tuple[int, int]


def count_overlap(what: str, months: Sequence[NDArray[np.int64]]) -> Overlap:
    """The overlap of sets of numbers, one set a month.

    Examples
    --------
    >>> found = count_overlap("pages", [np.array([1, 2, 3]), np.array([2, 3, 4, 9])])
    >>> found.common
    ((3, 2), (2, 4))
    >>> round(found.share(0, 1), 3), found.by_lag() == [found.share(0, 1)]
    (0.571, True)
    """
    return overlap_of_labels(what, [mark_presence(months)], len(months))


def mark_presence(months: Sequence[NDArray[np.int64]]) -> NDArray[np.uint64]:
    """For each number up to the largest, a mask of the months that have it; bit 0 is month 0.

    Examples
    --------
    >>> mark_presence([np.array([0, 1]), np.array([1, 3])]).tolist()
    [1, 3, 0, 2]
    """
    size = max((int(month.max()) + 1 for month in months if len(month)), default=0)
    presence = np.zeros(size, dtype=np.uint64)
    for number, month in enumerate(months):
        presence[month] |= np.uint64(1 << number)
    return presence


def time_overlap(what: str, triangle: Sequence[Sequence[float]]) -> Overlap:
    """A triangle of the paper as a full table.

    Examples
    --------
    >>> hosts = time_overlap("hosts", TIME_HOSTS)
    >>> round(hosts.share(0, 1), 2), round(hosts.by_lag()[0], 2)
    (0.65, 0.74)
    """
    size = len(triangle)
    common = tuple(
        tuple(float(triangle[min(row, column)][abs(row - column)]) for column in range(size))
        for row in range(size)
    )
    return Overlap(what, common)


def compare(ours: Overlap, theirs: Overlap, source: str) -> Comparison | None:
    """Where two tables differ, over the months that both have; None where these are fewer than two.

    Examples
    --------
    >>> hosts = time_overlap("hosts", TIME_HOSTS)
    >>> compare(hosts, hosts, "itself").mean_deviation
    0.0
    """
    months = min(ours.num_months, theirs.num_months)
    if months < 2:
        return None
    mine, others = ours.by_lag()[: months - 1], theirs.by_lag()[: months - 1]
    lags = np.abs(np.array(mine) - np.array(others))
    pairs = np.abs(np.array(ours.shares())[:months, :months] - np.array(theirs.shares())[:months, :months])
    row, column = np.unravel_index(int(np.nanargmax(pairs)), pairs.shape)
    return Comparison(
        what=ours.what,
        source=source,
        ours=tuple(mine),
        theirs=tuple(others),
        mean_deviation=float(lags.mean()),
        largest_lag_deviation=float(lags.max()),
        largest_pair_deviation=float(pairs[row, column]),
        largest_pair=(int(row), int(column)),
    )
