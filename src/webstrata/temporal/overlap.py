"""How much two snapshots have in common: the tables 2 and 3 of TIME, from labels.

A label is a mask of 64 bits, bit 0 the oldest snapshot. What snapshots i and j have in common is the number
of labels with both bits; the diagonal has the sizes. The **share** of two is what they have in common over
the mean of their sizes, 2 |A ∩ B| / (|A| + |B|), so that 1 means equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from webstrata.store.parquet.sorting import Sorter

HOSTS = pa.schema([("host", pa.large_string()), ("label", pa.uint64())])
"""Hosts of snapshots with their labels, as `list_hosts` makes them."""


@dataclass(frozen=True)
class Overlap:
    """What each month has, and has in common with each other one."""

    what: str
    common: tuple[tuple[float, ...], ...]
    """Row and column are months; the sizes of the months are on the diagonal."""

    @property
    def num_months(self) -> int:
        """Number of months."""
        return len(self.common)

    def share(self, one: int, other: int) -> float:
        """What two months have in common over the mean of their sizes; not a number where it is unknown."""
        mean = (self.common[one][one] + self.common[other][other]) / 2
        return self.common[one][other] / mean if mean else 0.0

    def shares(self) -> list[list[float]]:
        """The share of every pair of months."""
        months = range(self.num_months)
        return [[self.share(one, other) for other in months] for one in months]

    def by_lag(self) -> list[float]:
        """Mean share of the months that lie 1, 2, … months apart."""
        shares = np.array(self.shares())
        return [float(np.nanmean(np.diagonal(shares, lag))) for lag in range(1, self.num_months)]


class LabelCounts:
    """How often each label occurs, counted as they come.

    Examples
    --------
    >>> counts = LabelCounts()
    >>> counts.add(np.array([0b01, 0b11, 0b11], np.uint64))
    >>> counts.add(np.array([0b10], np.uint64))
    >>> counts.overlap("pages", 2).common
    ((3, 2), (2, 3))
    >>> counts.num_labels, counts.num_instances
    (4, 6)
    """

    def __init__(self) -> None:
        self.labels = np.zeros(0, np.uint64)
        self.counts = np.zeros(0, np.int64)

    def add(self, labels: NDArray[np.uint64]) -> None:
        """Count more labels; those of 0 count for nothing."""
        found, counts = np.unique(labels[labels != 0], return_counts=True)
        joined, places = np.unique(np.concatenate([self.labels, found]), return_inverse=True)
        total = np.zeros(len(joined), np.int64)
        np.add.at(total, places, np.concatenate([self.counts, counts]))
        self.labels, self.counts = joined, total

    @property
    def num_labels(self) -> int:
        """How many were counted."""
        return int(self.counts.sum())

    @property
    def num_instances(self) -> int:
        """Their bits: nodes or arcs, each as often as there are snapshots that have it."""
        return int((np.bitwise_count(self.labels).astype(np.int64) * self.counts).sum())

    def overlap(self, what: str, num_snapshots: int) -> Overlap:
        """What every two snapshots have in common."""
        shifts = np.arange(num_snapshots, dtype=np.uint64)
        bits = (self.labels[:, None] >> shifts & np.uint64(1)).astype(np.int64)
        common = bits.T @ (bits * self.counts[:, None])
        return Overlap(what, tuple(tuple(row) for row in common.tolist()))

    def lives(self, num_snapshots: int) -> list[list[int]]:
        """How many are seen first in snapshot f and last in snapshot l: row f, column l.

        Examples
        --------
        >>> counts = LabelCounts()
        >>> counts.add(np.array([0b01, 0b11, 0b101], np.uint64))
        >>> counts.lives(3)
        [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
        """
        table = np.zeros((num_snapshots, num_snapshots), np.int64)
        shifts = np.arange(num_snapshots, dtype=np.uint64)
        bits = (self.labels[:, None] >> shifts & np.uint64(1)).astype(bool)
        last = num_snapshots - 1 - np.argmax(bits[:, ::-1], axis=1)
        np.add.at(table, (np.argmax(bits, axis=1), last), self.counts)
        return [[int(count) for count in row] for row in table]

    def by_age(self, num_snapshots: int) -> list[int]:
        """How many labels have 1, 2, … bits."""
        ages = np.bincount(np.bitwise_count(self.labels), self.counts, num_snapshots + 1)
        return [int(count) for count in ages[1:]]


def overlap_of_labels(what: str, labels: Iterable[NDArray[np.uint64]], num_snapshots: int) -> Overlap:
    """The overlap of snapshots by the labels of what they have, which may come in blocks.

    Examples
    --------
    >>> found = overlap_of_labels("pages", [np.array([0b01, 0b11, 0b11, 0b10], np.uint64)], 2)
    >>> found.common, round(found.share(0, 1), 3), found.by_lag() == [found.share(0, 1)]
    (((3, 2), (2, 3)), 0.667, True)
    """
    counts = LabelCounts()
    for block in labels:
        counts.add(block)
    return counts.overlap(what, num_snapshots)


def list_hosts(keys: pa.Array, bit: int, *, without_www: bool) -> pa.Table:
    """The hosts of sorted keys, each once in a run, with the label of their snapshot.

    Examples
    --------
    >>> list_hosts(pa.array(["org,a)/", "org,a)/b", "org,a,www)/"]), 4, without_www=False).to_pylist()
    [{'host': 'org,a', 'label': 4}, {'host': 'org,a,www', 'label': 4}]
    """
    hosts = pc.run_end_encode(pc.replace_substring_regex(keys, r"\).*", "")).values
    if without_www:
        hosts = pc.replace_substring_regex(hosts, r"^([^,]+,.+),www$", r"\1")
    return pa.table([hosts, np.full(len(hosts), bit, np.uint64)], schema=HOSTS)


def unite_hosts(sorter: Sorter) -> Iterator[NDArray[np.uint64]]:
    """The labels of hosts, each host once, from the tables of `list_hosts`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.parquet.sorting import Sorter
    >>> sorter = Sorter(testing.scratch(), "hosts", HOSTS)
    >>> for bit in (1, 2):
    ...     sorter.add(list_hosts(pa.array(["org,a)/"]), bit, without_www=True))
    >>> [labels.tolist() for labels in unite_hosts(sorter) if len(labels)]
    [[3]]
    """
    held, last = np.zeros(0, np.uint64), None
    for table in sorter.tables():
        table = table.combine_chunks()
        hosts, labels = table["host"].combine_chunks(), table["label"].to_numpy()
        is_new = np.ones(len(hosts), bool)
        is_new[1:] = pc.not_equal(hosts.slice(1), hosts.slice(0, len(hosts) - 1)).to_numpy(
            zero_copy_only=False
        )
        found = np.bitwise_or.reduceat(labels, np.flatnonzero(is_new))
        if hosts[0].as_py() == last:
            found[0] |= held[0]
        else:
            yield held
        held, last = found[-1:].copy(), hosts[len(hosts) - 1].as_py()
        yield found[:-1]
    yield held
