from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["pagerank"]

def pagerank(
    rows: tuple[NDArray[np.uint64], NDArray[np.uint32]],
    outdegrees: NDArray[np.uint32],
    scores: NDArray[np.float64],
    alpha: float,
    least_change: float,
    most_steps: int,
    preference: NDArray[np.float64] | None = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[int, float]: ...
