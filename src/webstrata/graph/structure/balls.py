"""Distances of all pairs, estimated by HyperBall.

By Boldi and Vigna: In-core computation of geometric centralities with HyperBall, 2013. The ball of radius t
around a node is the set of nodes at distance at most t. HyperBall keeps a HyperLogLog counter for every ball
and grows all of them by one arc a round: B(x, t + 1) = B(x, t) ∪ ⋃ B(y, t) over the successors y of x. The
rounds are those of the crate ``webgraph-algo``. Here that is done on the *transposed* graph, so that the ball
of a node has those who reach it; the number of pairs is the same. From the sizes of the balls follow

- the **neighbourhood function** N(t), how many pairs (x, y) have a distance of at most t, itself included;
- the **distance distribution**, what N(t) grows by, over the pairs of different nodes that are joined at all;
- the **effective diameter**, where N reaches nine tenths of its end, interpolated between whole distances;
- the **harmonic centrality** of x, Σ 1 / d(y, x) over the other nodes y (Boldi, Vigna 2014).

**Error.** A counter of m registers has a relative standard deviation of 1.04 / √m: 13% for 64, 6.5% for
256. Each is run several times with other hash functions and averaged. For what is made of all balls, the
standard error is the jackknife over those runs. A bias of counters of less
than one percent comes on top, and is all there is in a graph of a few dozen nodes, where runs agree. The
number of threads shows in the last digits of sums at most.

**Memory.** 2 m + 30 bytes a node, and the rows of the graph where they are small (see `list_source`); else
lists are decoded again each round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core import graph as core
from webstrata.collection.progress import Progress
from webstrata.graph.list_source import select_source

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from webstrata.graph.view import Graph

    Curve = npt.NDArray[np.float64]

EFFECTIVE = 0.9
"""The share of joined pairs that the effective diameter has."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error."""

    value: float
    error: float
    is_exact: bool = False
    """Whether it was counted rather than estimated."""

    def __str__(self) -> str:
        return f"{self.value:.4g}" if self.is_exact else f"{self.value:.4g} ± {self.error:.2g}"


@dataclass(frozen=True)
class Balls:
    """What the sizes of all balls tell."""

    registers: int
    runs: int
    neighbourhood: Curve
    """N(t) for t = 0, 1, …: pairs at distance at most t."""
    harmonic: npt.NDArray[np.float32]
    """The harmonic centrality of each node."""
    mean_distance: Estimate
    """Over pairs of different nodes that are joined."""
    effective_diameter: Estimate
    joined_share: Estimate
    """Pairs of different nodes that are joined, among all: an estimate, cut at 1, unless they were
    counted."""

    @property
    def counter_error(self) -> float:
        """Relative standard deviation of one counter, and so of `harmonic`, averaged over the runs."""
        return 1.04 / math.sqrt(self.registers * self.runs)

    @property
    def longest(self) -> int:
        """The largest distance that a counter noticed: the diameter is at least this."""
        return len(self.neighbourhood) - 1

    @property
    def distribution(self) -> Curve:
        """Share of the joined pairs at distance 1, 2 and so on."""
        steps = np.diff(self.neighbourhood)
        return steps / steps.sum() if len(steps) else steps


