"""Neighbours, whichever way the arc points: reciprocity, and how often two neighbours are neighbours.

Arcs of a node to itself are counted and then left aside. **Reciprocity** is the share of the arcs x → y for
which y → x is there too; it is exact, and found in blocks of nodes.

A **wedge** is a node with two of its neighbours, and is closed if these are neighbours of each other.
**Transitivity** is the share of all wedges that are closed; the **clustering coefficient** of a node is the
share of its wedges that are closed, and that of a graph is the mean over the nodes with at least two
neighbours. Both are estimated from wedges drawn at random: of all wedges alike, or of a node drawn first. The
interval is Wilson's for a share, 95%.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.graph.view import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from webstrata.graph.view import Graph, Rows

    Keys = npt.NDArray[np.uint64]

_NEIGHBOURS = 1 << 20
"""Neighbours that are looked at at a time."""
_SHIFT, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_Z = 1.959964


@dataclass(frozen=True)
class Neighbours:
    """How many neighbours the nodes have, and how many arcs have one that comes back."""

    counts: npt.NDArray[np.int64]
    """Of each node: other nodes that it has an arc to or from."""
    num_loops: int
    num_reciprocal: int
    """Arcs between different nodes that have one that comes back."""
    num_between: int
    """Arcs between different nodes."""

    @property
    def reciprocity(self) -> float:
        """The share of arcs between different nodes that have one that comes back; 0 where there are none."""
        return self.num_reciprocal / self.num_between if self.num_between else 0.0


@dataclass(frozen=True)
class Share:
    """A share, estimated from a sample."""

    value: float
    low: float
    """The interval, from here to `high`, has the true share in 95 of 100 samples."""
    high: float
    sample: int

    @classmethod
    def of(cls, hits: int, sample: int) -> Share:
        """So many hits of a sample, with Wilson's interval.

        Examples
        --------
        >>> Share.of(0, 100).high < 0.04
        True
        """
        if not sample:
            return cls(0.0, 0.0, 1.0, 0)
        share, square = hits / sample, _Z**2 / sample
        middle = (share + square / 2) / (1 + square)
        half = _Z / (1 + square) * math.sqrt(share * (1 - share) / sample + square / (4 * sample))
        return cls(share, max(middle - half, 0.0), min(middle + half, 1.0), sample)

    def __str__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"


@dataclass(frozen=True)
class Clustering:
    """How often two neighbours of a node are neighbours of each other."""

    transitivity: Share
    """Among all wedges."""
    coefficient: Share
    """The mean over nodes with at least two neighbours."""


def count_neighbours(graph: Graph, transpose: Graph, *, progress: Progress | None = None) -> Neighbours:
    """The neighbours of each node, and the arcs that come back; exact, in blocks.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1), (1, 0), (1, 2), (2, 2)])
    >>> found = count_neighbours(graph, graph.transpose())
    >>> found.counts.tolist(), found.num_reciprocal, found.num_between, found.num_loops
    ([1, 2, 1], 2, 3, 1)
    """
    counts = np.zeros(graph.num_nodes, dtype=np.int64)
    loops = reciprocal = between = 0
    with (progress or Progress()).task("neighbours", total=graph.num_nodes, unit="nodes") as task:
        for start in range(0, graph.num_nodes, BLOCK):
            end = min(start + BLOCK, graph.num_nodes)
            out, back = (_keys(side.rows(start, end), start) for side in (graph, transpose))
            every = len(out)
            out, back = (side[side >> _SHIFT != side & _LOW] for side in (out, back))
            both = np.intersect1d(out, back, assume_unique=True)
            loops, between, reciprocal = loops + every - len(out), between + len(out), reciprocal + len(both)
            for side, sign in ((out, 1), (back, 1), (both, -1)):
                places = (side >> _SHIFT).astype(np.int64) - start
                counts[start:end] += sign * np.bincount(places, minlength=end - start)
            task.advance(end - start)
    return Neighbours(counts, loops, reciprocal, between)


def sample_clustering(
    graph: Graph,
    transpose: Graph,
    counts: npt.NDArray[np.int64],
    *,
    sample: int = 20_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Clustering:
    """Transitivity and clustering coefficient, estimated from a sample of wedges each.

    Parameters
    ----------
    graph, transpose
        The graph, and the same with its arcs turned round.
    counts
        The neighbours of each node, by `count_neighbours`.
    sample
        How many wedges are drawn; four times as many make the interval half as wide.
    seed
        Chooses them.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> triangle = Graph.from_arcs([(0, 1), (1, 2), (2, 0)])
    >>> found = sample_clustering(triangle, triangle.transpose(), np.array([2, 2, 2]))
    >>> found.transitivity.value, found.coefficient.value
    (1.0, 1.0)
    """
    rng = np.random.default_rng(seed)
    hubs = np.flatnonzero(counts >= 2)
    sample = sample if len(hubs) else 0
    found = []
    with (progress or Progress()).task("wedges", total=2 * sample, unit="wedges") as task:
        for is_weighted in (True, False):
            hits = 0
            for nodes in _blocks(_draw(hubs, counts, sample, rng, is_weighted=is_weighted), counts):
                hits += _count_closed(graph, transpose, nodes, rng)
                task.advance(len(nodes))
            found.append(Share.of(hits, sample))
    return Clustering(*found)


def _draw(
    hubs: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    sample: int,
    rng: np.random.Generator,
    *,
    is_weighted: bool,
) -> npt.NDArray[np.int64]:
    """Nodes with at least two neighbours, in order, with repetition: by their wedges, or all alike."""
    if is_weighted and len(hubs):
        weights = np.cumsum(counts[hubs].astype(np.float64) * (counts[hubs] - 1))
        places = np.searchsorted(weights, rng.random(sample) * weights[-1], side="right")
    else:
        places = rng.integers(max(len(hubs), 1), size=sample)
    return np.sort(hubs[np.minimum(places, max(len(hubs) - 1, 0))])


def _blocks(nodes: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """Sorted nodes in blocks of a bounded number of neighbours; the same node is in one block."""
    if not len(nodes):
        return
    wanted, first = np.unique(nodes, return_index=True)
    ends = np.cumsum(counts[wanted]) // _NEIGHBOURS
    yield from np.split(nodes, first[np.flatnonzero(np.diff(ends)) + 1])


def _count_closed(
    graph: Graph, transpose: Graph, nodes: npt.NDArray[np.int64], rng: np.random.Generator
) -> int:
    """Draws two neighbours of each of the nodes; how many of these pairs are neighbours."""
    wanted, inverse = np.unique(nodes, return_inverse=True)
    sides = [_keys(side.batch_successors(wanted), 0) for side in (graph, transpose)]
    keys = np.union1d(*sides)
    owners = (keys >> _SHIFT).astype(np.int64)
    keys = keys[wanted[owners] != (keys & _LOW).astype(np.int64)]
    owners = (keys >> _SHIFT).astype(np.int64)
    begins = np.searchsorted(owners, np.arange(len(wanted) + 1))
    degrees = np.diff(begins)[inverse]
    first = rng.integers(degrees)
    second = rng.integers(degrees - 1)
    second += second >= first
    one, other = ((keys[begins[inverse] + place] & _LOW).astype(np.int64) for place in (first, second))
    return int((_has_arcs(graph, one, other) | _has_arcs(graph, other, one)).sum())


def _has_arcs(
    graph: Graph, sources: npt.NDArray[np.int64], targets: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    wanted, inverse = np.unique(sources, return_inverse=True)
    keys = _keys(graph.batch_successors(wanted), 0)
    asked = inverse.astype(np.uint64) << _SHIFT | targets.astype(np.uint64)
    places = np.searchsorted(keys, asked)
    return (
        (places < len(keys)) & (keys[np.minimum(places, len(keys) - 1)] == asked) if len(keys) else asked < 0
    )


def _keys(rows: Rows, first: int) -> Keys:
    """Arcs as one number each, in order: the place of the row and `first` above, the target below."""
    offsets, targets = rows
    numbers = np.arange(first, first + len(offsets) - 1, dtype=np.uint64)
    return np.repeat(numbers, np.diff(offsets).astype(np.int64)) << _SHIFT | targets.astype(np.uint64)
