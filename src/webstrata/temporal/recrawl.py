"""A crawl done again on paper, with tighter limits: which pages of a stored graph it would have reached.

Pages are visited breadth-first, as TIME's crawler did it (section 2), from the seeds that the crawl had, or
from the home pages of hosts where these are not known: a page
lies 0 links deep where its host was entered from another one, else one link deeper than the page that led to
it. Limits are those of a crawl: pages per host, depth, pages in all, and the share of hosts that were seeds.
Within a level pages come in the order of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Limits:
    """What a crawl obeys; `NO_LIMIT` for what does not matter."""

    pages_per_host: int = NO_LIMIT
    depth: int = NO_LIMIT
    pages: int = NO_LIMIT
    seeds: float = 1.0
    """Share of the hosts whose seeds are seeds."""


@dataclass(frozen=True)
class Month:
    """The pages and links of one snapshot, among nodes that all months share."""

    present: npt.NDArray[np.bool_]
    offsets: npt.NDArray[np.int64]
    targets: npt.NDArray[np.uint32]
    seeds: npt.NDArray[np.int64] | None = None
    """Where the crawl began, in order; None where that is not known."""

    @property
    def num_pages(self) -> int:
        """How many pages there are."""
        return int(self.present.sum())

    def arc_keys(self, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
        """The arcs between the nodes that are kept, as sorted numbers of 64 bits, the source above."""
        sources = np.repeat(np.arange(len(self.present), dtype=np.uint64), np.diff(self.offsets))
        both = kept[sources.astype(np.int64)] & kept[self.targets]
        keys: npt.NDArray[np.uint64] = sources[both] << np.uint64(32) | self.targets[both]
        return keys


def first_pages(month: Month, hosts: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """The seeds that a month has as pages, in order; where they are not known, the first page of each host.

    In row-key order that is its home page where that is there.

    Examples
    --------
    >>> month = Month(np.array([True, False, True, True]), np.zeros(5, np.int64), np.zeros(0, np.uint32))
    >>> first_pages(month, np.array([0, 0, 1, 1], np.uint32)).tolist()
    [0, 2]
    """
    if month.seeds is not None:
        return month.seeds[month.present[month.seeds]]
    nodes = np.flatnonzero(month.present)
    return nodes[np.unique(hosts[nodes], return_index=True)[1]]


def recrawl(
    month: Month, hosts: npt.NDArray[np.uint32], limits: Limits, *, seed: int = 0
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Which nodes a crawl with these limits reaches, and how many lie 0, 1, … links deep in their host.

    Parameters
    ----------
    month
        The pages that can be reached.
    hosts
        The host of each node.
    limits
        What it obeys.
    seed
        By which the seeds are drawn.

    Examples
    --------
    >>> offsets, targets = np.array([0, 1, 2, 2, 3], np.int64), np.array([1, 2, 2], np.uint32)
    >>> month = Month(np.ones(4, bool), offsets, targets)
    >>> one_host = np.array([0, 0, 0, 1], np.uint32)
    >>> kept, depths = recrawl(month, one_host, Limits(depth=1))
    >>> kept.tolist(), depths.tolist()  # the page of the other host leads to node 2 at once
    ([True, True, True, True], [3, 1])
    """
    num_nodes = len(month.present)
    first = first_pages(month, hosts)
    if limits.seeds < 1:
        # by host, so that it is the same ones every month
        drawn = np.random.default_rng(seed).random(int(hosts.max()) + 1 if num_nodes else 0) < limits.seeds
        first = first[drawn[hosts[first]]]
    kept = np.zeros(num_nodes, bool)
    room = np.full(int(hosts.max()) + 1 if num_nodes else 0, limits.pages_per_host, np.int64)
    left, depths = limits.pages, []
    depth_of = np.full(num_nodes, np.iinfo(np.int64).max)
    depth_of[first] = 0
    level = first
    while len(level) and left > 0:
        level = _within_host(level, hosts, room)[:left]
        kept[level] = True
        left -= len(level)
        np.subtract.at(room, hosts[level], 1)
        depths.append(depth_of[level])
        level = _follow(month, hosts, level, kept, depth_of, limits.depth)
    counts = np.bincount(np.concatenate([np.zeros(0, np.int64), *depths]))
    return kept, counts


def _within_host(
    level: npt.NDArray[np.int64], hosts: npt.NDArray[np.uint32], room: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Of a level in order, as many pages of each host as it has room for."""
    own = hosts[level]
    order = np.argsort(own, kind="stable")
    starts = np.flatnonzero(np.diff(own[order], prepend=-1))
    ranks = np.empty(len(level), np.int64)
    ranks[order] = np.arange(len(level)) - np.repeat(starts, np.diff(np.append(starts, len(level))))
    return level[ranks < room[own]]


def _follow(
    month: Month,
    hosts: npt.NDArray[np.uint32],
    level: npt.NDArray[np.int64],
    kept: npt.NDArray[np.bool_],
    depth_of: npt.NDArray[np.int64],
    max_depth: int,
) -> npt.NDArray[np.int64]:
    """The pages that a level leads to, not yet visited and not too deep; their depths are noted."""
    counts = month.offsets[level + 1] - month.offsets[level]
    places = np.repeat(month.offsets[level] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    targets = month.targets[places].astype(np.int64)
    sources = np.repeat(level, counts)
    depths = np.where(hosts[sources] == hosts[targets], depth_of[sources] + 1, 0)
    open_ = ~kept[targets] & month.present[targets] & (depths <= max_depth)
    targets, depths = targets[open_], depths[open_]
    np.minimum.at(depth_of, targets, depths)
    return np.unique(targets)
