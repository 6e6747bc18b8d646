"""Degrees: how many nodes have how many successors, or predecessors, and which power law that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.graph.power_law import PowerLawFit, search_power_law

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.graph.view import Graph


@dataclass(frozen=True)
class Degrees:
    """The distribution of a degree; exact, but for the law that is fitted."""

    counts: tuple[tuple[int, int], ...]
    """Each degree that occurs, with the nodes that have it."""
    mean: float
    median: float
    largest: int
    law: PowerLawFit | None
    """None where no power law fits."""
    no_law: str = ""
    """Why there is no law; empty where there is one."""

    @property
    def num_zeros(self) -> int:
        """Nodes whose degree is 0."""
        return self.counts[0][1] if self.counts and self.counts[0][0] == 0 else 0


def indegrees(graph: Graph, *, progress: Progress | None = None) -> npt.NDArray[np.int64]:
    """How many predecessors each node has; exact, the graph is gone through once in blocks.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> indegrees(Graph.from_arcs([(0, 2), (1, 2)])).tolist()
    [0, 0, 2]
    """
    counts = np.zeros(graph.num_nodes, dtype=np.int64)
    with (progress or Progress()).task("indegrees", total=graph.num_nodes, unit="nodes") as task:
        for _, (offsets, targets) in graph.iter_blocks():
            # a count of all nodes per block would cost blocks x nodes
            found, number = np.unique(targets, return_counts=True)
            counts[found] += number
            task.advance(len(offsets) - 1)
    return counts


def outdegrees(graph: Graph, *, progress: Progress | None = None) -> npt.NDArray[np.int64]:
    """How many successors each node has; exact, the graph is gone through once in blocks.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> outdegrees(Graph.from_arcs([(0, 2), (1, 2)])).tolist()
    [1, 1, 0]
    """
    counts = np.zeros(graph.num_nodes, dtype=np.int64)
    with (progress or Progress()).task("outdegrees", total=graph.num_nodes, unit="nodes") as task:
        for start, (offsets, _) in graph.iter_blocks():
            counts[start : start + len(offsets) - 1] = np.diff(offsets)
            task.advance(len(offsets) - 1)
    return counts


def describe_degrees(degrees: npt.ArrayLike) -> Degrees:
    """The distribution of these degrees, with the power law that fits its tail best.

    Examples
    --------
    >>> describe_degrees([0, 2, 2, 4]).counts
    ((0, 1), (2, 2), (4, 1))
    """
    numbers = np.asarray(degrees, dtype=np.int64)
    values, counts = np.unique(numbers, return_counts=True)
    search = search_power_law(numbers, compare=True)
    return Degrees(
        counts=tuple(zip(values.tolist(), counts.tolist(), strict=True)),
        mean=float(numbers.mean()) if len(numbers) else 0.0,
        median=float(np.median(numbers)) if len(numbers) else 0.0,
        largest=int(values[-1]) if len(values) else 0,
        law=search.fit,
        no_law=search.reason,
    )