def grow_balls(
    transpose: Graph,
    graph: Graph | None = None,
    *,
    registers: int = 64,
    runs: int = 4,
    seed: int = 0,
    progress: Progress | None = None,
) -> Balls:
    """Distances between all nodes of a graph, estimated from its transpose.

    Parameters
    ----------
    transpose
        The graph with all arcs turned round.
    graph
        The graph itself, where it is at hand: it tells which balls can still grow.
    registers
        Of a counter; a power of 2 from 16 on. Twice as many, 1.4 times as precise, twice the memory and time.
    runs
        How often it is done anew; at least 2, for the standard errors.
    seed
        Chooses the hash functions.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> circle = Graph.from_arcs([(node, (node + 1) % 8) for node in range(8)])
    >>> balls = grow_balls(circle.transpose(), registers=1024)
    >>> balls.longest, round(balls.mean_distance.value, 1)
    (7, 4.0)
    """
    if registers < 16 or registers & (registers - 1):
        raise ValueError(f"registers: expected a power of 2 from 16 on, got {registers}")
    if runs < 2:
        raise ValueError(f"runs: expected at least 2, got {runs}")
    curves: list[Curve] = []
    harmonic = np.zeros(transpose.num_nodes)
    lists = select_source(transpose, progress=progress)
    back = select_source(transpose.transpose() if graph is None else graph, progress=progress)
    for run in range(runs):
        with (progress or Progress()).task(f"balls, run {run + 1} of {runs}", unit="nodes") as task:
            # where there are no arcs, balls are their nodes, and need no counters
            pairs = np.array([float(transpose.num_nodes)])
            sums = np.zeros(transpose.num_nodes, np.float32)
            if transpose.num_arcs:
                log_registers = registers.bit_length() - 1
                pairs, sums = core.count_balls(
                    lists, back, log_registers, seed * 1_000_003 + run, progress=task.advance
                )
        # in the last round nothing grew, but for the rounding of sums
        curves.append(pairs[: np.searchsorted(pairs, pairs[-1] * (1 - _ROUNDING)) + 1])
        harmonic += sums
    length = max(map(len, curves))
    grown = np.array([np.pad(curve, (0, length - len(curve)), mode="edge") for curve in curves])
    # the ball of a node that is not there at this time is itself, in every round
    num_nodes = transpose.num_present
    grown -= transpose.num_nodes - num_nodes
    all_pairs = num_nodes * (num_nodes - 1)
    share = jackknife(grown, lambda curve: float(curve[-1] - curve[0]) / max(all_pairs, 1))
    return Balls(
        registers=registers,
        runs=runs,
        neighbourhood=grown.mean(axis=0),
        harmonic=(harmonic / runs).astype(np.float32),
        mean_distance=jackknife(grown, mean_distance),
        effective_diameter=jackknife(grown, effective_diameter),
        # counters may find more pairs than there are
        joined_share=Estimate(min(max(share.value, 0.0), 1.0), share.error),
    )


def mean_distance(neighbourhood: Curve) -> float:
    """The mean distance of the pairs of different nodes that are joined; 0 where none are.

    Examples
    --------
    >>> mean_distance(np.array([3.0, 5.0, 6.0]))
    1.3333333333333333
    """
    steps = np.diff(neighbourhood)
    total = float(steps.sum())
    return float(steps @ np.arange(1, len(steps) + 1)) / total if total else 0.0


def effective_diameter(neighbourhood: Curve, share: float = EFFECTIVE) -> float:
    """The distance within which this share of all pairs is, interpolated linearly.

    Examples
    --------
    >>> effective_diameter(np.array([0.0, 8.0, 10.0]))
    1.5
    """
    wanted = share * float(neighbourhood[-1])
    place = int(np.searchsorted(neighbourhood, wanted))
    if place == 0:
        return 0.0
    below, above = float(neighbourhood[place - 1]), float(neighbourhood[place])
    return place - 1 + (wanted - below) / (above - below)


def jackknife(runs: npt.NDArray[np.float64], function: Callable[[Curve], float]) -> Estimate:
    """A function of the mean of some runs, with its standard error: leave out one run at a time (Tukey 1958).

    Examples
    --------
    >>> str(jackknife(np.array([[1.0], [2.0], [3.0]]), lambda mean: float(mean[0])))
    '2 ± 0.58'
    """
    number = len(runs)
    total = runs.sum(axis=0)
    whole = function(total / number)
    parts = np.array([function((total - run) / (number - 1)) for run in runs])
    value = number * whole - (number - 1) * float(parts.mean())
    error = math.sqrt((number - 1) / number * float(np.sum((parts - parts.mean()) ** 2)))
    return Estimate(value, error)
