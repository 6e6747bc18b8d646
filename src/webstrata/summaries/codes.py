"""Instantaneous codes of numbers: which there are, what each costs, and which is best for an archive.

A summary of SUM is four kinds of numbers: lengths, sizes (numbers of terms), gaps (the first term as it is,
then differences less 1) and counts. Counts come backwards, from the last term to the first: the first of them
less 1, the others as differences to the one before, through ν(x) = 2x for x ≥ 0 and 2|x| − 1 for x < 0; or,
without differences, each count less 1. `value_streams` gives these numbers, `best_codes` the code of each
kind that takes the fewest bits, by the statistics of the crate ``dsi-bitstream``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import summaries as core
from webstrata.summaries.code_names import from_core, is_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from webstrata.summaries.rows import SummaryRows

KINDS = ("length", "size", "gap", "difference", "count")
"""Numbers of a summary; `difference` and `count` are two ways to code the same."""


def nu(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Integers as natural numbers (SUM): ν(x) = 2x for x ≥ 0, 2|x| − 1 for x < 0.

    Examples
    --------
    >>> nu(np.array([0, -1, 1, -2, 2])).tolist()
    [0, 1, 2, 3, 4]
    """
    return np.where(numbers >= 0, 2 * numbers, -2 * numbers - 1).astype(np.uint64)


def value_streams(rows: SummaryRows) -> dict[str, npt.NDArray[np.uint64]]:
    """The numbers that summaries are coded as, by kind; terms are ranks.

    Examples
    --------
    >>> from webstrata.summaries.rows import make_rows
    >>> streams = value_streams(make_rows([(9, {0: 3, 4: 1, 6: 2})]))
    >>> {kind: numbers.tolist() for kind, numbers in streams.items()}
    {'length': [9], 'size': [3], 'gap': [0, 3, 1], 'difference': [4, 1, 1], 'count': [2, 0, 1]}
    """
    sizes = rows.sizes
    offsets = rows.offsets.astype(np.int64)
    firsts, lasts = offsets[:-1][sizes > 0], offsets[1:][sizes > 0] - 1
    terms, counts = rows.terms.astype(np.int64), rows.counts.astype(np.int64)
    gaps = np.diff(terms, prepend=0) - 1
    gaps[firsts] = terms[firsts]
    differences = nu(counts - np.append(counts[1:], 0))
    differences[lasts] = (counts[lasts] - 1).astype(np.uint64)
    return {
        "length": rows.lengths.astype(np.uint64),
        "size": sizes.astype(np.uint64),
        "gap": gaps.astype(np.uint64),
        "difference": differences,
        "count": (counts - 1).astype(np.uint64),
    }


class Histogram:
    """How often each number comes; small ones in an array, so that archives of any size are gone through.

    Examples
    --------
    >>> histogram = Histogram()
    >>> histogram.add(np.array([3, 0, 3], np.uint64))
    >>> [part.tolist() for part in histogram.counted()]
    [[0, 3], [1, 2]]
    """

    _SMALL = 1 << 16

    def __init__(self) -> None:
        self._small = np.zeros(self._SMALL, np.int64)
        self._large: dict[int, int] = {}

    def add(self, numbers: npt.NDArray[np.uint64]) -> None:
        """Count numbers."""
        is_small = numbers < self._SMALL
        self._small += np.bincount(numbers[is_small].astype(np.int64), minlength=self._SMALL)
        values, counts = np.unique(numbers[~is_small], return_counts=True)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            self._large[value] = self._large.get(value, 0) + count

    def counted(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """The numbers in order, and how often each comes."""
        seen = np.flatnonzero(self._small)
        large = sorted(self._large.items())
        return (
            np.concatenate([seen.astype(np.uint64), np.array([value for value, _ in large], np.uint64)]),
            np.concatenate(
                [self._small[seen].astype(np.uint64), np.array([count for _, count in large], np.uint64)]
            ),
        )


@dataclass(frozen=True)
class KindCosts:
    """What one kind of numbers of an archive takes."""

    numbers: int
    bits: Mapping[str, int]
    """By code, the best first."""
    entropy: float
    """Bits that no code without a context goes below."""

    @property
    def best(self) -> str:
        """The code that takes the fewest bits."""
        return next(iter(self.bits))


def measure_costs(pieces: Iterable[SummaryRows]) -> dict[str, KindCosts]:
    """What each kind of numbers takes in each code; terms are ranks.

    Examples
    --------
    >>> from webstrata.summaries.rows import make_rows
    >>> costs = measure_costs([make_rows([(9, {0: 3, 4: 1, 6: 2})] * 100)])
    >>> costs["gap"].best, costs["gap"].bits["gamma"]
    ('unary', 900)
    """
    histograms = {kind: Histogram() for kind in KINDS}
    for rows in pieces:
        for kind, numbers in value_streams(rows).items():
            histograms[kind].add(numbers)
    found = {}
    for kind, histogram in histograms.items():
        numbers, counts = histogram.counted()
        total = int(counts.sum())
        shares = counts / max(total, 1)
        costs = {from_core(name): bits for name, bits in core.code_costs(numbers, counts)}
        # some codes have two names, of which the plain one is taken; ours are those that can be set
        bits = dict(
            sorted(
                ((name, cost) for name, cost in costs.items() if is_code(name)),
                key=lambda item: (item[1], item[0][-1].isdigit(), item[0]),
            )
        )
        found[kind] = KindCosts(total, bits, float(-(counts * np.log2(shares)).sum()) if total else 0.0)
    return found


def best_codes(costs: Mapping[str, KindCosts]) -> dict[str, str | bool]:
    """The settings of an archive that takes the fewest bits in the coding of SUM.

    Examples
    --------
    >>> from webstrata.summaries.rows import make_rows
    >>> best_codes(measure_costs([make_rows([(9, {0: 3, 4: 1, 6: 2})] * 100)]))["count_differences"]
    False
    """
    difference, count = costs["difference"], costs["count"]
    with_differences = difference.bits[difference.best] < count.bits[count.best]
    return {
        "length_code": costs["length"].best,
        "size_code": costs["size"].best,
        "gap_code": costs["gap"].best,
        "count_code": (difference if with_differences else count).best,
        "count_differences": with_differences,
    }
