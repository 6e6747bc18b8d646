"""What the spectrum of the Google matrix at α = 1 is, in plain Python and dense NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from webstrata.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Lists = list[list[int]]


def to_graph(lists: Sequence[Sequence[int]]) -> Graph:
    """The graph with these successors."""
    arcs = [(node, target) for node, row in enumerate(lists) for target in row]
    return Graph.from_arcs(arcs, num_nodes=len(lists))


def google_matrix(lists: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """S: a column for each node."""
    size = len(lists)
    matrix = np.zeros((size, size))
    for node, successors in enumerate(lists):
        if successors:
            matrix[list(successors), node] = 1 / len(successors)
        else:
            matrix[:, node] = 1 / size
    return matrix


def reach(lists: Sequence[Sequence[int]], start: int) -> frozenset[int]:
    """All nodes that a node reaches, itself included."""
    found, front = {start}, [start]
    while front:
        for target in lists[front.pop()]:
            if target not in found:
                found.add(target)
                front.append(target)
    return frozenset(found)


def subspaces(lists: Sequence[Sequence[int]], bound: float) -> list[set[int]]:
    """Closed sets without a dangling node and smaller than the bound, those that overlap as one."""
    sets = [reach(lists, node) for node in range(len(lists))]
    closed = {one for one in sets if len(one) < bound * len(lists) and all(lists[node] for node in one)}
    merged: list[set[int]] = []
    for one in closed:
        apart = [other for other in merged if not other & one]
        merged = [*apart, set(one).union(*(other for other in merged if other & one))]
    return sorted(merged, key=lambda nodes: (-len(nodes), min(nodes)))


def power_sums(values: NDArray[np.complex128], most: int) -> NDArray[np.complex128]:
    """Σ λ^k for k = 1 … most: they determine the values with their multiplicities, stably."""
    return np.array([(values**power).sum() for power in range(1, most + 1)])


def traces(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tr S^k for k = 1 … n, which the power sums of its eigenvalues must be."""
    found, power = [], np.eye(len(matrix))
    for _ in range(len(matrix)):
        power = power @ matrix
        found.append(np.trace(power))
    return np.array(found)


@st.composite
def planted(draw: st.DrawFn) -> Lists:
    """A random graph with closed sets planted: rings, complete ones, random ones, chains into them."""
    lists: Lists = []
    for kind in draw(st.lists(st.sampled_from(["ring", "complete", "random", "chain"]), max_size=4)):
        start, size = len(lists), draw(st.integers(1, 4))
        inside = range(start, start + size)
        if kind == "ring":
            lists += [[start + (place + 1) % size] for place in range(size)]
        elif kind == "complete":
            lists += [list(inside) for _ in inside]
        elif kind == "random" or not start:
            rows = st.sets(st.sampled_from(inside), min_size=1)
            lists += [sorted(draw(rows)) for _ in inside]
        else:  # each leads to the one before it, the first into what is there
            lists += [
                [node - 1, *draw(st.sets(st.sampled_from(range(start)), max_size=1))] for node in inside
            ]
    size = len(lists) + draw(st.integers(1 if not lists else 0, 6))
    rows = st.sets(st.sampled_from(range(size)), max_size=4)
    return [sorted(set(row)) for row in lists] + [sorted(draw(rows)) for _ in range(size - len(lists))]
