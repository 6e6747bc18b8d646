"""What PageRank is, in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def pagerank(
    lists: Sequence[Sequence[int]], alpha: float, preference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The solution of the linear system, by elimination."""
    size = len(lists)
    matrix = np.zeros((size, size))
    for node, successors in enumerate(lists):
        for target in successors:
            matrix[target, node] = 1 / len(successors)
        if not successors:
            matrix[:, node] = preference
    return np.linalg.solve(np.eye(size) - alpha * matrix, (1 - alpha) * preference).astype(np.float64)
