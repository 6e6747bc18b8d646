from collections.abc import Callable, Sequence
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = ["BvGraph", "breadth_first_order", "bv_compress", "grow_balls", "layered_labels"]

def bv_compress(
    offsets: NDArray[np.uint64],
    targets: NDArray[np.uint32],
    basename: str | PathLike[str],
    progress: Callable[[int], object] | None = None,
) -> tuple[int, int, int, int]: ...

@final
class BvGraph:
    def __new__(
        cls,
        basename: str | PathLike[str],
        mapped: bool = True,
        progress: Callable[[int], object] | None = None,
    ) -> BvGraph: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_arcs(self) -> int: ...
    def successors(self, node: int) -> NDArray[np.uint32]: ...
    def outdegree(self, node: int) -> int: ...
    def outdegrees(
        self, nodes: NDArray[np.uint32], progress: Callable[[int], object] | None = None
    ) -> NDArray[np.uint32]: ...
    def batch_successors(
        self, nodes: NDArray[np.uint32], progress: Callable[[int], object] | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
    def rows(
        self, start: int, end: int, progress: Callable[[int], object] | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...

def grow_balls(
    rows: tuple[NDArray[np.uint64], NDArray[np.uint32]],
    first: int,
    old: tuple[NDArray[np.uint8], NDArray[np.bool_]],
    new: tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.float64]],
    progress: Callable[[int], object] | None = None,
) -> None: ...
def breadth_first_order(
    rows: tuple[NDArray[np.uint64], NDArray[np.uint32]],
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.uint32]: ...
def layered_labels(
    rows: tuple[NDArray[np.uint64], NDArray[np.uint32]],
    gammas: Sequence[float],
    seed: int,
    folder: str | PathLike[str],
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.uint32]: ...
