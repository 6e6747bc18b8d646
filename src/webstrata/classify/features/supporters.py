"""Supporters of a page: how many pages, and how many sites, reach it by few links (SPAM, section 4).

Counted as Becchetti and others 2006 do it, by probabilistic counting: every node has a counter that begins
with a label, the node itself or its site, and in each round takes in the counters of its predecessors. After
k rounds it has counted the different labels within distance k. Counters here are HyperLogLog (Flajolet and
others 2007): m registers of a byte; a label's hash chooses one, which keeps the largest number of leading
zeros seen. To take another counter in is a maximum, register by register. Up to 2.5 m, counts come from the
registers that are still empty, and are nearly exact where they are few; above, their relative standard
deviation is 1.04 / √m: 13% for 64.

The node itself, or its own site, does not count. Memory: 2 m bytes a node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.graph.view import Graph

_GATHERED = 1 << 26
"""Bytes of counters that are brought together at a time."""
_BLOCK = 1 << 14
"""Nodes whose lists are looked at at a time."""


def count_supporters(
    transpose: Graph,
    labels: npt.ArrayLike,
    nodes: npt.NDArray[np.int64],
    *,
    distance: int = 4,
    registers: int = 64,
    seed: int = 0,
    progress: Progress | None = None,
) -> npt.NDArray[np.float64]:
    """A row for each distance from 1 on: the other labels within it of each of the nodes.

    Parameters
    ----------
    transpose
        The graph with all arcs turned round.
    labels
        What is counted: a number for each node.
    nodes
        Those that are asked for.
    distance
        Up to which it is counted.
    registers
        Of a counter, a power of 2.
    seed
        Chooses the hash function.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(1, 0), (2, 0), (3, 2), (4, 3)])
    >>> found = count_supporters(graph.transpose(), np.arange(5), np.array([0]), registers=1024)
    >>> found.round().T.tolist()
    [[2.0, 3.0, 4.0, 4.0]]
    """
    counters = _start(np.asarray(labels), registers, seed)
    found = np.zeros((distance, len(nodes)))
    with (progress or Progress()).task(
        "supporters", total=distance * transpose.num_arcs, unit="arcs"
    ) as task:
        for step in range(distance):
            is_last = step == distance - 1
            grown = counters[nodes].copy() if is_last else counters.copy()
            places = nodes if is_last else None
            size = len(nodes) if is_last else transpose.num_nodes
            for begin in range(0, size, _BLOCK):
                end = min(begin + _BLOCK, size)
                offsets, sources = (
                    transpose.rows(begin, end)
                    if places is None
                    else transpose.batch_successors(places[begin:end])
                )
                _take_in(grown[begin:end], counters, offsets.astype(np.int64), sources)
                task.advance(len(sources))
            if is_last:
                found[step] = estimate(grown)
            else:
                counters = grown
                found[step] = estimate(counters[nodes])
    return np.maximum(found - 1, 0)


def _take_in(
    grown: npt.NDArray[np.uint8],
    counters: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    sources: npt.NDArray[np.uint32],
) -> None:
    """Make each row the maximum of itself and of the counters of its sources."""
    room = _GATHERED // counters.shape[1]
    rows = np.flatnonzero(np.diff(offsets))
    while len(rows):
        # as many rows as there is room for, one at least
        fitting = max(int(np.searchsorted(offsets[rows + 1], offsets[rows[0]] + room, "right")), 1)
        some, rows = rows[:fitting], rows[fitting:]
        first, last = offsets[some[0]], offsets[some[-1] + 1]
        merged = np.maximum.reduceat(counters[sources[first:last]], offsets[some] - first, axis=0)
        grown[some] = np.maximum(grown[some], merged)


def _start(labels: npt.NDArray[np.integer], registers: int, seed: int) -> npt.NDArray[np.uint8]:
    """A counter for each label that has counted it alone."""
    # the finalizer of SplitMix64
    hashed = labels.astype(np.uint64) + np.uint64((seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) % 2**64)
    hashed = (hashed ^ hashed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    hashed = (hashed ^ hashed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    hashed ^= hashed >> np.uint64(31)
    chosen = hashed % np.uint64(registers)
    # the place of the first 1 in the upper 32 bits, from 1 on; 33 where there is none
    upper = (hashed >> np.uint64(32)).astype(np.float64)
    zeros = 32 - np.frexp(upper)[1]
    counters = np.zeros((len(labels), registers), np.uint8)
    counters[np.arange(len(labels)), chosen] = zeros + 1
    return counters


def estimate(counters: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """How many different labels each counter has counted.

    Examples
    --------
    >>> estimate(np.zeros((1, 64), np.uint8)).tolist()
    [0.0]
    """
    registers = counters.shape[1]
    alpha = {16: 0.673, 32: 0.697, 64: 0.709}.get(registers, 0.7213 / (1 + 1.079 / registers))
    powers = np.ldexp(1.0, -np.arange(256))
    raw: npt.NDArray[np.float64] = alpha * registers**2 / powers[counters].sum(axis=1)
    empty = (counters == 0).sum(axis=1)
    linear = registers * np.log(registers / np.maximum(empty, 1))
    return np.where((raw <= 2.5 * registers) & (empty > 0), linear, raw)
