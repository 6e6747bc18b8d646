"""What the measures of this room are, in plain Python and small matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def walk_matrix(
    lists: Sequence[Sequence[int]],
    spread: NDArray[np.float64],
    weights: Sequence[Sequence[float]] | None = None,
) -> NDArray[np.float64]:
    """S: what of 1 that the node of a column has goes to the node of a row."""
    size = len(lists)
    matrix = np.zeros((size, size))
    for node, successors in enumerate(lists):
        shares = [1.0] * len(successors) if weights is None else weights[node]
        for target, share in zip(successors, shares, strict=True):
            matrix[target, node] = share / sum(shares)
        if not successors:
            matrix[:, node] = spread
    return matrix


def pagerank(
    lists: Sequence[Sequence[int]],
    alpha: float,
    preference: NDArray[np.float64],
    spread: NDArray[np.float64] | None = None,
    weights: Sequence[Sequence[float]] | None = None,
) -> NDArray[np.float64]:
    """The solution of the linear system, by elimination."""
    matrix = walk_matrix(lists, preference if spread is None else spread, weights)
    return np.linalg.solve(np.eye(len(lists)) - alpha * matrix, (1 - alpha) * preference).astype(np.float64)


def two_d_order(ranks: Sequence[int], inverse_ranks: Sequence[int]) -> list[int]:
    """The nodes as a growing square counts them, step by step."""
    counted = []
    for size in range(1, len(ranks) + 1):
        node = ranks.index(size)
        if inverse_ranks[node] <= size:
            counted.append(node)
        node = inverse_ranks.index(size)
        if ranks[node] < size:
            counted.append(node)
    return counted


def truncated(lists: Sequence[Sequence[int]], alpha: float, levels: int) -> NDArray[np.float64]:
    """The sum over distances above `levels`, as far as it matters."""
    size = len(lists)
    everywhere = np.full(size, 1 / size)
    matrix, moved, total = walk_matrix(lists, everywhere), everywhere, np.zeros(size)
    for distance in range(1, 400):
        moved = matrix @ moved
        if distance > levels:
            total += (1 - alpha) * alpha ** (distance - levels - 1) * moved
    return total


def hits(
    lists: Sequence[Sequence[int]], amount: float, preference: NDArray[np.float64], passes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Equations 7 and 8 of CHANGE, some times."""
    size = len(lists)
    matrix = np.zeros((size, size))
    for node, successors in enumerate(lists):
        matrix[node, list(successors)] = 1
    hubs = np.ones(size)
    for _ in range(passes):
        authorities = matrix.T @ hubs + amount * preference
        authorities = authorities / max(authorities.max(), 1e-300)
        hubs = matrix @ authorities + amount * preference
        hubs = hubs / max(hubs.max(), 1e-300)
    return authorities, hubs
