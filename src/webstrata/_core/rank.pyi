from collections.abc import Callable
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from webstrata._core.graph import BvGraph

__all__ = ["Folds", "multiply", "push", "solve"]

_Lists = tuple[NDArray[np.uint64], NDArray[np.uint32]] | BvGraph

@final
class Folds:
    def __new__(
        cls,
        lists: _Lists,
        weights: NDArray[np.float64] | None,
        shares: NDArray[np.float64],
        progress: Callable[[int], object] | None = None,
    ) -> Self: ...

def solve(
    lists: Folds | BvGraph,
    shares: NDArray[np.float64],
    jumps: NDArray[np.float64],
    spread: NDArray[np.float64] | None,
    scores: NDArray[np.float64],
    enough: float,
    most: int,
    progress: Callable[[int], object] | None = None,
) -> tuple[int, float]: ...
def multiply(
    lists: _Lists,
    weights: NDArray[np.float64] | None,
    values: NDArray[np.float64],
    sums: NDArray[np.float64],
    progress: Callable[[int], object] | None = None,
) -> None: ...
def push(
    lists: _Lists,
    weights: NDArray[np.float64] | None,
    num_nodes: int,
    seeds: NDArray[np.uint32],
    shares: NDArray[np.float64],
    alpha: float,
    tolerance: float,
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64], float, int]: ...
