"""Intervals of ratios by drawing hosts again, and when none can be given.

Pages of a host are not independent, so a ratio Σ a(h) / Σ b(h) over hosts h gets its interval from a
bootstrap by clusters: as many hosts as there are with b(h) > 0 are drawn with replacement, and the middle
95% of the ratios of all draws is the interval. No interval is given

- for fewer than two hosts: every draw is the sample itself;
- if all draws give the same ratio, as when it is 0 on every host: the width would be 0, which says nothing
  about hosts that are not in the sample.

Fewer than `MIN_HOSTS` hosts, or one host with most of the sample, give an interval that is too narrow; it is
given with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.caveats import MIN_HOSTS, warn_few

if TYPE_CHECKING:
    import numpy.typing as npt

_CHUNK = 16
"""Replicates that are drawn at a time."""
_SAME = 1e-12
"""Ratios closer than this are equal but for rounding."""
_DOMINANT = 0.5
"""A host with a larger share of the sample decides the ratio."""


@dataclass(frozen=True)
class Interval:
    """An estimate, and the middle 95% of it when hosts are drawn again."""

    value: float
    low: float | None
    """None where no interval can be given; so is `high`."""
    high: float | None
    hosts: int = 0
    """Hosts that the estimate was computed from."""
    why: str = ""
    """Why there is no interval, or why it is doubtful."""

    @property
    def has_bounds(self) -> bool:
        """Whether there is an interval."""
        return self.low is not None

    def contains(self, value: float) -> bool | None:
        """Whether a value lies in the interval; None where there is none.

        Examples
        --------
        >>> Interval(0.5, 0.4, 0.6).contains(0.7), Interval(0.5, None, None).contains(0.7)
        (False, None)
        """
        if self.low is None or self.high is None:
            return None
        return self.low <= value <= self.high


def ratios(tops: npt.NDArray[np.int64], bottoms: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """What stands above the line over what stands below it; 0 where that is 0.

    Examples
    --------
    >>> ratios(np.array([1, 2]), np.array([4, 0])).tolist()
    [0.25, 0.0]
    """
    return np.divide(tops, bottoms, out=np.zeros(np.shape(tops)), where=bottoms != 0)


def bootstrap_ratios(
    tops: npt.NDArray[np.int64], bottoms: npt.NDArray[np.int64], *, replicates: int, seed: int = 0
) -> list[Interval]:
    """The interval of each of some ratios; rows are ratios, columns are hosts.

    Parameters
    ----------
    tops, bottoms
        What stands above and below the line, of each host.
    replicates
        How often hosts are drawn.
    seed
        By which they are drawn.

    Examples
    --------
    >>> bottoms = np.full((1, 40), 10)
    >>> (found,) = bootstrap_ratios(np.arange(40)[None] % 10, bottoms, replicates=200)
    >>> found.value, found.low < found.value < found.high
    (0.45, True)
    >>> (one,) = bootstrap_ratios(np.array([[3]]), np.array([[4]]), replicates=200)
    >>> one.low, one.why
    (None, 'all of it is one host, and draws of hosts are all the same')
    """
    values = ratios(tops.sum(axis=1), bottoms.sum(axis=1))
    there = np.flatnonzero(bottoms.sum(axis=0))
    number = len(there)
    drawn = [values[:, None]]
    random = np.random.default_rng(seed)
    for start in range(0, replicates, _CHUNK):
        count = min(_CHUNK, replicates - start)
        shares = np.full(max(number, 1), 1 / max(number, 1))
        weights = random.multinomial(number, shares, count)[:, :number].T
        drawn.append(ratios(tops[:, there] @ weights, bottoms[:, there] @ weights))
    low, high = np.nanpercentile(np.concatenate(drawn, axis=1), [2.5, 97.5], axis=1)
    return [
        _bound(float(value), float(least), float(most), below, is_drawn=replicates > 0)
        for value, least, most, below in zip(values, low, high, bottoms, strict=True)
    ]


def _bound(
    value: float, low: float, high: float, bottoms: npt.NDArray[np.int64], *, is_drawn: bool
) -> Interval:
    hosts, total = int(np.count_nonzero(bottoms)), int(bottoms.sum())
    if not is_drawn:
        return Interval(value, None, None, hosts)
    if hosts < 2:
        why = "all of it is one host, and draws of hosts are all the same" if hosts else "there is no data"
        return Interval(value, None, None, hosts, why)
    if high - low <= _SAME * max(1.0, abs(value)):
        return Interval(value, None, None, hosts, f"it is the same in all draws of {hosts} hosts")
    largest = int(bottoms.max()) / total
    if largest > _DOMINANT:
        return Interval(value, low, high, hosts, f"one host has {largest:.0%} of the sample")
    return Interval(
        value, low, high, hosts, "; ".join(warn_few(hosts, MIN_HOSTS, "host", "it is too narrow"))
    )
